// Includes TYPE_BODY once for float, with the words of for_floats.h.

#define FP 32
#define BITS 32
#define ST float
#define SI int
#define SU uint
#define C(x) x##f
#include TYPE_BODY
#undef FP
#undef BITS
#undef ST
#undef SI
#undef SU
#undef C
