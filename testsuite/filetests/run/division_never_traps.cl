// Division by zero and the one overflow have no defined value, but the host must live.
// test: run
// targets: cpu ref
// run: divide global=4 local=4 (a=int[7,-2147483648,5,9], b=int[0,-1,2,3], out=zeros:4, q=zeros:2) -> q=[2,3]
kernel void divide(global const int *a, global const int *b, global int *out, global int *q) {
  int i = get_global_id(0);
  out[i] = a[i] / b[i] + a[i] % b[i];
  if (i >= 2)
    q[i - 2] = a[i] / b[i];
}
// compare: q
