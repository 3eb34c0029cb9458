// Includes TYPE_BODY once for half, with the words of for_floats.h. Sources whose functions work on halves as on any other type
// include it; the mathematics of half is that of float (half_math.cl).

#define FP 16
#define BITS 16
#define ST half
#define SI short
#define SU ushort
#define C(x) x##h
#include TYPE_BODY
#undef FP
#undef BITS
#undef ST
#undef SI
#undef SU
#undef C
