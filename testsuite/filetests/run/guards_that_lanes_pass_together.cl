// What a guard by ids and arguments guards is made twice: for vectors whose lanes all pass it, and for those at the edge.
// test: run
// width: any
// run: sums global=40 local=10 (a=range:40, out=zeros:40, n=37, m=3) -> out=[0,1,3,3,6,5,9,7,12,9,15,11,18,13,21,15,24,17,27,19,30,21,33,23,36,25,39,27,42,29,45,31,48,33,51,35,54,-1,-1,-1]
// run: sums global=40 local=20 (a=range:40, out=zeros:40, n=0, m=3) -> out=[-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1]
// run: nested global=24 local=8 (a=range:24, out=all:7:24, n=22, m=19) -> out=[7,7,102,103,104,105,106,107,108,109,110,111,112,113,114,115,116,117,118,19,20,21,7,7]
// run: joined global=20 local=20 (a=range:20, out=zeros:20, n=17, m=5) -> out=[10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,42,-6,-7,-8]
// run: edge global=20 local=5 (a=range:20, out=zeros:20, n=20, m=0) -> out=[0,3,6,9,12,15,18,21,24,27,30,33,36,39,42,45,48,51,54,0]
kernel void sums(global const int *a, global int *out, int n, int m) {
  int i = get_global_id(0);
  if (i < n) {
    int sum = 0;
    for (int j = 0; j < m; ++j) {
      if (a[i] & 1 && j == 1)
        break;
      sum += (a[i] & 1) ? a[i] : a[i] / 2;
    }
    out[i] = sum;
  } else {
    out[i] = -1;
  }
}

kernel void nested(global const int *a, global int *out, int n, int m) {
  int i = get_global_id(0);
  if (i < 2 || i >= n)
    return;
  int v = a[i];
  if (i < m)
    v += 100;
  out[i] = v;
}

kernel void joined(global const int *a, global int *out, int n, int m) {
  int i = get_global_id(0);
  int low = -a[i], high = 11;
  if (i < n) {
    low = a[i] + m;
    high = low * 2;
    if (a[i] > 100)
      high = 3;
  }
  out[i] = i < n ? high : low + high;
}

kernel void edge(global const int *a, global int *out, int n, int m) {
  int i = get_global_id(0);
  if (i < n - 1)
    out[i] = a[i] + a[i + 1] * 2 - 2 + (m == 0 ? 0 : i / m);
}
