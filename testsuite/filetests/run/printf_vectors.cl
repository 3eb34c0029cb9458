// Vectors of every element size and of three elements.
// test: run
// run: show global=1 (f=[1,2,3,4])
// prints: |1,-2,3,-4|
// prints: |1,2,3|
// prints: |1.00,2.00,3.00,4.00|
// prints: |ff,1|
// prints: |1,2,3,4,5,6,7,8|
// prints: |   9,  10|9|
kernel void show(global const float *f) {
  printf("%v4hld\n", (int4)(1, -2, 3, -4));
  printf("%v3hlu\n", (uint3)(1, 2, 3));
  printf("%.2v4hlf\n", vload4(0, f));
  printf("%v2hhx\n", (uchar2)(255, 1));
  printf("%v8hd\n", (short8)(1, 2, 3, 4, 5, 6, 7, 8));
  printf("%4v2ld|%d\n", (long2)(9, 10), 9);
}
