// Work-items above each other access the same lines of `in` or `out`, those of a row each a line of its own: rows that go through
// several groups are cut into pieces, of which the last one, and the last group, may be shorter.
// test: run
// options: -cl-std=CL2.0
// run: columns global=51,6 local=3,2 (in=range:306, out=zeros:306, h=6)
// run: columns global=50,6 local=3,4 (in=range:300, out=zeros:300, h=6)
// run: columns global=100,3 local=20,1 (in=range:300, out=zeros:300, h=3)
// run: columns global=37,8 local=1,8 (in=range:296, out=zeros:296, h=8)
// run: columns global=5,60 local=16,16 (in=range:300, out=zeros:300, h=60)
// run: columns global=64,4 local=64,4 (in=range:256, out=zeros:256, h=4)
// run: turned global=4,3 local=2,1 (in=range:12, out=zeros:12, w=4, h=3) -> out=[0,4,8,1,5,9,2,6,10,3,7,11]
// run: turned global=70,33 local=5,3 (in=range:2310, out=zeros:2310, w=70, h=33)
kernel void columns(global const float *in, global float *out, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  out[x * h + y] = in[x * h + y];
}

kernel void turned(global const short *in, global short *out, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  out[x * h + y] = in[y * w + x];
}
