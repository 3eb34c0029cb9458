// Circular functions of half turns (OpenCL C 3.0, section 6.15.2): sinpi, cospi, tanpi.

#include "polynomials.h"

#define BODY "trigpi.inc"
#define TYPE_BODY "for_widths.h"
#include "for_floats.h"
