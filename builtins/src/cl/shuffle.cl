// shuffle and shuffle2 (OpenCL C 3.0, section 6.15.12), for every element type.

#define TYPE_BODY "shuffle.inc"
#include "for_integers.h"
#include "for_floats.h"
#include "for_half.h"
