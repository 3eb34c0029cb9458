// The address of a private variable escapes through a call that stays a call where lanes are few, and lives across a
// barrier.
// test: run
// run: captured global=4 local=4 (out=zeros:4) -> out=[0,10,20,30]
void link(int **to, int *at) { *to = at; }
kernel void captured(global int *out) {
  int l = get_local_id(0), mine = l * 10, *p;
  link(&p, &mine);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = *p;
}
