// More numbers that are the same for all work-items than registers hold, used row after row of a group: loaded again where they are used,
// but never after they were overwritten.
// test: run
// run: multiplied global=16,4 local=16,4 (a=random:512:1, b=random:64:2, c=zeros:64)
// run: overwritten global=32,4 local=16,4 (a=random:512:3, b=random:64:4, c=zeros:128)
// run: constants global=16,8 local=16,4 (a=random:512:5, numbers=random:64:6, c=zeros:128)
#define FOUR(F, k) F(k) F(k + 1) F(k + 2) F(k + 3)
#define SIXTEEN(F, k) FOUR(F, k) FOUR(F, k + 4) FOUR(F, k + 8) FOUR(F, k + 12)
#define ALL(F) SIXTEEN(F, 0) SIXTEEN(F, 16) SIXTEEN(F, 32) SIXTEEN(F, 48)
#define MULTIPLY(k) sum[(k) % 8] += (row[(k) / 8] ^ (k)) * numbers[k];
kernel void multiplied(global const int *a, global const int *b, global int *c) {
  local int numbers[64];
  int at = get_local_id(1) * 16 + get_local_id(0);
  int sum[8] = {0}, row[8];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 8; j++)
      row[j] = a[(at * 5 + i * 8 + j) & 511];
    numbers[at] = b[(at + i) & 63];
    barrier(CLK_LOCAL_MEM_FENCE);
    ALL(MULTIPLY)
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[at] = sum[0] ^ sum[1] ^ sum[2] ^ sum[3] ^ sum[4] ^ sum[5] ^ sum[6] ^ sum[7];
}
// What was read before the barrier is used after it, while the work-items write to the same place.
#define READ(k) const int number_##k = numbers[k];
#define USE(k) sum = sum * number_##k + row;
#define NAMED(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11) F(12) F(13) F(14) F(15) F(16) F(17) F(18) F(19) \
  F(20) F(21) F(22) F(23) F(24) F(25) F(26) F(27) F(28) F(29) F(30) F(31) F(32) F(33) F(34) F(35) F(36) F(37) F(38) F(39)
kernel void overwritten(global const int *a, global const int *b, global int *c) {
  local int numbers[64];
  int at = get_local_id(1) * 16 + get_local_id(0);
  numbers[at] = b[at] + get_group_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  NAMED(READ)
  barrier(CLK_LOCAL_MEM_FENCE);
  int sum = 1;
  for (int i = 0; i < 3; i++) {
    int row = a[(at * 5 + i) & 511];
    NAMED(USE)
    numbers[(at + i * 16) & 63] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[get_group_id(0) * 64 + at] = sum ^ numbers[63 - at];
}
kernel void constants(global const int *a, constant int *numbers, global int *c) {
  int x = get_global_id(0), y = get_global_id(1);
  int sum[8] = {0}, row[8];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 8; j++)
      row[j] = a[(x * 5 + y * 80 + i * 8 + j) & 511];
    barrier(CLK_LOCAL_MEM_FENCE);
    ALL(MULTIPLY)
  }
  c[y * 16 + x] = sum[0] ^ sum[1] ^ sum[2] ^ sum[3] ^ sum[4] ^ sum[5] ^ sum[6] ^ sum[7];
}
