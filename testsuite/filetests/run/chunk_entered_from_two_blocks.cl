// A value that is made on one of the ways into blocks that lanes run under masks: these are emitted before it.
// test: run
// width: any
// run: k global=6 local=2 (in=[9,1,7,5,8,3], out=zeros:12, n=4) -> out=[32,32,32,32,32,32,5,5,5,5,5,5]
// run: k global=6 local=2 (in=[9,1,7,2,8,3], out=zeros:12, n=4) -> out=[7,7,7,7,7,7,0,0,0,0,0,0]
kernel void k(global const int *in, global int *out, int n) {
  int x = get_global_id(0);
  int l = get_local_id(0);
  int size = get_local_size(0);
  int y = 8;
  if (in[3] > n) {
    y <<= size;
    if (l >= size)
      return;
    for (int i = 0; i < n; ++i)
      if (in[i] == 1)
        out[6 + x] = 5;
  } else {
    switch ((n & 3) + (in[x] & 768)) {
    case 0: {
      int rounds = size % 3u;
      for (int i = 0; i < rounds; ++i) {
        if (in[i] < 8)
          break;
        y = 7;
      }
      break;
    }
    }
  }
  out[x] = y;
}
