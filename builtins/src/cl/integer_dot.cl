// Dot products of four bytes (cl_khr_integer_dot_product), each exact; sums with an accumulator saturate.

HELPER int4 ints(char4 x) { return __builtin_convertvector(x, int4); }
HELPER int4 ints(uchar4 x) { return __builtin_convertvector(x, int4); }
HELPER int sum(int4 x) { return (x.x + x.y) + (x.z + x.w); }

#define SIGNED_DOT(X, Y, name)                                                                                         \
  OVERLOAD int dot(X x, Y y) { return sum(ints(x) * ints(y)); }                                                        \
  OVERLOAD int dot_acc_sat(X x, Y y, int accumulator) {                                                                \
    return __builtin_elementwise_add_sat(dot(x, y), accumulator);                                                      \
  }                                                                                                                    \
  OVERLOAD int dot_4x8packed_##name##_int(uint x, uint y) {                                                            \
    return dot(__builtin_astype(x, X), __builtin_astype(y, Y));                                                        \
  }                                                                                                                    \
  OVERLOAD int dot_acc_sat_4x8packed_##name##_int(uint x, uint y, int accumulator) {                                   \
    return dot_acc_sat(__builtin_astype(x, X), __builtin_astype(y, Y), accumulator);                                   \
  }
SIGNED_DOT(char4, char4, ss)
SIGNED_DOT(uchar4, char4, us)
SIGNED_DOT(char4, uchar4, su)

OVERLOAD uint dot(uchar4 x, uchar4 y) { return (uint)sum(ints(x) * ints(y)); }
OVERLOAD uint dot_acc_sat(uchar4 x, uchar4 y, uint accumulator) {
  return __builtin_elementwise_add_sat(dot(x, y), accumulator);
}
OVERLOAD uint dot_4x8packed_uu_uint(uint x, uint y) {
  return dot(__builtin_astype(x, uchar4), __builtin_astype(y, uchar4));
}
OVERLOAD uint dot_acc_sat_4x8packed_uu_uint(uint x, uint y, uint accumulator) {
  return dot_acc_sat(__builtin_astype(x, uchar4), __builtin_astype(y, uchar4), accumulator);
}
