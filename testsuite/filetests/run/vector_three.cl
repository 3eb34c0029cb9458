// A three-component vector takes the room of four; vload3 and vstore3 do not.
// test: run args
// run: three global=2 local=2 (in=[1,2,3,4,5,6], k=(10,20,30), out=zeros:6, wide=zeros:8) -> out=[11,22,33,14,25,36], wide=[2,4,6,0,8,10,12,0]
kernel void three(global const float *in, float3 k, global float *out, global float3 *wide) {
  size_t i = get_global_id(0);
  float3 v = vload3(i, in);
  vstore3(v + k, i, out);
  wide[i].xyz = v * 2;
}
