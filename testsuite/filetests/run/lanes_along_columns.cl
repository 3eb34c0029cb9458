// test: run
// options: -cl-std=CL2.0
// Work-items of a column access neighbours in memory, those of a row do not: where the local size is known lanes run along columns.
// run: eliminate global=24,32 local=8,16 (a=random:1024:3, m=random:1024:5, n=32, t=3)
// run: eliminate global=24,32 local=4,32 (a=random:1024:3, m=random:1024:5, n=32, t=0)
// run: eliminate global=24,32 local=24,1 (a=random:1024:3, m=random:1024:5, n=32, t=0)
// run: eliminate global=32,32 local=16,16 (a=random:1024:3, m=random:1024:5, n=32, t=9)
// run: copied global=16,48 local=16,16 (in=range:768, out=zeros:768)
// run: copied global=15,34 local=3,17 (in=range:768, out=zeros:768)
// run: copied global=15,34 local=4,32 (in=range:768, out=zeros:768)
// run: turned global=16,48 local=16,16 (in=range:768, out=zeros:768)
// run: turned global=10,80 local=5,40 (in=range:800, out=zeros:800)
// run: volumes global=5,40,3 local=5,8,3 (in=random:600:3, out=zeros:600)
// run: volumes global=5,48,2 local=1,48,1 offset=0,2,1 (in=random:900:3, out=zeros:900)
// run: says global=6,32,2 local=2,16,1 offset=3,5,1 (out=zeros:4608)
// run: says global=5,40,2 local=2,16,1 offset=3,5,1 (out=zeros:4800)
// run: bytes global=9,64 local=3,32 (in=uchar[5,4,3,2,1,9,8,7,6,5,4,3,2,1,0,7,8,9,1,2,3,4,5,6,7,8,9,1,1,2,3,5,8,13,21,34,55,89,144,233,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24], out=zeros:640)

kernel void eliminate(global int *a, global const int *m, int n, int t) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= n - 1 - t || y >= n - t) return;
  a[n * (x + 1 + t) + y + t] -= m[n * (x + 1 + t) + t] * a[n * t + y + t];
}

kernel void copied(global const int *in, global int *out) {
  size_t at = get_global_id(0) * get_global_size(1) + get_global_id(1);
  out[at] = in[at];
}

kernel void turned(global const int *in, global int *out) {
  size_t x = get_global_id(0), y = get_global_id(1);
  int v = in[y * get_global_size(0) + x];
  for (int i = 0; i < (int)(y & 3); i++) v += in[x * get_global_size(1) + y] ^ i;
  out[x * get_global_size(1) + y] = v;
}

kernel void volumes(global const int *in, global int *out) {
  size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
  size_t z = get_global_id(2) - get_global_offset(2);
  size_t at = (z * get_global_size(0) + x) * get_global_size(1) + y;
  out[at] = in[at] + (y > 0 ? 2 * in[at - 1] : 7);
}

// What a kernel may ask for, but for the linear ids.
kernel void says(global int *out) {
  size_t x = get_global_id(0) - 3, y = get_global_id(1) - 5, z = get_global_id(2) - 1;
  global int *to = out + ((z * get_global_size(0) + x) * get_global_size(1) + y) * 9;
  global int *row = out + (z * get_global_size(0) + x) * get_global_size(1) + y;
  to[0] = get_local_id(0) + 10 * get_local_id(1);
  to[1] = get_group_id(0) + 10 * get_group_id(1) + 100 * get_group_id(2);
  to[2] = get_num_groups(0) + 10 * get_num_groups(1) + 100 * get_num_groups(2);
  to[3] = get_local_size(0) + 100 * get_local_size(1);
  to[4] = get_enqueued_local_size(0) + 100 * get_enqueued_local_size(1);
  to[5] = get_global_offset(0) + 10 * get_global_offset(1) + 100 * get_global_offset(2);
  to[6] = get_work_dim();
  to[7] = get_global_size(0) + 100 * get_global_size(1);
  to[8] = row - out;
  // Neighbours of a column.
  row[9 * get_global_size(0) * get_global_size(1) * 2] += get_local_id(1);
}

kernel void bytes(global const uchar *in, global uchar *out) {
  int x = get_global_id(0), y = get_global_id(1);
  out[x * 64 + y] = in[y] + x;
}
