// Integer functions (OpenCL C 3.0, section 6.15.3), for every integer type and width.

#define BODY "integer.inc"
#define TYPE_BODY "for_widths.h"
#include "for_integers.h"
