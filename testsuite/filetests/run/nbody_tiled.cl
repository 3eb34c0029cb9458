// test: run
// Who looks stands outside of the cloud, so that no terms of both signs are added: rsqrt and fused operations may differ by a unit.
// ulp: 16
// run: nbody global=32 local=8 (pos=random:128:12, acc=zeros:128, n=32)
kernel void nbody(global const float4 *pos, global float4 *acc, int n) {
  local float4 tile[8];
  int g = get_global_id(0), l = get_local_id(0);
  float4 me = pos[g] - 2.0f, sum = 0;
  for (int base = 0; base < n; base += 8) {
    tile[l] = pos[base + l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 8; k++) {
      float4 d = tile[k] - me;
      float r = rsqrt(d.x * d.x + d.y * d.y + d.z * d.z + 0.01f);
      sum.xyz += d.xyz * (tile[k].w * r * r * r);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  acc[g] = sum;
}
