// A barrier behind the result of a loop with two exits, which is the same for all work-items.
// test: run
// options: -cl-std=CL3.0
// run: k global=64 local=16 (in=[0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0], out=zeros:64, n=3) -> out=[3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3]
int h0(int a, int b) { for (int i = 0; i < a; i++) if (b > i) return i; return b; }
kernel void k(global const int *in, global int *out, int n) {
  int i = 0;
  do {
    if (h0(in[1], in[2]) == 7) barrier(CLK_LOCAL_MEM_FENCE);
    int x = work_group_scan_inclusive_add(in[get_global_id(0)]);
  } while (++i < n);
  out[get_global_id(0)] = i;
}
