// Images read and written by some work-items only, in loops of different lengths, and behind a barrier.
// test: run
// bits: 64
// run: gather global=16 local=8 (in=image/r/signed_int32/16x1:range:16, out=image/r/signed_int32/16x1:all:7:16) -> out=[0,3,0,7,4,11,7,7,8,19,0,7,12,27,7,7]
kernel void gather(read_only image2d_t in, write_only image2d_t out) {
  local int sums[8];
  int x = get_global_id(0), l = get_local_id(0);
  int sum = 0;
  if (x % 4 != 3)
    for (int i = 0; i < x % 4; ++i)
      sum += read_imagei(in, (int2)(x + i - 1, 0)).x;
  if (x % 4 == 0)
    sum = read_imagei(in, (int2)(x, 0)).x;
  sums[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  int other = sums[(l + 1) % 8];
  if (x % 4 < 3 && !(x % 8 == 6))
    write_imagei(out, (int2)(x, 0), (int4)(other));
}
