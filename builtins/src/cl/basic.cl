// The mathematics that needs no approximation (OpenCL C 3.0, section 6.15.2): rounding, parts of a value, extremes,
// square roots.

#define BODY "basic.inc"
#define TYPE_BODY "for_widths.h"
#include "for_floats.h"
