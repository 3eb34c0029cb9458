// Includes TYPE_BODY once for each integer type. In it: `ST` is the type, `SI` and `SU` the signed and unsigned type of
// its size, `SWIDE` the type of twice its size where there is one, `BITS` its size, `SIGNED` 0 or 1, and its limits.
// `FP` is 0: the floating types are in for_floats.h.

#define FP 0

#define ST char
#define SI char
#define SU uchar
#define BITS 8
#define SIGNED 1
#define TYPE_MIN CHAR_MIN
#define TYPE_MAX CHAR_MAX
#define SWIDE short
#include TYPE_BODY
#undef ST
#undef SI
#undef SU
#undef BITS
#undef SIGNED
#undef TYPE_MIN
#undef TYPE_MAX
#undef SWIDE

#define ST uchar
#define SI char
#define SU uchar
#define BITS 8
#define SIGNED 0
#define TYPE_MIN 0
#define TYPE_MAX UCHAR_MAX
#define SWIDE ushort
#include TYPE_BODY
#undef ST
#undef SI
#undef SU
#undef BITS
#undef SIGNED
#undef TYPE_MIN
#undef TYPE_MAX
#undef SWIDE

#define ST short
#define SI short
#define SU ushort
#define BITS 16
#define SIGNED 1
#define TYPE_MIN SHRT_MIN
#define TYPE_MAX SHRT_MAX
#define SWIDE int
#include TYPE_BODY
#undef ST
#undef SI
#undef SU
#undef BITS
#undef SIGNED
#undef TYPE_MIN
#undef TYPE_MAX
#undef SWIDE

#define ST ushort
#define SI short
#define SU ushort
#define BITS 16
#define SIGNED 0
#define TYPE_MIN 0
#define TYPE_MAX USHRT_MAX
#define SWIDE uint
#include TYPE_BODY
#undef ST
#undef SI
#undef SU
#undef BITS
#undef SIGNED
#undef TYPE_MIN
#undef TYPE_MAX
#undef SWIDE

#define ST int
#define SI int
#define SU uint
#define BITS 32
#define SIGNED 1
#define TYPE_MIN INT_MIN
#define TYPE_MAX INT_MAX
#define SWIDE long
#include TYPE_BODY
#undef ST
#undef SI
#undef SU
#undef BITS
#undef SIGNED
#undef TYPE_MIN
#undef TYPE_MAX
#undef SWIDE

#define ST uint
#define SI int
#define SU uint
#define BITS 32
#define SIGNED 0
#define TYPE_MIN 0
#define TYPE_MAX UINT_MAX
#define SWIDE ulong
#include TYPE_BODY
#undef ST
#undef SI
#undef SU
#undef BITS
#undef SIGNED
#undef TYPE_MIN
#undef TYPE_MAX
#undef SWIDE

#define ST long
#define SI long
#define SU ulong
#define BITS 64
#define SIGNED 1
#define TYPE_MIN LONG_MIN
#define TYPE_MAX LONG_MAX
#include TYPE_BODY
#undef ST
#undef SI
#undef SU
#undef BITS
#undef SIGNED
#undef TYPE_MIN
#undef TYPE_MAX

#define ST ulong
#define SI long
#define SU ulong
#define BITS 64
#define SIGNED 0
#define TYPE_MIN 0
#define TYPE_MAX ULONG_MAX
#include TYPE_BODY
#undef ST
#undef SI
#undef SU
#undef BITS
#undef SIGNED
#undef TYPE_MIN
#undef TYPE_MAX

#undef FP
