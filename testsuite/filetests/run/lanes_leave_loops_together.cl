// test: run
// run: nested global=37 local=8 (out=zeros:37, in=random:64:5, n=5, m=7)
// run: nested global=37 local=8 (out=zeros:37, in=random:64:5, n=0, m=3)
// run: exits global=40 local=4 (out=zeros:40, in=random:64:9, n=9, stop=20)
// run: exits global=40 local=4 (out=zeros:40, in=random:64:9, n=9, stop=1000000)
// run: outer global=33 local=11 (out=zeros:33, in=random:64:3, n=6)
// run: writes global=32 local=8 (out=zeros:32, log=zeros:256, n=8)
// run: choice global=40 local=8 (out=zeros:40, n=11, kind=0)
// run: choice global=40 local=8 (out=zeros:40, n=11, kind=1)
// run: choice global=40 local=8 (out=zeros:40, n=11, kind=2)
// run: choice global=40 local=8 (out=zeros:40, n=11, kind=3)
// options: -cl-std=CL2.0
// Loops of one count for all work-items, behind branches and inside of loops that part them: whoever comes to one leaves it with
// the others, by any of its exits, and the lanes that did not come keep what they have.

// A loop in a loop, in a branch, in a loop whose rounds differ.
kernel void nested(global int *out, global const int *in, int n, int m) {
  int g = get_global_id(0), s = g;
  for (int r = 0; r < (g & 3); r++) {
    if ((g + r) % 3) {
      for (int i = 0; i < n; i++) {
        int row = 0;
        for (int j = 0; j < m; j++) row += (in[(i * m + j) & 63] & 15) * (j + 1);
        s = s * 3 + (row & 63);
      }
    } else {
      s ^= 1 << r;
    }
  }
  out[g] = s;
}

// Several ways out of one loop, each with values of its own.
kernel void exits(global int *out, global const int *in, int n, int stop) {
  int g = get_global_id(0), sum = 0, how = 0, at = -1;
  if (g % 5 != 2) {
    int total = 0;
    for (int i = 0; i < n; i++) {
      total += in[i] & 31;
      sum += (in[(i + g) & 63] & 7) + g;
      if (total > stop) { how = 1; at = i; break; }
      if (i == 7) { how = 2; goto out; }
      if (total == 12345) continue;
      sum ^= i;
    }
    sum += 1000;
  }
out:
  out[g] = sum * 100 + how * 10 + at;
}

// From the inside on to the next round of a loop that lanes leave apart.
kernel void outer(global int *out, global const int *in, int n) {
  int g = get_global_id(0), s = 0, left = (in[g & 63] & 7) + 1;
  while (left > 0) {
    left--;
    int seen = 0;
    for (int i = 0; i < n; i++) {
      seen += in[(i + left) & 63] & 3;
      s += i * left;
    }
    if (seen & 1) continue;
    s += seen;
    if (s > 400) break;
  }
  out[g] = s * 10 + left;
}

// What is stored inside is stored by those who are there.
kernel void writes(global int *out, global int *log, int n) {
  int g = get_global_id(0), mine[4] = {g, g + 1, g + 2, g + 3};
  if (g & 2) {
    for (int i = 0; i < n; i++) {
      log[i * 32 + g] = g * 100 + i;
      mine[i & 3] += i + (g & 1);
    }
  }
  out[g] = mine[0] + 10 * mine[1] + 100 * mine[2] + 1000 * mine[3];
}

// A switch on what all have in common.
kernel void choice(global int *out, int n, int kind) {
  int g = get_global_id(0), s = 1;
  if (g % 3 == 1) {
    for (int i = 0; i < n; i++) {
      switch (kind + (i & 1)) {
        case 0: s += i; break;
        case 1: s *= 3;
        case 2: s ^= g; break;
        default: s -= 2 * i + g;
      }
    }
    s = -s;
  }
  out[g] = s;
}
