// Conversions with flags, widths, precisions and lengths, in the order of the calls.
// test: run
// run: show global=1 (i=[-7,255,65,123456], f=[1.5,-0.25,1e10,100000])
// prints: |-7|   -7|-7   |-0007|+255|ff|0XFF|377|A|100%|
// prints: |1.500000|-2.500000e-01|1e+10|100000.00|0x1.8p+0|[    1.50]|
// prints: |123456789012|-1|65535|249|
// prints: |   10|5|-3|
// prints: |[text][  te][]|
// prints: |no newline twice|
kernel void show(global const int *i, global const float *f) {
  printf("%d|%5d|%-5d|%05d|%+d|%x|%#X|%o|%c|100%%\n", i[0], i[0], i[0], i[0], i[1], i[1], i[1], i[1], (char)i[2]);
  printf("%f|%e|%g|%.2f|%a|[%8.2f]\n", f[0], f[1], f[2], f[3], f[0], f[0]);
  printf("%ld|%d|%hu|%hhu\n", 123456789012L, -1, (ushort)-1, (uchar)i[0]);
  printf("%5zd|%zu|%td\n", (size_t)10, (size_t)5, (ptrdiff_t)-3);
  printf("[%s][%4.2s][%s]\n", "text", "text", "");
  printf("no newline");
  printf(" twice\n");
}
