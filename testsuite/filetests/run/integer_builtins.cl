// test: run
// run: ints global=1 local=1 (out=zeros:16) -> out=[7,2147483647,-2147483648,5,6,12,3,31,-2147483648,1,16,10,1,65541,-2,4]
kernel void ints(global int *out) {
  volatile int seven = 7, big = 2147483647;
  out[0] = abs(-seven);
  out[1] = add_sat(big, 5);
  out[2] = sub_sat(-big, 5);
  out[3] = hadd(4, seven);
  out[4] = rhadd(4, seven);
  out[5] = clz(seven << 17);
  out[6] = popcount(seven);
  out[7] = clz(1);
  out[8] = rotate(1, 31);
  out[9] = mul_hi(1 << 30, seven - 3);
  out[10] = mad24(3, 4, 4);
  out[11] = clamp(100, 0, 10);
  out[12] = min(seven, 1);
  out[13] = upsample((short)1, (ushort)5);
  out[14] = max(-2, -seven);
  out[15] = (int)abs_diff(3, seven);
}
