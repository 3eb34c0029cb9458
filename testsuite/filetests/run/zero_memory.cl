// Memory that is zero at first, for contexts that ask for it: variables of functions and of loops, and local memory, of variables
// and of arguments, before each work-group.
// test: run
// options: -oxcl-zero-local -oxcl-zero-private
// bits: 64, no 32-bit device clears local memory
// run: items global=8 local=4 (out=random:8:3, n=5) -> out=[0,0,0,0,0,0,0,0]
// run: groups global=16 local=4 (out=random:16:5, given=local:64) -> out=[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]
struct mixed { char c; int i[3]; float4 f; };
int helper(int i) {
  int own[9];
  for (int k = 0; k < 9; k += 2) own[(k + i) % 9] += 0;
  return own[i % 9] + own[(i + 1) % 9];
}
kernel void items(global int *out, int n) {
  int scalar, table[16];
  float4 vector;
  struct mixed mixed;
  int g = get_global_id(0), sum = scalar + table[g] + (int)vector.y + mixed.c + mixed.i[g % 3] + (int)mixed.f.w;
  for (int i = 0; i < n; i++) {
    int fresh[4];
    sum += fresh[(g + i) & 3];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[g] = sum + helper(g) + table[15 - g];
}
kernel void groups(global int *out, local int *given) {
  local int own[8];
  local float4 wide;
  int l = get_local_id(0), g = get_global_id(0);
  out[g] = own[l] + own[l + 4] + given[l] + given[15 - l] + (int)wide.z;
  barrier(CLK_LOCAL_MEM_FENCE);
  own[l] = own[l + 4] = given[l] = given[15 - l] = 1 + g;
  if (l == 0) wide = (float4)(7);
}
