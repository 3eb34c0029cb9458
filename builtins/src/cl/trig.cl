// Circular functions of radians (OpenCL C 3.0, section 6.15.2): sin, cos, sincos, tan.

#include "polynomials.h"

#define BODY "trig.inc"
#define TYPE_BODY "for_widths.h"
#include "for_floats.h"
