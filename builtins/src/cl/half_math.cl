// Mathematical, common and geometric functions of half (cl_khr_fp16): the functions of float on the values as floats, rounded once
// more. That is exact where the function's result is a half, correctly rounded where float's is and has 24 bits for 11, and less
// than a hundredth of a unit worse than correctly rounded elsewhere; those that float itself is quick with have polynomials of
// their own. The functions of float are those of other units.

#include "polynomials.h"

#define BODY "half_math.inc"
#define TYPE_BODY "for_widths.h"
#include "for_half.h"

#undef BODY
#define BODY "half_quick.inc"
#include "for_float.h"
