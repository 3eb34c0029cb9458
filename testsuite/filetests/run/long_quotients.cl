// Divisions of 64 bits by constants: products and shifts in lanes. Each divisor is of a kind of its own: with a multiplier of 64 bits or 65,
// with a shift or none, even, near a power of two, larger than half of all numbers, negative.
// test: run
// run: unsigned_ones global=24 local=8 (a=[0,1,2,3,6,7,9,10,99,640,641,1000000006,4294967295,4294967296,18446744073709551615,18446744073709551614,18446744073709551613,18446744073709551609,18446744073709551606,18446744073709550975,9223372036854775807,9223372036854775809,4611686018427387904,12297829382473034410], out=zeros:432)
// run: signed_ones global=24 local=8 (a=[0,1,2,3,6,7,9,10,99,640,641,1000000006,4294967295,4294967296,-1,-2,-3,-7,-10,-641,9223372036854775807,-9223372036854775807,4611686018427387904,-4611686018427387905], out=zeros:432)
// run: masked global=24 local=8 (a=[0,1,2,3,6,7,9,10,99,640,641,1000000006,4294967295,4294967296,-1,-2,-3,-7,-10,-641,9223372036854775807,-9223372036854775807,4611686018427387904,-4611686018427387905], out=zeros:24)
#define BOTH(n, d) o[2 * n] = v / d; o[2 * n + 1] = v % d;

kernel void unsigned_ones(global const ulong *a, global ulong *out) {
  int i = get_global_id(0);
  ulong v = a[i];
  global ulong *o = out + 18 * i;
  BOTH(0, 3) BOTH(1, 7) BOTH(2, 10) BOTH(3, 14) BOTH(4, 641) BOTH(5, 4294967295) BOTH(6, 1000000007)
  BOTH(7, 0x8000000000000001UL) BOTH(8, 0xffffffffffffffffUL)
}

kernel void signed_ones(global const long *a, global long *out) {
  int i = get_global_id(0);
  long v = a[i];
  global long *o = out + 18 * i;
  BOTH(0, 3) BOTH(1, 7) BOTH(2, -10) BOTH(3, 14) BOTH(4, -641) BOTH(5, 4294967297) BOTH(6, -1000000007)
  BOTH(7, 0x7fffffffffffffffL) BOTH(8, -7)
}

kernel void masked(global const long *a, global long *out) {
  int i = get_global_id(0);
  long v = a[i];
  while (v > 5 || v < -5) v = i & 1 ? v / 5 : v / -6 + v % 3;
  out[i] = v;
}
