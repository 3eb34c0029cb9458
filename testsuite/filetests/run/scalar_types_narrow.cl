// Every scalar argument type but double.
// test: run
// run: types global=1 local=1 (c=-5, uc=250, s=-30000, us=65535, i=-7, ui=4000000000, l=-9000000000, ul=18000000000000000000, f=1.5, out=zeros:9) -> out=[-5,250,-30000,65535,-7,4000000000,-9000000000,-446744073709551616,3]
kernel void types(char c, uchar uc, short s, ushort us, int i, uint ui, long l, ulong ul, float f,
                  global long *out) {
  out[0] = c;
  out[1] = uc;
  out[2] = s;
  out[3] = us;
  out[4] = i;
  out[5] = ui;
  out[6] = l;
  out[7] = ul;
  out[8] = f * 2;
}
