// test: run
// bits: 64, results are denormal
// run: far global=1 local=1 (in=float[5.57750916e18,1.68081911e-22,-7.21115e18,601.181,8.11523e-22,0,3.0e38,3.0e38,-3.0e38,3.0e38,1.0e-40,0,0,1.0e-40], out=zeros:8) -> out=[1,1,1,1,1,1,1,1]
// Components that differ by so much that the small ones of the result are denormal: they have all the bits that such
// numbers can have, whatever the vector was scaled by on the way.
int near(float have, double want) { return fabs((double)have - want) <= 2 * 0x1p-149 + fabs(want) * 0x1p-21; }
kernel void far(global const float *in, global int *out) {
  float2 a = normalize((float2)(in[0], in[1]));
  double la = sqrt((double)in[0] * in[0] + (double)in[1] * in[1]);
  out[0] = near(a.x, in[0] / la);
  out[1] = near(a.y, in[1] / la);
  float3 b = normalize((float3)(in[2], in[3], in[4]));
  double lb = sqrt((double)in[2] * in[2] + (double)in[3] * in[3] + (double)in[4] * in[4]);
  out[2] = near(b.x, in[2] / lb) && near(b.y, in[3] / lb);
  out[3] = near(b.z, in[4] / lb);
  float4 c = normalize((float4)(in[6], in[7], in[8], in[9]));
  out[4] = near(c.x, 0.5) && near(c.y, 0.5) && near(c.z, -0.5) && near(c.w, 0.5);
  float2 d = normalize((float2)(in[10], in[13]));
  out[5] = near(d.x, M_SQRT1_2) && near(d.y, M_SQRT1_2);
  float2 e = normalize((float2)(INFINITY, in[0]));
  out[6] = e.x == 1 && e.y == 0;
  double4 f = normalize((double4)(1.0e308 * (in[9] / 3.0e38f)));
  out[7] = f.x > 0.49999999 && f.x < 0.50000001 && f.w == f.x;
}
