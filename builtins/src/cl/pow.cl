// Powers (OpenCL C 3.0, section 6.15.2): pow, pown, powr, rootn.

#include "polynomials.h"

#define BODY "pow.inc"
#define TYPE_BODY "for_widths.h"
#include "for_floats.h"
