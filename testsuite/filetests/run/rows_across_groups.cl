// Groups of one and of five work-items, one row after another: nothing here tells a group from its neighbours, so that lanes may run
// through several of them.
// test: run
// run: scale global=37 local=1 (in=range:37, out=zeros:37) -> out=[1,4,7,10,13,16,19,22,25,28,31,34,37,40,43,46,49,52,55,58,61,64,67,70,73,76,79,82,85,88,91,94,97,100,103,106,109]
// run: scale global=40 local=5 offset=3 (in=range:43, out=zeros:43)
// run: plane global=10,6 local=5,2 (out=zeros:60)
// run: plane global=12,3 local=1,3 (out=zeros:36)
kernel void scale(global const int *in, global int *out) {
  size_t i = get_global_id(0);
  out[i] = 3 * in[i] + (int)get_local_size(0) / (int)get_local_size(0);
}

kernel void plane(global int *out) {
  int x = get_global_id(0), y = get_global_id(1);
  int steps = 0;
  for (int n = x + 1; n < 40; n += n & 3 ? n : 7)
    steps++;
  out[y * get_global_size(0) + x] = steps * 100 + (int)get_local_id(1) * 10 + (int)get_group_id(1);
}
