// Hyperbolic functions and their inverses (OpenCL C 3.0, section 6.15.2).

#include "polynomials.h"

#define BODY "hyperbolic.inc"
#define TYPE_BODY "for_widths.h"
#include "for_floats.h"
