// A flag that is constant on each way out of a loop: one way is divergent (break), the other uniform (i < n). Work-items come
// to the exit in different rounds, so the flag is each one's own.
// test: run
// run: flag global=8 local=8 (in=[1,3,5,7], out=zeros:8, n=4) -> out=[0,1,0,1,0,1,0,1]
// run: pick global=8 local=8 (in=[0,2,4,6], out=zeros:8, n=4, a=10, b=20) -> out=[10,20,10,20,10,20,10,20]
// run: two global=8 local=4 (in=[1,3,5,7], out=zeros:8, n=4) -> out=[0,1,0,1,0,1,0,1]
kernel void flag(global const int *in, global int *out, int n) {
  int g = get_global_id(0), found = 0;
  for (int i = 0; i < n; i++)
    if (in[i] == g) { found = 1; break; }
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[g] = found;
}
kernel void pick(global const int *in, global int *out, int n, int a, int b) {
  int g = get_global_id(0), v = b;
  for (int i = 0; i < n; i++)
    if (in[i] == g) { v = a; break; }
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[g] = v;
}
// The flag decides work (not a barrier) behind a barrier: the group must not decide.
kernel void two(global const int *in, global int *out, int n) {
  local int t[4];
  int g = get_global_id(0), l = get_local_id(0), ok = 0;
  for (int i = 0; i < n; i++)
    if (in[i] == g) { ok = 1; break; }
  t[l] = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (ok) out[g] = t[l ^ 1];
  barrier(CLK_LOCAL_MEM_FENCE);
}
