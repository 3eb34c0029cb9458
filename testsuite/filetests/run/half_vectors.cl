// test: run
// Vectors of half: loads and stores of each width, operators, swizzles, geometry, choice, shuffles, local memory, arguments by value.
// run: vectors global=64 local=16 (in=random:1024:3, out=zeros:1024, scale=0.5, offset=(1,2,3,4))
// run: across global=64 local=16 (in=random:64:9, out=zeros:64)
// run: async global=64 local=16 (in=random:128:9, out=zeros:128, tile=local:64)
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
// Some processors fuse products and sums of halves, others cannot.
#pragma OPENCL FP_CONTRACT OFF

kernel void vectors(global const half *in, global half *out, half scale, half4 offset) {
  int g = get_global_id(0);
  half16 all = vload16(g, in);
  half8 upper = all.odd * scale;
  half4 four = vload4(0, in + g * 16) + offset;
  half3 three = vload3(0, in + g * 16 + 4);
  half2 two = four.zx - three.xy;
  upper.lo = select(four, upper.hi, isless(four, upper.hi));
  upper.s7 = dot(four, offset) + length(three) + distance(two, four.xy);
  three = normalize(three) + cross(three, four.xyz);
  two = shuffle(four, (ushort2)(3, 1)) + fmax(two, scale);
  vstore8(upper, 0, out + g * 16);
  vstore3(three, 0, out + g * 16 + 8);
  vstore2(two, 0, out + g * 16 + 12);
  out[g * 16 + 11] = as_half(bitselect(as_ushort(two.x), as_ushort(two.y), (ushort)0x00ff));
  out[g * 16 + 14] = any(isgreater(four, offset)) ? 1.0h : -1.0h;
  out[g * 16 + 15] = (half)convert_int_sat_rte(all.s3 * 100.0h);
}

kernel void across(global const half *in, global half *out) {
  local half tile[16];
  int l = get_local_id(0);
  half kept = in[get_global_id(0)];
  half2 pair = (half2)(kept, kept + 1.0h);
  tile[l] = kept;
  barrier(CLK_LOCAL_MEM_FENCE);
  half sum = 0.0h;
  for (int i = 0; i <= l; i++)
    sum += tile[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  tile[15 - l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = tile[l] * pair.y - kept;
}

kernel void async(global const half2 *in, global half2 *out, local half2 *tile) {
  event_t e = async_work_group_copy(tile, in + get_group_id(0) * 16, 16, 0);
  wait_group_events(1, &e);
  out[get_global_id(0)] = tile[15 - get_local_id(0)] * (half2)(2.0h, -1.0h);
}
