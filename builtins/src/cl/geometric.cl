// Geometric functions (OpenCL C 3.0, section 6.15.5).

#define TYPE_BODY "geometric.inc"
#include "for_floats.h"
