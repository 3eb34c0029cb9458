// A helper that is not inlined when divisions are guarded is guarded all the same.
// test: run
// targets: cpu ref
// run: divide global=4 local=4 (a=int[7,-2147483648,5,9], b=int[0,-1,2,3], out=zeros:4, q=zeros:2) -> q=[2,3]
int quotient(int a, int b) { return a / b; }
int rest(int a, int b) { return a % b; }
kernel void divide(global const int *a, global const int *b, global int *out, global int *q) {
  int i = get_global_id(0);
  out[i] = quotient(a[i], b[i]) + rest(a[i], b[i]);
  if (i >= 2)
    q[i - 2] = quotient(a[i], b[i]);
}
// compare: q
