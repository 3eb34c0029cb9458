// In and out are the same buffer's neighbours: no false independence.
// test: run
// run: shift global=1 local=1 (a=[1,2,3,4,5,6,7,8]) -> a=[1,1,1,1,1,1,1,1]
kernel void shift(global int *a) {
  for (int i = 1; i < 8; i++)
    a[i] = a[i - 1];
}
