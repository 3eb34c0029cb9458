// Two cases of a switch lead to the same place with a value that is read again there: they bring the same value.
// test: run
// width: any
// run: k global=4 local=2 (out=zeros:4, n=0, m=1) -> out=[7,7,7,7]
kernel void k(global int *out, int n, uint m) {
  int g = get_global_id(0);
  int x = 7;
  for (int i = 0; i < n; i++) {
    switch (m) {
    case 8:
    case 2:
    default:
      if (g > 2 || out[g] > 3)
        break;
      x >>= i & 7;
    case 3:
    case 1:
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
  out[g] = x;
}
