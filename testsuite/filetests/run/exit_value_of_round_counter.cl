// The last block of a loop that lanes leave in different rounds sends some of them out with the counter and some back with the
// next one.
// test: run
// width: any
// run: k global=8 local=8 (in=[1,5,2,0,3,9,4,1], out=zeros:8, log=zeros:64, n=3) -> out=[0,4,1,0,1,4,1,0]
kernel void k(global const int *in, global int *out, global int *log, int n) {
  int x = get_global_id(0);
  int i = 0, last, next;
  do {
    last = i;
    next = i * 3 + 1;
    if (n > next)
      log[next] = n;
    i = next;
  } while (in[x] > next);
  out[x] = last;
}
