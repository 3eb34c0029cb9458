// A value that lives across a barrier at the largest work-group; too large for one thread an item, so it checks itself.
// test: run regions
// targets: cpu
// run: across global=4096 local=4096 (out=all:9:4096) -> out=all:0
// run: across global=8192 local=4096 (out=all:9:8192) -> out=all:0
int hash(int x) { return x * 2654435761u >> 7; }
kernel void across(global int *out) {
  local int flag[4096];
  int g = get_global_id(0), l = get_local_id(0);
  int h = hash(g + out[g]);
  flag[l] = h ^ l;
  barrier(CLK_LOCAL_MEM_FENCE);
  int other = g - l + 4095 - l;
  out[g] = h + flag[4095 - l] - (hash(g + 9) + (hash(other + 9) ^ (4095 - l)));
}
