// Two kernels in one program, sharing a helper.
// test: run
// run: square global=4 local=2 (a=[1,2,3,4]) -> a=[1,4,9,16]
// run: cube global=4 local=2 (a=[1,2,3,4]) -> a=[1,8,27,64]
int power(int x, int n) {
  int r = 1;
  for (int i = 0; i < n; i++)
    r *= x;
  return r;
}
kernel void square(global int *a) { a[get_global_id(0)] = power(a[get_global_id(0)], 2); }
kernel void cube(global int *a) { a[get_global_id(0)] = power(a[get_global_id(0)], 3); }
