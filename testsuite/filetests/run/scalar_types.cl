// Every scalar argument type.
// test: run args
// bits: 64
// run: types global=1 local=1 (c=-5, uc=250, s=-30000, us=65535, i=-7, ui=4000000000, l=-9000000000, ul=18000000000000000000, f=1.5, d=2.25, out=zeros:10) -> out=[-5,250,-30000,65535,-7,4000000000,-9000000000,-446744073709551616,3,4]
kernel void types(char c, uchar uc, short s, ushort us, int i, uint ui, long l, ulong ul, float f, double d,
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
  out[9] = d * 2;
}
