// Logarithms (OpenCL C 3.0, section 6.15.2): log, log2, log10, log1p.

#include "polynomials.h"

#define BODY "log.inc"
#define TYPE_BODY "for_widths.h"
#include "for_floats.h"
