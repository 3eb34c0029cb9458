// Neighbouring accesses of one work-item with another between them that may be to the same place: their order stays.
// test: run
// run: stores global=32 local=32 (data=zeros:64, k=0)
// run: stores global=32 local=32 (data=zeros:64, k=1)
// run: loads global=64 local=32 (in=range:128, out=zeros:128, same=zeros:128)
// run: private_array global=32 local=16 (in=range:32, out=zeros:128)
// run: neighbours_at_arguments global=32 local=16 (data=range:96, b=1, c=1, d=1)
// run: neighbours_at_arguments global=32 local=16 (data=range:96, b=0, c=64, d=32)
// run: rows_of_neighbours global=32 local=16 (data=range:512, row=32)
// run: rows_of_neighbours global=32 local=16 (data=range:512, row=0)
// run: rows_with_gaps global=32 local=16 (data=range:640, row=64)
// run: rows_with_gaps global=32 local=16 (data=range:640, row=0)
kernel void stores(global int *data, int k) {
  int i = get_global_id(0);
  data[2 * i] = i + 5;
  int read = data[2 * i + k];
  data[2 * i + 1] = read + 1;
}

kernel void loads(global int *in, global int *out, global int *same) {
  int i = get_global_id(0);
  int first = in[2 * i];
  global int *to = same[i] ? out : in;
  to[2 * i + 1] = first * 3;
  int second = in[2 * i + 1];
  out[2 * i] = first;
  out[2 * i + 1] = second;
}

// The array is memory of each work-item, for it lives across a barrier.
kernel void private_array(global const int *in, global int *out) {
  int i = get_global_id(0), l = get_local_id(0), v = in[i];
  int a[4] = {v, 2, l, 3};
  a[1] = a[v & 3] - v < v ? i * l : i;
  a[v & 3] = l;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int n = 0; n < 4; n++)
    out[4 * i + n] = a[n];
}

// Where the row is 0, all rounds of the loop are to one place.
kernel void rows_of_neighbours(global int *data, int row) {
  int i = (int)get_global_id(0);
  for (int n = 0; n < 16; n++) {
    int at = n * row + i;
    data[at] = 3 * data[at] + n;
  }
}

// Every second place is an item's own; the rounds of the loop are to one place, or to the next as well.
kernel void rows_with_gaps(global int *data, int row) {
  int i = (int)get_global_id(0);
  for (int n = 1; n < 9; n++) {
    int at = n * row + 2 * i;
    data[at] = 3 * data[at] + n;
    data[at + 1] = data[at + 1 - row] - n;
  }
}

// All places are one where the arguments are the same.
kernel void neighbours_at_arguments(global int *data, int b, int c, int d) {
  int i = (int)get_global_id(0);
  data[i + b] = i + 5;
  int read = data[i + c];
  data[i + d] = 3 * read;
}
