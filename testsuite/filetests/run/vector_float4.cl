// test: run args
// run: muladd global=2 local=1 (a=[1,2,3,4,5,6,7,8], k=(1,10,100,1000), out=zeros:8) -> out=[2,21,301,4001,6,61,701,8001]
kernel void muladd(global const float4 *a, float4 k, global float4 *out) {
  size_t i = get_global_id(0);
  out[i] = a[i] * k + (float4)(1.0f);
}
