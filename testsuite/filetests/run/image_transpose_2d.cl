// test: run
// run: transpose global=8,4 local=4,2 (in=range:32, out=zeros:32, w=8, h=4) -> out=[0,8,16,24,1,9,17,25,2,10,18,26,3,11,19,27,4,12,20,28,5,13,21,29,6,14,22,30,7,15,23,31]
kernel void transpose(global const float *in, global float *out, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  out[x * h + y] = in[y * w + x];
}
