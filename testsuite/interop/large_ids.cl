// Global ids of 2^31 and more, cut to 32 bits: signed ones change their sign from 2^31 on.
kernel void large_ids(global long *out) {
  int x = get_global_id(0);
  uint y = get_global_id(1);
  size_t place = (get_global_id(1) - get_global_offset(1)) * get_global_size(0) + get_global_id(0) - get_global_offset(0);
  out[2 * place] = x;
  out[2 * place + 1] = y + 1;
}
