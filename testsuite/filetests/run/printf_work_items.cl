// Every active work-item prints, in divergent control flow, in helpers and around barriers.
// test: run
// run: show global=10 local=5 (out=zeros:10)
// prints: |odd 1|
// prints: |odd 3|
// prints: |odd 5|
// prints: |odd 7|
// prints: |odd 9|
// prints: |group 0 sees 4|
// prints: |group 1 sees 9|
void tell(int i) { printf("odd %d\n", i); }
kernel void show(global int *out) {
  local int last;
  int i = get_global_id(0);
  if (i & 1)
    tell(i);
  if (get_local_id(0) == 4)
    last = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0)
    out[i] = printf("group %d sees %d\n", (int)get_group_id(0), last);
}
