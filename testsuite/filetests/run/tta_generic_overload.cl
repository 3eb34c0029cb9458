// From OpenCL C 2.0 on, vload and vstore of a private pointer are those of the generic address space. Once they are inlined their
// address is known to be private: processors whose address spaces are memories of their own can run them.
// test: run
// width: any
// options: -cl-std=CL3.0
// run: overload global=4 local=2 (in=[3,0,2,1], out=zeros:12) -> out=[3,-4,12,0,-1,12,2,-3,12,1,-2,12]
kernel void overload(global const int *in, global int *out) {
  size_t g = get_global_id(0);
  int t[12];
  for (int i = 0; i < 12; i++) t[i] = i;
  vstore3((int3)(-1 - in[g], 12, t[in[g]]), (in[g] + 1) % 4, t);
  int3 v = vload3((in[g] + 1) % 4, t);
  vstore3((int3)(t[3 * in[g] + 1] - 3 * in[g] - 1 + v.z, v.x, v.y), g, out);
}
