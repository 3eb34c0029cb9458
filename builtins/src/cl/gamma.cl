// Gamma functions (OpenCL C 3.0, section 6.15.2): tgamma, lgamma, lgamma_r.

#include "polynomials.h"

#define BODY "gamma.inc"
#define TYPE_BODY "for_widths.h"
#include "for_floats.h"
