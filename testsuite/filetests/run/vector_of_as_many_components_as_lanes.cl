// A vector that a loop keeps, of as many components as there are lanes: a constant that replaces it is not a row of lanes.
// test: run
// width: any
// run: four global=4 local=4 (out=zeros:4) -> out=[14,14,14,14]
// run: eight global=16 local=8 (out=zeros:16) -> out=[9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9]
kernel void four(global uint *out) {
  int4 v = (int4)((int)get_global_id(0));
  #pragma unroll 1
  for (uint i = 0; i < 1; ++i)
    v = (int4)(0, 1, 1, 2);
  out[get_global_id(0)] = ((v.x * 3 + v.y) * 3 + v.z) * 3 + v.w;
}

kernel void eight(global uint *out) {
  short8 v = (short8)((short)get_global_id(0));
  #pragma unroll 1
  for (uint i = 0; i < 1; ++i)
    v = (short8)(1, 0, 0, 0, 0, 2, 0, 3);
  out[get_global_id(0)] = v.s0 + v.s5 + v.s7 * 2;
}
