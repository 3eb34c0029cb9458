// Includes TYPE_BODY once for each floating type. In it: `ST` is the type, `SI` and `SU` the integer types of its size,
// `FP` its size in bits, `C(x)` a literal of the type.

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

#define FP 64
#define BITS 64
#define ST double
#define SI long
#define SU ulong
#define C(x) x
#include TYPE_BODY
#undef FP
#undef BITS
#undef ST
#undef SI
#undef SU
#undef C
