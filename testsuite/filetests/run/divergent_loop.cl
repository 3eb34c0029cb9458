// Each work-item runs its own number of rounds.
// test: run
// run: collatz global=16 local=8 (out=zeros:16) -> out=[0,0,1,7,2,5,8,16,3,19,6,14,9,9,17,17]
kernel void collatz(global int *out) {
  int i = get_global_id(0), n = i, steps = 0;
  while (n > 1) {
    n = n & 1 ? 3 * n + 1 : n / 2;
    steps++;
  }
  out[i] = steps;
}
