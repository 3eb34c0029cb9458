// test: run
// run: early global=12 local=4 (out=zeros:12, n=7) -> out=[1,2,3,4,5,6,7,0,0,0,0,0]
kernel void early(global int *out, int n) {
  int i = get_global_id(0);
  if (i >= n)
    return;
  out[i] = i + 1;
}
