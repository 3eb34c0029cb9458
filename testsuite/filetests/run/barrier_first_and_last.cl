// Barriers at the very beginning and the very end, and two in a row.
// test: run regions
// run: ends global=4 local=4 (out=zeros:4) -> out=[0,1,4,9]
kernel void ends(global int *out) {
  barrier(CLK_LOCAL_MEM_FENCE);
  int l = get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[l] = l * l;
  barrier(CLK_GLOBAL_MEM_FENCE);
}
