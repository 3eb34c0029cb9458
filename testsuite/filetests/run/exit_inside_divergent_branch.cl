// A loop whose only exit is a uniform branch inside a divergent one: work-items leave in different rounds, so the counter and
// what is counted are each one's own.
// test: run
// run: rounds global=4 local=4 (out=zeros:4, n=9) -> out=[0,2,1,0]
// run: counts global=4 local=4 (out=zeros:4, n=4) -> out=[3,2,2,3]
kernel void rounds(global int *out, int n) {
  int l = get_local_id(0), i = 0;
  for (;; i++)
    if ((i + l) % 3 == 0) {
      out[get_global_id(0)] = -1; // a side effect keeps the two branches apart
      if (n > 3) break;
    }
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[get_global_id(0)] = i;
}
kernel void counts(global int *out, int n) {
  int l = get_local_id(0), i = 0, c = 0;
  for (;; i++)
    if ((i + l) % 3 == 0) {
      out[get_global_id(0)] = -1;
      c++;
      if (i >= n) break;
    }
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[get_global_id(0)] = c;
}
