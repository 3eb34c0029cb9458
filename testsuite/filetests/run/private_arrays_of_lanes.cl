// test: run
// run: tree global=21 local=7 (in=[1,11,35,12,3,8,27,60,46,46,60,27,8,3,12,35,11,1,5,23,55], out=zeros:21, n=9) -> out=[7424,81664,259840,89088,22272,59392,200448,445440,341504,341504,445440,200448,59392,22272,89088,259840,81664,7424,37120,170752,408320]
// run: counted global=21 local=7 (in=[1,11,35,12,3,8,27,60,46,46,60,27,8,3,12,35,11,1,5,23,55], out=zeros:21, n=9) -> out=[2023539438,5541126,288138862,178746,288138862,1866927428,3694084,-894556282,186,186,-894556282,3694084,1866927428,288138862,178746,288138862,5541126,2023539438,299832,1360116903,1360116903]
// run: vectors global=21 local=7 (in=[1,11,35,12,3,8,27,60,46,46,60,27,8,3,12,35,11,1,5,23,55], out=zeros:21, n=9) -> out=[-72257527,-71175017,-69954733,-69196976,-68301445,-67268140,-66097061,-64788208,-63941882,-62957782,-61835908,-61176561,-60379440,-59444545,-58371876,-57161433,-56413517,-55527827,-54504363,-53343125,-52044113]
// run: kept global=21 local=7 (in=[1,11,35,12,3,8,27,60,46,46,60,27,8,3,12,35,11,1,5,23,55], out=zeros:21, n=9) -> out=[14638611,20796631,28108493,33109635,39264619,45957987,52672701,60774718,65596553,65596553,60774718,52672701,45957987,39264619,33109635,28108493,20796631,14638611,40602989,52928733,60778421]
// run: chosen global=21 local=7 (in=[1,11,35,12,3,8,27,60,46,46,60,27,8,3,12,35,11,1,5,23,55], out=zeros:21, n=9) -> out=[1080,1585,3954,1616,1236,1845,3094,5360,4590,4385,5668,2786,2025,928,1924,6255,1860,785,1434,2966,6631]
// run: narrow global=21 local=7 (in=[1,11,35,12,3,8,27,60,46,46,60,27,8,3,12,35,11,1,5,23,55], out=zeros:21, n=9) -> out=[-2142362255,1705469847,223243310,110654192,-2132119469,791548712,969802078,-207458896,-1264070834,143363750,1310951064,-1153500260,-824323192,-1618953105,1871710904,1867097916,1338524635,-539651035,-739887134,-422491316,-1337669305]
// run: plane global=21 local=7 (in=[1,11,35,12,3,8,27,60,46,46,60,27,8,3,12,35,11,1,5,23,55], out=zeros:21, n=9) -> out=[3392,7524,20120,12740,4176,6428,17764,43572,18308,20220,35500,24540,6620,5172,10120,28460,7164,4236,7340,18012,21320]
// Private arrays whose elements lanes may keep beside one another: the same index for all work-items or one for each, in branches and
// loops that they leave at different times, OpenCL's vectors and structures, fills and copies of whole arrays, pointers into the middle.
// The results were computed apart, from the source, by another program.

kernel void tree(global const int *in, global int *out, int n) {
  int v[33], i = get_global_id(0);
  for (int j = 0; j < 33; j++) v[j] = in[i] * (j + 1);
  for (int t = n - 1; t >= 0; t--)
    for (int j = 0; j <= t; j++) v[j] = 3 * v[j + 1] - v[j];
  out[i] = v[0];
}

kernel void counted(global const int *in, global int *out, int n) {
  int h[32] = {0}, i = get_global_id(0), s = 0;
  for (int j = 0; j < n; j++) h[(in[i] + j * j) & 31] += j + 1;
  for (int j = 0; j < n; j++) s = s * 31 + h[j & 31];
  out[i] = s;
}

kernel void vectors(global const int *in, global int *out, int n) {
  int4 h[9], s = 0;
  int i = get_global_id(0);
  for (int j = 0; j < n; j++) h[j] = (int4)(in[i] + j, j * 2, i, -j);
  for (int j = 0; j < n; j++) {
    h[j].y += h[n - j - 1].w;
    s = s * 3 + h[n - j - 1];
  }
  out[i] = s.x + 10 * s.y + 100 * s.z + 1000 * s.w;
}

typedef struct { int distance, from; } Found;

kernel void kept(global const int *in, global int *out, int n) {
  Found best[6];
  int i = get_global_id(0), s = 0;
  for (int k = 0; k < 6; k++) { best[k].distance = 1000; best[k].from = -1; }
  for (int j = 0; j < n; j++) {
    int d = (in[j] - in[i]) * (in[j] - in[i]);
    if (d < best[5].distance) {
      int at = 5;
      while (at > 0 && best[at - 1].distance > d) { best[at] = best[at - 1]; at--; }
      best[at].distance = d;
      best[at].from = j;
    }
  }
  for (int k = 0; k < 6; k++) s = s * 23 + best[k].from + 2;
  out[i] = s;
}

kernel void chosen(global const int *in, global int *out, int n) {
  int a[13], i = get_global_id(0), s = 0;
  for (int j = 0; j < 12; j++) a[j] = in[i] + j;
  private int *p = i & 1 ? &a[2] : &a[n];
  *p += 50;
  p[i & 3] -= 7;
  if (in[i] % 3)
    for (int j = 0; j < (i & 7); j++) a[j] = a[j] * 2 + a[11 - j];
  for (int j = 0; j < 12; j++) s += a[j] * (j + 1);
  out[i] = s;
}

kernel void narrow(global const int *in, global int *out, int n) {
  uchar h[16];
  int i = get_global_id(0), s = 0;
  for (int j = 0; j < 16; j++) h[j] = in[i] * (j + 3);
  private uchar *middle = h + 7;
  for (short j = 0; j < n; j++) middle[-(i & 3) - (j & 3)] = middle[j & 7] + middle[-(j % 7)];
  for (int j = 0; j < 16; j++) s = s * 7 + h[j];
  out[i] = s;
}

kernel void plane(global const int *in, global int *out, int n) {
  int m[4][5], i = get_global_id(0), s = 0;
  for (int a = 0; a < 4; a++)
    for (int b = 0; b < 5; b++) m[a][b] = in[i] + 5 * a + b;
  for (int j = 0; j < n; j++) m[i & 3][j % 5] += m[j & 3][i % 5] * 2;
  for (int a = 0; a < 4; a++)
    for (int b = 0; b < 5; b++) s += m[a][b] * (a + 1) * (b + 2);
  out[i] = s;
}
