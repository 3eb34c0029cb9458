// Neighbouring work-items write neighbouring bytes.
// test: run
// run: bytes global=16 local=8 (out=zeros:16) -> out=[0,3,6,9,12,15,18,21,24,27,30,33,36,39,42,45]
#ifndef cl_khr_byte_addressable_store
#error
#endif
kernel void bytes(global uchar *out) {
  size_t i = get_global_id(0);
  out[i] = i * 3;
}
