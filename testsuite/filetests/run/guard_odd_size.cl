// The usual guard of a padded launch.
// test: run
// run: guard global=16 local=8 (a=range:13, out=int[-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1], n=13) -> out=[0,1,4,9,16,25,36,49,64,81,100,121,144,-1,-1,-1]
kernel void guard(global const int *a, global int *out, int n) {
  int i = get_global_id(0);
  if (i < n)
    out[i] = a[i] * a[i];
}
