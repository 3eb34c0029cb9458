// Values of many types live across a barrier, all of which 32-bit devices know.
// test: run
// run: across global=12 local=6 (out=zeros:12)
kernel void across(global float *out) {
  local int dummy[6];
  int g = get_global_id(0), l = get_local_id(0);
  char c = g * 3;
  ulong2 d = (ulong2)(g, g + 1ul << 33);
  float3 v = (float3)(g, g + 1, g + 2);
  long8 w = (long8)(g);
  bool b = (g & 3) == 1;
  dummy[l] = g;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[g] = c + (float)(d.y >> 33) + v.z + w.s7 + (b ? 1000 : 0) + dummy[5 - l];
}
