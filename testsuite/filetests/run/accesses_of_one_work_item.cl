// Neighbouring accesses of one work-item with another between them that may be to the same place: their order stays.
// test: run
// run: stores global=32 local=32 (data=zeros:64, k=0)
// run: stores global=32 local=32 (data=zeros:64, k=1)
// run: loads global=64 local=32 (in=range:128, out=zeros:128, same=zeros:128)
// run: private_array global=32 local=16 (in=range:32, out=zeros:128)
kernel void stores(global int *data, int k) {
  int i = get_global_id(0);
  data[2 * i] = i + 5;
  int read = data[2 * i + k];
  data[2 * i + 1] = read + 1;
}

kernel void loads(global int *in, global int *out, global int *same) {
  int i = get_global_id(0);
  int first = in[2 * i];
  global int *to = same[i] ? out : in;
  to[2 * i + 1] = first * 3;
  int second = in[2 * i + 1];
  out[2 * i] = first;
  out[2 * i + 1] = second;
}

// The array is memory of each work-item, for it lives across a barrier.
kernel void private_array(global const int *in, global int *out) {
  int i = get_global_id(0), l = get_local_id(0), v = in[i];
  int a[4] = {v, 2, l, 3};
  a[1] = a[v & 3] - v < v ? i * l : i;
  a[v & 3] = l;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int n = 0; n < 4; n++)
    out[4 * i + n] = a[n];
}
