// Run-time routines of transport-triggered processors: what instruction selection calls where a machine has no operation, and a
// small part of the C library. The code relies on nothing but 32-bit addition, subtraction, logic, comparisons and shifts by
// constants; whatever else it uses must not call the routine that is being defined.

typedef int I;
typedef unsigned U;
typedef long long L;
typedef unsigned long long UL;

U __mulsi3(U a, U b) {
  U sum = 0;
  if (a < b) {
    U t = a;
    a = b;
    b = t;
  }
  while (b) {
    if (b & 1)
      sum += a;
    a += a;
    b >>= 1;
  }
  return sum;
}

static inline U divide(U a, U b, U *rest) {
  if (b == 0) {
    *rest = a;
    return ~0u;
  }
  U quotient = 0, bit = 1;
  while (b < a && !(b >> 31)) {
    b += b;
    bit += bit;
  }
  while (bit) {
    if (a >= b) {
      a -= b;
      quotient |= bit;
    }
    b >>= 1;
    bit >>= 1;
  }
  *rest = a;
  return quotient;
}

U __udivsi3(U a, U b) {
  U rest;
  return divide(a, b, &rest);
}

U __umodsi3(U a, U b) {
  U rest;
  divide(a, b, &rest);
  return rest;
}

I __divsi3(I a, I b) {
  U rest;
  if (b == 0)
    return -1;
  U q = divide(a < 0 ? 0u - (U)a : (U)a, b < 0 ? 0u - (U)b : (U)b, &rest);
  return (I)((a ^ b) < 0 ? 0u - q : q);
}

I __modsi3(I a, I b) {
  U rest;
  if (b == 0)
    return a;
  divide(a < 0 ? 0u - (U)a : (U)a, b < 0 ? 0u - (U)b : (U)b, &rest);
  return (I)(a < 0 ? 0u - rest : rest);
}

// Halves of 64-bit numbers.
typedef union {
  UL whole;
  struct {
    U low, high;
  } half;
} Both;

static inline UL both(U low, U high) {
  Both x;
  x.half.low = low;
  x.half.high = high;
  return x.whole;
}
static inline U low(UL x) { return (U)x; }
static inline U high(UL x) { return (U)(x >> 32); }

UL __ashldi3(UL a, I n) {
  n &= 63;
  U l = low(a), h = high(a);
  if (n >= 32) {
    h = l;
    l = 0;
    n -= 32;
  }
  while (n > 0) {
    h = (h + h) | (l >> 31);
    l += l;
    n--;
  }
  return both(l, h);
}

UL __lshrdi3(UL a, I n) {
  n &= 63;
  U l = low(a), h = high(a);
  if (n >= 32) {
    l = h;
    h = 0;
    n -= 32;
  }
  while (n > 0) {
    l = (l >> 1) | (h << 31);
    h >>= 1;
    n--;
  }
  return both(l, h);
}

L __ashrdi3(L a, I n) {
  n &= 63;
  U l = low((UL)a);
  I h = (I)high((UL)a);
  if (n >= 32) {
    l = (U)h;
    h >>= 31;
    n -= 32;
  }
  while (n > 0) {
    l = (l >> 1) | ((U)h << 31);
    h >>= 1;
    n--;
  }
  return (L)both(l, (U)h);
}

UL __muldi3(UL a, UL b) {
  U l = 0, h = 0, al = low(a), ah = high(a), bl = low(b), bh = high(b);
  while (bl | bh) {
    if (bl & 1) {
      U sum = l + al;
      h += ah + (sum < l);
      l = sum;
    }
    ah = (ah + ah) | (al >> 31);
    al += al;
    bl = (bl >> 1) | (bh << 31);
    bh >>= 1;
  }
  return both(l, h);
}

static inline UL divide64(UL a, UL b, UL *rest) {
  U al = low(a), ah = high(a), bl = low(b), bh = high(b);
  if (!(bl | bh)) {
    *rest = a;
    return ~0ull;
  }
  if (!(ah | bh)) {
    U small;
    U q = divide(al, bl, &small);
    *rest = small;
    return q;
  }
  U rl = 0, rh = 0;
  for (I k = 0; k < 64; k++) {
    U carry = rh >> 31;
    rh = (rh + rh) | (rl >> 31);
    rl = (rl + rl) | (ah >> 31);
    ah = (ah + ah) | (al >> 31);
    al += al;
    if (carry || rh > bh || (rh == bh && rl >= bl)) {
      U less = rl < bl;
      rl -= bl;
      rh = rh - bh - less;
      al |= 1;
    }
  }
  *rest = both(rl, rh);
  return both(al, ah);
}

UL __udivdi3(UL a, UL b) {
  UL rest;
  return divide64(a, b, &rest);
}

UL __umoddi3(UL a, UL b) {
  UL rest;
  divide64(a, b, &rest);
  return rest;
}

L __divdi3(L a, L b) {
  UL rest;
  if (b == 0)
    return -1;
  UL q = divide64(a < 0 ? 0 - (UL)a : (UL)a, b < 0 ? 0 - (UL)b : (UL)b, &rest);
  return (L)((a ^ b) < 0 ? 0 - q : q);
}

L __moddi3(L a, L b) {
  UL rest;
  if (b == 0)
    return a;
  divide64(a < 0 ? 0 - (UL)a : (UL)a, b < 0 ? 0 - (UL)b : (UL)b, &rest);
  return (L)(a < 0 ? 0 - rest : rest);
}

// Memory. Words where everything is aligned.
void *memcpy(void *restrict to, const void *restrict from, U count) {
  char *t = to;
  const char *f = from;
  if (!(((U)t | (U)f) & 3))
    for (; count >= 4; count -= 4, t += 4, f += 4)
      *(U *)t = *(const U *)f;
#pragma clang loop unroll(disable)
  for (; count; count--)
    *t++ = *f++;
  return to;
}

void *memmove(void *to, const void *from, U count) {
  char *t = to;
  const char *f = from;
  if ((U)t - (U)f >= count)
    return memcpy(to, from, count);
  t += count;
  f += count;
  if (!(((U)t | (U)f) & 3))
    for (; count >= 4; count -= 4) {
      t -= 4;
      f -= 4;
      *(U *)t = *(const U *)f;
    }
#pragma clang loop unroll(disable)
  for (; count; count--)
    *--t = *--f;
  return to;
}

void *memset(void *to, I value, U count) {
  char *t = to;
  if (!((U)t & 3)) {
    U byte = (U)value & 255, half = byte | byte << 8, word = half | half << 16;
    for (; count >= 4; count -= 4, t += 4)
      *(U *)t = word;
  }
#pragma clang loop unroll(disable)
  for (; count; count--)
    *t++ = (char)value;
  return to;
}

I memcmp(const void *a, const void *b, U count) {
  const unsigned char *x = a, *y = b;
  for (; count; count--, x++, y++)
    if (*x != *y)
      return (I)*x - (I)*y;
  return 0;
}

U strlen(const char *text) {
  const char *end = text;
  while (*end)
    end++;
  return (U)(end - text);
}

I strcmp(const char *a, const char *b) {
  while (*a && *a == *b) {
    a++;
    b++;
  }
  return (I)(unsigned char)*a - (I)(unsigned char)*b;
}

char *strcpy(char *restrict to, const char *restrict from) {
  char *t = to;
  while ((*t++ = *from++)) {
  }
  return to;
}

void __tta_op_stdout(U);

I putchar(I c) {
  __tta_op_stdout((U)c & 255);
  return c & 255;
}

I puts(const char *text) {
  while (*text)
    __tta_op_stdout((unsigned char)*text++);
  __tta_op_stdout('\n');
  return 0;
}

_Noreturn void __tta_halt(I);

_Noreturn void exit(I status) { __tta_halt(status); }
_Noreturn void abort(void) { __tta_halt(134); }

// A heap of 16 KiB that only grows: what is freed is not used again. A program may bring its own.
static UL oxcl_heap[1 << 11];
static U oxcl_heap_used;

void *malloc(U size) {
  U left = sizeof oxcl_heap - oxcl_heap_used;
  if (size > left)
    return 0;
  void *place = (char *)oxcl_heap + oxcl_heap_used;
  oxcl_heap_used += (size + 7) & ~7u;
  return place;
}

void *calloc(U count, U size) {
  UL whole = (UL)count * size;
  return whole >> 32 ? (void *)0 : malloc((U)whole);
}

void free(void *place) { (void)place; }

I abs(I value) { return value < 0 ? (I)(0u - (U)value) : value; }
I labs(I value) { return value < 0 ? (I)(0u - (U)value) : value; }

// Floats of 32 bits where the machine has none: round to nearest even, subnormal numbers kept, every result that is no number
// the same one.

typedef float F;

static inline U bits_of(F x) {
  union {
    F f;
    U u;
  } v;
  v.f = x;
  return v.u;
}
static inline F float_of(U x) {
  union {
    U u;
    F f;
  } v;
  v.u = x;
  return v.f;
}

enum { NO_NUMBER = 0x7fc00000, INFINITE = 0x7f800000 };

static inline U shift_down(U x, U by) {
  if (by > 31)
    return x != 0;
  U out = x >> by;
  return out | ((out << by) != x);
}

static inline I leading_zeros(U x) {
  I n = 0;
  if (!(x >> 16)) {
    n += 16;
    x <<= 16;
  }
  if (!(x >> 24)) {
    n += 8;
    x <<= 8;
  }
  if (!(x >> 28)) {
    n += 4;
    x <<= 4;
  }
  if (!(x >> 30)) {
    n += 2;
    x <<= 2;
  }
  if (!(x >> 31))
    n += 1;
  return n;
}

// A number from sign, exponent and significand. The significand has its top bit at bit 30, or is smaller where the exponent is
// 0; bits 6 to 0 are below the last place, the lowest stands for all that were lost.
static __attribute__((noinline)) U pack(U sign, I exponent, U significand) {
  if (exponent <= 0) {
    significand = shift_down(significand, (U)(1 - exponent));
    exponent = 0;
  }
  U below = significand & 127;
  significand >>= 7;
  if (below > 64 || (below == 64 && (significand & 1)))
    significand++;
  if (exponent > 0)
    significand += ((U)exponent << 23) - 0x800000;
  if (significand >= INFINITE)
    significand = INFINITE;
  return sign | significand;
}

// As `pack`, of any significand but 0.
static U normalise(U sign, I exponent, U significand) {
  I up = leading_zeros(significand) - 1;
  if (up < 0)
    return pack(sign, exponent + 1, shift_down(significand, 1));
  return pack(sign, exponent - up, significand << up);
}

static inline I exponent_of(U x) { return (I)(x >> 23 & 255); }

static __attribute__((noinline)) U add_bits(U a, U b) {
  U x = a & 0x7fffffff, y = b & 0x7fffffff;
  if (x < y) {
    U t = a;
    a = b;
    b = t;
    t = x;
    x = y;
    y = t;
  }
  if (x >= INFINITE) {
    if (x > INFINITE || (y == INFINITE && a != b))
      return NO_NUMBER;
    return a;
  }
  I e = exponent_of(x), f = exponent_of(y);
  U m = x & 0x7fffff, n = y & 0x7fffff;
  if (e)
    m |= 0x800000;
  else
    e = 1;
  if (f)
    n |= 0x800000;
  else
    f = 1;
  m <<= 6;
  n = shift_down(n << 6, (U)(e - f));
  U sign = a & 0x80000000;
  if ((a ^ b) >> 31) {
    m -= n;
    if (!m)
      return 0;
  } else {
    m += n;
    if (!m)
      return sign;
  }
  return normalise(sign, e + 1, m);
}

F __addsf3(F a, F b) { return float_of(add_bits(bits_of(a), bits_of(b))); }
F __subsf3(F a, F b) { return float_of(add_bits(bits_of(a), bits_of(b) ^ 0x80000000)); }

// The significand with its top bit at bit 23, for a number that is not 0; its exponent changes with it.
static inline U significand_of(U x, I *exponent) {
  U m = x & 0x7fffff;
  *exponent = exponent_of(x);
  if (*exponent)
    return m | 0x800000;
  I up = leading_zeros(m) - 8;
  *exponent = 1 - up;
  return m << up;
}

F __mulsf3(F fa, F fb) {
  U a = bits_of(fa), b = bits_of(fb), sign = (a ^ b) & 0x80000000;
  U x = a & 0x7fffffff, y = b & 0x7fffffff;
  if (x > INFINITE || y > INFINITE)
    return float_of(NO_NUMBER);
  if (x == INFINITE || y == INFINITE)
    return float_of(x == 0 || y == 0 ? NO_NUMBER : sign | INFINITE);
  if (x == 0 || y == 0)
    return float_of(sign);
  I e, f;
  U m = significand_of(x, &e), n = significand_of(y, &f);
  // Bit by bit from the lowest; what falls out below stays in the lowest bit.
  U product = 0;
  for (I k = 0; k < 24; k++) {
    product = (product >> 1) | (product & 1);
    if (n & 1)
      product += m << 6;
    n >>= 1;
  }
  return float_of(normalise(sign, e + f - 127 + 1, product));
}

F __divsf3(F fa, F fb) {
  U a = bits_of(fa), b = bits_of(fb), sign = (a ^ b) & 0x80000000;
  U x = a & 0x7fffffff, y = b & 0x7fffffff;
  if (x > INFINITE || y > INFINITE || (x == INFINITE && y == INFINITE) || (x == 0 && y == 0))
    return float_of(NO_NUMBER);
  if (x == INFINITE || y == 0)
    return float_of(sign | INFINITE);
  if (y == INFINITE || x == 0)
    return float_of(sign);
  I e, f;
  U m = significand_of(x, &e), n = significand_of(y, &f), q = 0;
  if (m < n) {
    m += m;
    e--;
  }
  for (I k = 0; k < 31; k++) {
    q += q;
    if (m >= n) {
      m -= n;
      q |= 1;
    }
    m += m;
  }
  return float_of(pack(sign, e - f + 127, q | (m != 0)));
}

F sqrtf(F fx) {
  U x = bits_of(fx);
  if (!(x & 0x7fffffff))
    return fx;
  if (x > INFINITE)
    return float_of(NO_NUMBER);
  if (x == INFINITE)
    return fx;
  I e;
  U m = significand_of(x, &e);
  // The root of m * 2^(e - 150): an even exponent, and digit by digit.
  if (!(e & 1))
    m += m;
  U root = 0, rest = 0;
  // Two bits of the operand for each bit of the root, from the top: 25 bits of it in the first rounds, zeros then.
  m <<= 7;
  for (I k = 0; k < 27; k++) {
    rest = (rest << 2) | (m >> 30);
    m <<= 2;
    U trial = (root << 2) | 1;
    root += root;
    if (rest >= trial) {
      rest -= trial;
      root |= 1;
    }
  }
  return float_of(normalise(0, ((e - 127) >> 1) + 127 + 4, root | (rest != 0)));
}

static inline I unordered(U a, U b) { return (a & 0x7fffffff) > INFINITE || (b & 0x7fffffff) > INFINITE; }

// -1, 0 or 1 of two numbers.
static inline I order(U a, U b) {
  if (!((a | b) & 0x7fffffff))
    return 0;
  I x = (I)a < 0 ? -(I)(a & 0x7fffffff) : (I)a, y = (I)b < 0 ? -(I)(b & 0x7fffffff) : (I)b;
  return x < y ? -1 : x > y;
}

I __unordsf2(F a, F b) { return unordered(bits_of(a), bits_of(b)); }
static I compare(F a, F b, I otherwise) {
  U x = bits_of(a), y = bits_of(b);
  return unordered(x, y) ? otherwise : order(x, y);
}
I __eqsf2(F a, F b) { return compare(a, b, 1); }
I __nesf2(F a, F b) { return compare(a, b, 1); }
I __ltsf2(F a, F b) { return compare(a, b, 1); }
I __lesf2(F a, F b) { return compare(a, b, 1); }
I __gtsf2(F a, F b) { return compare(a, b, -1); }
I __gesf2(F a, F b) { return compare(a, b, -1); }

F fminf(F a, F b) {
  U x = bits_of(a), y = bits_of(b);
  if ((x & 0x7fffffff) > INFINITE)
    return (y & 0x7fffffff) > INFINITE ? float_of(NO_NUMBER) : b;
  if ((y & 0x7fffffff) > INFINITE)
    return a;
  I o = order(x, y);
  return o < 0 || (o == 0 && (I)x < 0) ? a : b;
}
F fmaxf(F a, F b) {
  U x = bits_of(a), y = bits_of(b);
  if ((x & 0x7fffffff) > INFINITE)
    return (y & 0x7fffffff) > INFINITE ? float_of(NO_NUMBER) : b;
  if ((y & 0x7fffffff) > INFINITE)
    return a;
  I o = order(x, y);
  return o > 0 || (o == 0 && (I)x >= 0) ? a : b;
}

F __floatunsisf(U x) { return float_of(x ? normalise(0, 127 + 30, x) : 0); }
F __floatsisf(I x) {
  U sign = (U)x & 0x80000000;
  return float_of(x ? normalise(sign, 127 + 30, sign ? 0u - (U)x : (U)x) : 0);
}
F __floatundisf(UL x) {
  U l = low(x), h = high(x);
  I e = 127 + 30;
  if (h) {
    // The upper 32 bits from the first that is set.
    I up = leading_zeros(h);
    e += 32 - up;
    for (; up > 0; up--) {
      h = (h + h) | (l >> 31);
      l += l;
    }
    return float_of(normalise(0, e, h | (l != 0)));
  }
  return __floatunsisf(l);
}
F __floatdisf(L x) {
  if (x >= 0)
    return __floatundisf((UL)x);
  return float_of(bits_of(__floatundisf(0 - (UL)x)) | 0x80000000);
}

// The integer part of a size below 2^64.
static UL whole_of(U x) {
  I e = exponent_of(x) - 150;
  UL m = (x & 0x7fffff) | 0x800000;
  if (e < -23)
    return 0;
  return e < 0 ? (UL)((U)m >> -e) : m << e;
}
I __fixsfsi(F f) {
  U x = bits_of(f), size = x & 0x7fffffff;
  if (size > INFINITE)
    return 0x7fffffff;
  if (size >= 0x4f000000)
    return x >> 31 ? (I)0x80000000 : 0x7fffffff;
  I whole = (I)whole_of(size);
  return x >> 31 ? -whole : whole;
}
U __fixunssfsi(F f) {
  U x = bits_of(f), size = x & 0x7fffffff;
  if (size > INFINITE)
    return ~0u;
  if (x >> 31)
    return 0;
  return size >= 0x4f800000 ? ~0u : (U)whole_of(size);
}
L __fixsfdi(F f) {
  U x = bits_of(f), size = x & 0x7fffffff;
  if (size > INFINITE)
    return 0x7fffffffffffffffll;
  if (size >= 0x5f000000)
    return x >> 31 ? (L)0x8000000000000000ull : 0x7fffffffffffffffll;
  L whole = (L)whole_of(size);
  return x >> 31 ? -whole : whole;
}
UL __fixunssfdi(F f) {
  U x = bits_of(f), size = x & 0x7fffffff;
  if (size > INFINITE)
    return ~0ull;
  if (x >> 31)
    return 0;
  return size >= 0x5f800000 ? ~0ull : whole_of(size);
}

// Rounding to integers, as floats.
static U drop(U x, I mode) {
  U size = x & 0x7fffffff, sign = x & 0x80000000;
  if (size >= 0x4b000000)
    return size > INFINITE ? NO_NUMBER : x;
  if (size < 0x3f800000) {
    U one = sign | 0x3f800000;
    if (!size)
      return x;
    if (mode == 0)
      return size > 0x3f000000 ? one : sign;
    if (mode == 4)
      return size >= 0x3f000000 ? one : sign;
    return (mode == 2 && sign) || (mode == 3 && !sign) ? one : sign;
  }
  U step = 1u << (150 - exponent_of(x)), mask = step - 1, rest = x & mask, whole = x & ~mask, half = step >> 1;
  U up = mode == 0   ? rest > half || (rest == half && (whole & step))
         : mode == 4 ? rest >= half
         : mode == 2 ? rest && sign
         : mode == 3 ? rest && !sign
                     : 0;
  return up ? whole + step : whole;
}
F rintf(F x) { return float_of(drop(bits_of(x), 0)); }
F nearbyintf(F x) { return float_of(drop(bits_of(x), 0)); }
F roundevenf(F x) { return float_of(drop(bits_of(x), 0)); }
F truncf(F x) { return float_of(drop(bits_of(x), 1)); }
F floorf(F x) { return float_of(drop(bits_of(x), 2)); }
F ceilf(F x) { return float_of(drop(bits_of(x), 3)); }
F roundf(F x) { return float_of(drop(bits_of(x), 4)); }

// a * b + c, rounded once.
F fmaf(F fa, F fb, F fc) {
  U a = bits_of(fa), b = bits_of(fb), c = bits_of(fc);
  U x = a & 0x7fffffff, y = b & 0x7fffffff, z = c & 0x7fffffff, sign = (a ^ b) & 0x80000000;
  if (x > INFINITE || y > INFINITE || z > INFINITE)
    return float_of(NO_NUMBER);
  if (x == INFINITE || y == INFINITE) {
    if (x == 0 || y == 0 || (z == INFINITE && sign != (c & 0x80000000)))
      return float_of(NO_NUMBER);
    return float_of(sign | INFINITE);
  }
  if (z == INFINITE)
    return fc;
  if (x == 0 || y == 0)
    return float_of(z ? c : (sign == (c & 0x80000000) ? c : 0));
  I e, f, g;
  U m = significand_of(x, &e), n = significand_of(y, &f);
  // The product as m * 2^(e - 62 - 127) with its top bit at 61 or 62.
  UL product = (UL)m * n << 15;
  e += f - 127;
  if (z == 0) {
    U high62 = (U)(product >> 32) | ((U)product != 0);
    return float_of(normalise(sign, e + 1, high62));
  }
  UL other = (UL)significand_of(z, &g) << 38;
  U sign2 = c & 0x80000000;
  // The one with the smaller exponent gives way.
  I distance = e - g;
  if (distance < 0) {
    UL t = product;
    product = other;
    other = t;
    distance = -distance;
    e = g;
    U s = sign;
    sign = sign2;
    sign2 = s;
  }
  if (distance > 63)
    other = other != 0;
  else if (distance) {
    UL kept = other >> distance;
    other = kept | ((kept << distance) != other);
  }
  UL sum;
  if (sign == sign2) {
    sum = product + other;
  } else if (product >= other) {
    sum = product - other;
  } else {
    sum = other - product;
    sign = sign2;
  }
  if (!sum)
    return float_of(0);
  e++;
  while (!(sum >> 62)) {
    sum += sum;
    e--;
  }
  if (sum >> 63) {
    sum = (sum >> 1) | (sum & 1);
    e++;
  }
  return float_of(pack(sign, e, (U)(sum >> 32) | ((U)sum != 0)));
}
