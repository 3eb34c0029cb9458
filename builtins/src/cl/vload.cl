// vload and vstore of every type, width and address space (OpenCL C 3.0, section 6.15.8).

#define TYPE_BODY "vload.inc"
#include "for_integers.h"
#include "for_floats.h"
#include "for_half.h"
