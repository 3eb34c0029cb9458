// Guards that are tested for the first or the last lane: ends from below and above, numbers with and without signs, that fall from lane
// to lane, and that wrap around inside of a vector.
// test: run
// run: both_ends global=45 local=15 (out=zeros:45, low=3, high=41)
// run: both_ends global=45 local=15 (out=zeros:45, low=16, high=17)
// run: both_ends global=45 local=15 (out=zeros:45, low=40, high=4)
// run: falling global=45 local=45 (out=zeros:45, n=30)
// run: falling global=45 local=45 (out=zeros:45, n=-1)
// run: falling global=45 local=45 offset=7 (out=zeros:52, n=49)
// run: unsigned_ends global=45 local=9 (out=zeros:45, n=44)
// run: unsigned_ends global=45 local=9 (out=zeros:45, n=4294967295)
// run: wrapping global=400 local=100 (out=zeros:400, n=100)
// run: nested global=45 local=45 (out=zeros:45, w=43, h=30)
kernel void both_ends(global int *out, int low, int high) {
  int x = get_global_id(0);
  if (x < low || x >= high)
    return;
  out[x] = x + 1;
}

kernel void falling(global int *out, int n) {
  int x = get_global_id(0);
  if (n - x > 3 && 2 * x - 5 <= n - 3 * x + 90)
    out[x] = n;
}

kernel void unsigned_ends(global int *out, uint n) {
  size_t x = get_global_id(0);
  if (x < n && x + 2 > 4u)
    out[x] = 3;
}

kernel void wrapping(global int *out, int n) {
  int x = get_global_id(0);
  uchar byte = x;
  char less = x + 90;
  if (byte < n && less > -100)
    out[x] = byte;
}

kernel void nested(global int *out, int w, int h) {
  int x = get_global_id(0), y = get_local_id(0);
  if (!(x >= w) && w > 3) {
    int v = 2;
    if (y > 4 && y < h)
      v += y;
    out[x] = v;
  }
}
