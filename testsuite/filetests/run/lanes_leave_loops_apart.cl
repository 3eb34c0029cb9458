// test: run
// Lanes leave loops in different rounds, by several exits, and go round outer loops again. What was live when a lane left stays
// what it was, whatever the lanes that have left compute on.
// run: exits global=37 local=37 (in=random:64:1, out=zeros:148)
// run: nested global=37 local=37 (in=random:64:2, out=zeros:111)
// run: nested global=64 local=16 (in=random:64:3, out=zeros:192)
// run: quotients global=37 local=37 (in=random:64:4, out=zeros:111)
// run: waits global=37 local=37 (in=random:64:5, out=zeros:74, limit=9)

kernel void exits(global const uint *in, global uint *out) {
  int i = get_global_id(0);
  uint n = in[i] % 97u;
  uint last = 0, why = 0, sum = 0, count = 0;
  while (n != 1 && count < 60) {
    last = n;
    if (n % 7 == 3) {
      why = 1 + n;
      break;
    }
    if ((n & 1) != 0) {
      sum += in[n & 63];
      n = 3 * n + 1;
    } else {
      if (sum % 5 == 4) {
        why = 1000 + count;
        sum ^= n;
        break;
      }
      n /= 2;
    }
    count++;
  }
  out[4 * i] = last;
  out[4 * i + 1] = why;
  out[4 * i + 2] = sum;
  out[4 * i + 3] = count;
}

// The inner loop's live-outs are carried by the outer one; lanes skip it in some rounds.
kernel void nested(global const uint *in, global uint *out) {
  int i = get_global_id(0);
  uint x = in[i] % 61u, kept = 7, best = 0;
  for (uint round = 0; round < (in[i] & 7u); round++) {
    uint steps = 0;
    if ((x + round) % 3 != 0) {
      uint y = x + round;
      while (y > 2) {
        if (y % 5 == 2) {
          kept += in[y & 63] & 15;
          if (kept % 11 == 0) {
            y--;
            steps += 2;
            continue;
          }
        }
        y = (y & 1) != 0 ? y - 1 : y / 2;
        steps++;
        if (steps > 9) break;
      }
      x = y + steps;
    } else {
      kept = kept * 3 + x;
    }
    best = max(best, steps);
  }
  out[3 * i] = x;
  out[3 * i + 1] = kept;
  out[3 * i + 2] = best;
}

// Lanes that are off divide what the others never would.
kernel void quotients(global const uint *in, global int *out) {
  int i = get_global_id(0);
  int n = (int)in[i], a = 0, b = 0;
  uint c = 0;
  if ((n & 3) != 0) {
    a = n / 10;
    b = n % -7;
    c = in[i] / 1000u;
    for (int d = n & 7; d != 0; d--) {
      a += n / d;
      b ^= n % d;
    }
  }
  out[3 * i] = a;
  out[3 * i + 1] = b;
  out[3 * i + 2] = (int)c;
}

// Branches that all lanes take alike, inside of a loop that they leave apart.
kernel void waits(global const uint *in, global uint *out, uint limit) {
  int i = get_global_id(0);
  uint n = in[i] & 31, flag = 0, turn = 0;
  do {
    uint step;
    if (limit > 5 + turn) {
      step = limit - turn;
    } else {
      step = 1;
      flag += turn;
    }
    n += step;
    turn++;
  } while (n < 40);
  out[2 * i] = n;
  out[2 * i + 1] = flag * 64 + turn;
}
