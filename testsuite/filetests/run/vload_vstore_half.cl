// test: run
// run: halves global=2 local=2 (in=float[1,-2.5,65504,0.333333], out=zeros:4, bits=zeros:4) -> out=[1,-2.5,65504,0.333251953125]
kernel void halves(global const float *in, global float *out, global ushort *bits) {
  size_t i = get_global_id(0);
  vstore_half2(vload2(i, in), i, (global half *)bits);
  vstore2(vload_half2(i, (global const half *)bits), i, out);
}
