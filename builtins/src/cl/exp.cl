// Exponential functions (OpenCL C 3.0, section 6.15.2): exp, exp2, exp10, expm1.

#include "polynomials.h"

#define BODY "exp.inc"
#define TYPE_BODY "for_widths.h"
#include "for_floats.h"
