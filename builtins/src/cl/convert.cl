// Explicit conversions (OpenCL C 3.0, section 6.2.3) to one type, which the build gives as DST with DST_SI (the signed
// integer type of its size), DST_BITS, DST_FP (0 for an integer, else DST_BITS), and for an integer DST_SIGNED, DST_MIN
// and DST_MAX. One unit for each keeps what a program must read small.

#define BODY "convert.inc"
#define TYPE_BODY "for_widths.h"
#include "for_floats.h"
#include "for_half.h"
#include "for_integers.h"
