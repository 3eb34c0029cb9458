// Remainders (OpenCL C 3.0, section 6.15.2): fmod, remainder, remquo.

#include "polynomials.h"

#define BODY "remainder.inc"
#define TYPE_BODY "for_widths.h"
#include "for_floats.h"
