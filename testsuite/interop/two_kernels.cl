// Two kernels of one program; the second takes one local size only.
kernel void first(global uint *out) { out[get_global_id(0)] = (uint)get_global_id(0) * 3u; }

kernel __attribute__((reqd_work_group_size(8, 1, 1))) void second(global const uint *in, global uint *out) {
  out[get_global_id(0)] = in[get_global_id(0)] + (uint)get_local_id(0) + (uint)get_local_size(0);
}
