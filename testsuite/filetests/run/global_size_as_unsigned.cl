// Sizes cut to 32 bits, next to ids that are: as unsigned they may be 2^31, so nothing may be concluded from their sign.
// test: run
// run: k global=8 local=4 (out=zeros:8) -> out=[16,17,18,19,20,21,22,23]
kernel void k(global uint *out) {
  uint n = (uint)get_global_size(0);
  int g = get_global_id(0);
  out[g] = n + g + ((int)n < 0 ? 100u : (uint)get_num_groups(0) * 4u);
}
