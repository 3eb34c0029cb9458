// Error functions (OpenCL C 3.0, section 6.15.2): erf, erfc.

#include "polynomials.h"

#define BODY "erf.inc"
#define TYPE_BODY "for_widths.h"
#include "for_floats.h"
