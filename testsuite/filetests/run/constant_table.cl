// A table in constant memory at program scope.
// test: run
// run: table global=6 local=3 (out=zeros:6) -> out=[2,3,5,7,11,13]
constant int primes[6] = {2, 3, 5, 7, 11, 13};
kernel void table(global int *out) {
  int i = get_global_id(0);
  out[i] = primes[i];
}
