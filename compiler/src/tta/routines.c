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

I abs(I value) { return value < 0 ? (I)(0u - (U)value) : value; }
I labs(I value) { return value < 0 ? (I)(0u - (U)value) : value; }
