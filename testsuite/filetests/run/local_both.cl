// Automatic locals of three types beside a local argument: order and sizes of the hidden arguments matter.
// test: run args
// run: both global=8 local=4 (out=zeros:8, extra=local:16)
kernel void both(global int *out, local int *extra) {
  local char bytes[5];
  local long longs[4];
  local int one;
  int l = get_local_id(0);
  extra[l] = l;
  bytes[l] = l + 1;
  longs[l] = l * 3;
  if (l == 0) {
    one = get_group_id(0) * 100;
    bytes[4] = 7;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = extra[3 - l] + bytes[(l + 1) % 4] + longs[3 - l] + one + bytes[4];
}
