// A kernel may be called like a function.
// test: run
// run: outer global=4 local=2 (a=[1,2,3,4]) -> a=[3,5,7,9]
kernel void inner(global int *a) { a[get_global_id(0)] *= 2; }
kernel void outer(global int *a) {
  inner(a);
  a[get_global_id(0)] += 1;
}
