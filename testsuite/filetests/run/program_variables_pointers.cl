// Initial values that point to variables, to constants, into arrays, and around in a circle.
// test: run
// options: -cl-std=CL3.0
// run: follow global=3 (out=zeros:15) -> out=[10,11,12, 20,20,20, 13,13,13, 7,7,7, 1,1,1]
global int numbers[4] = {10, 11, 12, 13};
global int *global last = &numbers[3];
constant int seven = 7;
constant int *global to_constant = &seven;
global int *constant first = numbers;
typedef struct node {
  int value;
  global struct node *next;
} node;
extern global node b;
global node a = {1, &b};
global node b = {20, &a};
kernel void follow(global int *out) {
  int i = get_global_id(0);
  out[i] = first[i];
  out[3 + i] = a.next->value;
  out[6 + i] = *last;
  out[9 + i] = *to_constant;
  out[12 + i] = a.next->next->value;
}
