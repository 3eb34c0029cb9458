// test: run
// run: geo global=1 local=1 (out=zeros:6) -> out=[32,5,-3,6,-3,5]
kernel void geo(global float *out) {
  float4 a = (float4)(1, 2, 3, 0), b = (float4)(4, 5, 6, 0);
  out[0] = dot(a, b);
  out[1] = length((float2)(3, 4));
  float4 c = cross(a, b);
  vstore3(c.xyz, 0, out + 2);
  out[5] = distance((float2)(0, 1), (float2)(3, 5));
}
