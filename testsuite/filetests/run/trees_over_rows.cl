// Sums down the rows of a group: barriers in a loop, a condition that a whole row agrees on, and an index by row that takes
// many steps and is used on both sides of the barriers.
// test: run
// run: layer global=16,64 local=16,16 (in=random:65:1, w=random:1200:2, out=zeros:64, hid=16)
// run: layer global=8,16 local=8,8 (in=random:17:3, w=random:320:4, out=zeros:16, hid=8)
// run: layer global=12,10 local=12,5 (in=random:11:5, w=random:320:6, out=zeros:10, hid=12)
kernel void layer(global const uint *in, global uint *w, global uint *out, int hid) {
  local uint node[16], cells[16][16];
  int by = get_group_id(1), tx = get_local_id(0), ty = get_local_id(1), rows = get_local_size(1);
  int index = (hid + 1) * rows * by + (hid + 1) * ty + tx + 1 + (hid + 1);
  if (tx == 0)
    node[ty] = in[rows * by + ty + 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  cells[ty][tx] = w[index];
  barrier(CLK_LOCAL_MEM_FENCE);
  cells[ty][tx] *= node[ty];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 1; i <= rows; i *= 2) {
    if (ty % i == 0 && ty + i / 2 < rows && i > 1)
      cells[ty][tx] += cells[ty + i / 2][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  w[index] = cells[ty][tx];
  if (tx == 0)
    out[by * rows + ty] = cells[ty][tx];
}
