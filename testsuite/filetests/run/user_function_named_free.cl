// A function of the program has the name of one of the C library, which the launcher calls where scratch is large.
// test: run
// run: k global=4 local=4 (heap=[1,2,3,4], out=zeros:4) -> out=[1,2,3,4], heap=[0,0,0,0]
__attribute__((noinline)) void free(global int *p) { *p = 0; }
kernel void k(global int *heap, global int *out) {
  int g = get_global_id(0), v = heap[g] * heap[g] / heap[g];
  barrier(CLK_GLOBAL_MEM_FENCE);
  free(heap + g);
  out[g] = v;
}
