// Initial values that point into variables, into structures and arrays of arrays.
// test: run
// options: -cl-std=CL3.0
// run: follow global=2 (out=zeros:14) -> out=[12,12, 13,13, 7,7, 3,4, 22,22, 6,6, 98,98]
typedef struct {
  int first;
  char bytes[8];
  int rows[2][2];
} parts;
global int numbers[4] = {10, 11, 12, 13};
global int *global third = &numbers[2];
global int *global two[2] = {&numbers[3], numbers};
constant int table[2][2] = {{9, 8}, {7, 6}};
constant int *constant into = &table[1][0];
constant parts made = {5, "abcdefg", {{1, 2}, {3, 4}}};
constant int *constant row = made.rows[1];
constant char *constant byte = &made.bytes[1];
typedef struct {
  constant int *a;
  constant int *b;
  int c;
} pair;
constant pair both = {&table[1][1], table[0], 22};
kernel void follow(global int *out) {
  int i = get_global_id(0);
  out[i] = *third;
  out[2 + i] = *two[0];
  out[4 + i] = *into;
  out[6 + i] = row[i];
  out[8 + i] = both.c;
  out[10 + i] = *both.a;
  out[12 + i] = *byte;
}
