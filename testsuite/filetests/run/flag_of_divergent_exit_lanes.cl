// The same among the lanes of a row, without a barrier: the PHI node at the exit is a vector.
// test: run
// run: flag global=16 local=16 (in=[1,3,5,7], out=zeros:16, n=4) -> out=[0,1,0,1,0,1,0,1,0,0,0,0,0,0,0,0]
kernel void flag(global const int *in, global int *out, int n) {
  int g = get_global_id(0), found = 0;
  for (int i = 0; i < n; i++)
    if (in[i] == g) { found = 1; break; }
  out[g] = found;
}
