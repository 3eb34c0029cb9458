// Branches in loops in branches, with breaks and continues that depend on the item.
// test: run
// run: nest global=24 local=8 (out=zeros:24)
kernel void nest(global int *out) {
  int g = get_global_id(0), v = 0;
  if (g % 3 != 0) {
    for (int i = 0; i < g; i++) {
      if ((i ^ g) % 5 == 0)
        continue;
      for (int j = i; j < g; j++) {
        if (j * i > 40)
          break;
        v += j - i;
      }
      if (v > 200)
        break;
    }
  } else if (g % 2) {
    v = -g;
  }
  out[g] = v;
}
