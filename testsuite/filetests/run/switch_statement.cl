// test: run
// run: sw global=8 local=4 (out=zeros:8) -> out=[10,21,22,13,99,99,26,99]
kernel void sw(global int *out) {
  int g = get_global_id(0), v;
  switch (g) {
  case 0: v = 10; break;
  case 1:
  case 2: v = 20 + g; break;
  case 3: v = 13; break;
  case 6: v = 20; v += 6; break;
  default: v = 99;
  }
  out[g] = v;
}
