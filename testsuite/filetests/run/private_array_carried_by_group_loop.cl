// A private array that one region uses only, which the group enters again and again: what a work-item stored three
// rounds ago is its own.
// test: run regions
// run: window global=4 local=4 (out=zeros:4, tile=local:16, n=5) -> out=[3,6,9,12]
kernel void window(global int *out, local int *tile, int n) {
  int l = get_local_id(0), w[4], sum = 0;
  for (int i = 0; i < n; i++) {
    w[i & 3] = (l + 1) * (i + 1);
    if (i >= 3)
      sum += w[(i - 3) & 3]; // written three rounds ago by this work-item
    tile[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = sum;
}
