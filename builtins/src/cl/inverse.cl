// Inverse circular functions (OpenCL C 3.0, section 6.15.2), in radians and in half turns.

#include "polynomials.h"

#define BODY "inverse.inc"
#define TYPE_BODY "for_widths.h"
#include "for_floats.h"
