// What a loop with barriers had in its last round, used behind the loop beside what the round made of it.
// test: run
// run: last global=8 local=8 (out=zeros:16, tile=local:32, n=1)
// run: last global=8 local=8 (out=zeros:16, tile=local:32, n=3)
// run: last global=16 local=4 (out=zeros:32, tile=local:16, n=4)
// run: both global=8 local=8 (out=zeros:16, tile=local:32, n=3)
kernel void last(global int *out, local int *tile, int n) {
  int l = get_local_id(0), x = l * 7 + 1, before, i = 0;
  do {
    tile[l] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    before = x;
    x = x * 3 + tile[l ^ 1];
    barrier(CLK_LOCAL_MEM_FENCE);
  } while (++i < n);
  out[get_global_id(0)] = before;
  out[get_global_id(0) + get_global_size(0)] = x;
}

// Two values that change places from round to round.
kernel void both(global int *out, local int *tile, int n) {
  int l = get_local_id(0), x = l, y = 100 - l * l, i = 0;
  do {
    tile[l] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    int next = y + tile[(l + 1) % get_local_size(0)];
    y = x;
    x = next;
    barrier(CLK_LOCAL_MEM_FENCE);
  } while (++i < n);
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[get_global_id(0)] = y;
  out[get_global_id(0) + get_global_size(0)] = x;
}
