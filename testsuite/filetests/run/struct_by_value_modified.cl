// A by-value struct is private: each work-item changes its own copy.
// test: run
// run: modify global=4 local=4 (p=int[1,2,3,4], out=zeros:4) -> out=[11,12,13,14]
struct params { int v[4]; };
kernel void modify(struct params p, global int *out) {
  int i = get_global_id(0);
  p.v[i] += 10;
  int sum = 0;
  for (int k = 0; k < 4; k++)
    sum += p.v[k];
  out[i] = sum - 10 + 1 + i;
  p.v[0] = 1000;
}
