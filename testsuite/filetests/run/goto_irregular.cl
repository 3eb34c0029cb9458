// A loop entered in the middle.
// test: run
// run: jump global=6 local=3 (out=zeros:6)
kernel void jump(global int *out) {
  int g = get_global_id(0), v = g;
  if (g & 1)
    goto middle;
top:
  v += 3;
middle:
  v *= 2;
  if (v < 50)
    goto top;
  out[g] = v;
}
