// A private array behind a barrier in a loop whose count only looks divergent: the one region continues in itself.
// test: run
// width: 1
// run: later global=4 local=4 (rounds=[5,5,5,5], out=zeros:4) -> out=[3,6,9,12]
kernel void later(global const int *rounds, global int *out) {
  int l = get_local_id(0), g = get_global_id(0), sum = 0, w[4];
  for (int i = 0; i < rounds[g]; i++) {
    barrier(CLK_LOCAL_MEM_FENCE);
    w[i & 3] = (l + 1) * (i + 1);
    if (i >= 3)
      sum += w[(i - 3) & 3];
  }
  out[g] = sum;
}
