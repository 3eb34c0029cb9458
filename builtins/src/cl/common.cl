// Common functions (OpenCL C 3.0, section 6.15.4).

#define BODY "common.inc"
#define TYPE_BODY "for_widths.h"
#include "for_floats.h"
