// `restrict` of a helper with a barrier, whose pointers change places from round to round.
// test: run
// run: pingpong global=4 local=4 (out=zeros:4) -> out=[5,6,7,8]
void move(local int *restrict to, local const int *restrict from) {
  int l = get_local_id(0);
  to[l] = from[0] + l + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
}
kernel void pingpong(global int *out) {
  local int a[4], b[4];
  local int *from = a, *to = b;
  int l = get_local_id(0);
  a[l] = l + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < 4; i++) {
    move(to, from);
    local int *t = from; from = to; to = t;
  }
  out[get_global_id(0)] = from[l];
}
