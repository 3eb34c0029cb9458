// Includes BODY once for each vector width. In BODY: `W` is the width, `V(type)` the type of that width, `TO(type, x)`
// a value conversion and `BITS_AS(type, x)` a reinterpretation to `V(type)`, `ANY(c)` whether a condition holds in any
// element. A condition is the result of a comparison: 0 or 1 at width 1, 0 or -1 in each element of a vector, so
// conditions are combined by `&`, `|` and `!` and used by `?:` alone.

#define TO(type, x) ((V(type))(x))
#define BITS_AS(type, x) __builtin_astype(x, V(type))

#define W 1
#define V(type) type
#define ANY(c) (c)
#include BODY
#undef W
#undef V
#undef ANY
#undef TO

#define TO(type, x) __builtin_convertvector(x, V(type))
#define ANY(c) (__builtin_reduce_or(c) != 0)

#define W 2
#define V(type) JOIN(type, 2)
#include BODY
#undef W
#undef V

#define W 3
#define V(type) JOIN(type, 3)
#include BODY
#undef W
#undef V

#define W 4
#define V(type) JOIN(type, 4)
#include BODY
#undef W
#undef V

#define W 8
#define V(type) JOIN(type, 8)
#include BODY
#undef W
#undef V

#define W 16
#define V(type) JOIN(type, 16)
#include BODY
#undef W
#undef V

#undef ANY
#undef TO
#undef BITS_AS
