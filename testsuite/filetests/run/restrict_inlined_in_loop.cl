// `restrict` of an inlined helper holds for one call only: each round reads what the round before wrote.
// test: run
// run: chain global=1 local=1 (a=[1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0], n=16) -> a=[1,4,13,40,121,364,1093,3280,9841,29524,88573,265720,797161,2391484,7174453,21523360,64570081]
__attribute__((always_inline)) void step(global int *restrict to, global const int *restrict from) { *to = *from * 3 + 1; }
kernel void chain(global int *a, int n) {
  for (int i = 0; i < n; i++)
    step(a + i + 1, a + i);
}
