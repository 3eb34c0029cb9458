// test: run
// run: vol global=8 local=4 (a=range:8) -> a=[1,2,3,4,5,6,7,8]
kernel void vol(volatile global int *a) {
  int i = get_global_id(0);
  a[i] = a[i] + 1;
}
