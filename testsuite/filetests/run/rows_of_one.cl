// test: run
// Groups that are one, two and sixteen work-items wide: code for any local size runs the first ones without lanes.
// run: tile global=4,32 local=1,16 (in=int:range:128, out=int:zeros:128)
// run: tile global=4,32 local=2,8 (in=int:range:128, out=int:zeros:128)
// run: tile global=16,8 local=16,4 (in=int:range:128, out=int:zeros:128)
// run: tile global=5,7 local=5,7 (in=int:range:35, out=int:zeros:35)
// run: tile global=4,32 local=1,16 offset=2,1 (in=int:range:256, out=int:zeros:256)

// Sums of a column's neighbours, by way of local memory; a work-item at the group's edge leaves out what lies beyond.
kernel void tile(global const int *in, global int *out) {
  local int s[256];
  int x = get_global_id(0), y = get_global_id(1), l = get_local_id(0), m = get_local_id(1), w = get_local_size(0);
  int at = (y - get_global_offset(1)) * get_global_size(0) + x - get_global_offset(0);
  s[m * w + l] = in[at] * 3 + x;
  barrier(CLK_LOCAL_MEM_FENCE);
  int sum = s[m * w + l];
  if (m > 0) sum += 7 * s[(m - 1) * w + l];
  if (m + 1 < get_local_size(1)) sum += s[(m + 1) * w + l] / 2;
  barrier(CLK_LOCAL_MEM_FENCE);
  s[l * get_local_size(1) + m] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[at] = s[m * w + l] - y;
}
