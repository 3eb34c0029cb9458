// Loads and stores of values kept as half (OpenCL C 3.0, section 6.15.8).

#define BODY "half_load.inc"
#include "for_widths.h"
#undef BODY

#define BODY "half_store.inc"
#define TYPE_BODY "for_widths.h"
#include "for_floats.h"
