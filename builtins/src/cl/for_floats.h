// Includes TYPE_BODY once for each floating type. In it: `ST` is the type, `SI` and `SU` the integer types of its size,
// `FP` its size in bits, `C(x)` a literal of the type.

#include "for_float.h"

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
