// Relational functions (OpenCL C 3.0, section 6.15.6).

#define TYPE_BODY "for_widths.h"

#define BODY "relational_float.inc"
#include "for_floats.h"
#include "for_half.h"
#undef BODY

#define BODY "select.inc"
#include "for_integers.h"
#include "for_floats.h"
#include "for_half.h"
