// test: run
// An address that is a part of an id is computed before a barrier and used behind it, where nobody else asks for the index.
// run: kept global=64 local=32 (data=random:96:3, out=zeros:64, n=19)
// run: in_loop global=64 local=32 (data=random:96:3, out=zeros:64, n=19)

kernel void kept(global int *data, global int *out, uint n) {
  local int s[32];
  uint l = get_local_id(0);
  uint i = get_global_id(0);
  uint part = (i + 3u) % n;
  global int *at = &data[part + 1];
  s[l] = data[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  int v = *at;
  out[i] = v + s[31 - l];
}

kernel void in_loop(global int *data, global int *out, uint n) {
  local int s[32];
  uint l = get_local_id(0);
  uint i = get_global_id(0);
  uint part = (i + 3u) % n;
  int sum = 0;
  for (uint k = 0; k < 3; k++) {
    s[l] = data[part + k];
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += s[(l + k) & 31] ^ data[part];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[i] = sum;
}
