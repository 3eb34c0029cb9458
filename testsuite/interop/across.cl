// Values of every work-item live across a barrier in a group of 4096.
kernel void across(global const uint *in, global ulong *out, local uint *shared) {
  size_t item = get_local_id(0);
  uint mine = in[get_global_id(0)] * 3u + 1u;
  ulong4 wide = (ulong4)(mine, item, mine + item, mine * 5ul);
  shared[item] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint other = shared[get_local_size(0) - 1 - item];
  out[get_global_id(0)] = mine + other * 7ul + wide.x + wide.y * 3ul + wide.z * 5ul + wide.w;
}
