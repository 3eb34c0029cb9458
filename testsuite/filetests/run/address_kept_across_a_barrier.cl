// test: run
// An address that is a part of an id is computed before a barrier and used behind it, where nobody else asks for the index.
// run: kept global=64 local=32 (data=random:96:3, out=zeros:64, n=19)
// run: in_loop global=64 local=32 (data=random:96:3, out=zeros:64, n=19)
// run: sum_of_ids global=64 local=32 (data=random:96:3, out=zeros:160, from=0)
// run: sum_of_ids global=64 local=32 (data=random:96:3, out=zeros:160, from=5)
// run: parts_of_ids global=64 local=64 (data=random:96:3, out=zeros:160)

kernel void kept(global int *data, global int *out, uint n) {
  local int s[32];
  uint l = get_local_id(0);
  uint i = get_global_id(0);
  uint part = (i + 3u) % n;
  global int *at = &data[part + 1];
  s[l] = data[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  int v = *at;
  out[i] = v + s[31 - l];
}

kernel void in_loop(global int *data, global int *out, uint n) {
  local int s[32];
  uint l = get_local_id(0);
  uint i = get_global_id(0);
  uint part = (i + 3u) % n;
  int sum = 0;
  for (uint k = 0; k < 3; k++) {
    s[l] = data[part + k];
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += s[(l + k) & 31] ^ data[part];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[i] = sum;
}

// An index in too few bits is computed again behind the barrier, and so is its test; some lanes are off.
kernel void sum_of_ids(global const int *data, global int *out, int from) {
  local int s[32];
  uint l = get_local_id(0);
  int at = (int)(get_group_id(0) * 32 + l) + from;
  global int *to = out + at;
  s[l] = data[at];
  barrier(CLK_LOCAL_MEM_FENCE);
  int v = s[31 - l];
  to[0] = v;
  if (v & 1) to[64] = v + 1;
}

// Parts of an id: rows of 8 in a field of rows of 9, of which a vector may hold more than one.
kernel void parts_of_ids(global int *data, global int *out) {
  local int s[72];
  uint l = get_local_id(0);
  uint row = l >> 3, column = l & 7;
  local int *own = s + row * 9 + column;
  local int *turned = s + column * 9 + row;
  global int *to = out + ((get_global_id(0) + 2) & 127);
  for (int k = 0; k < 2; k++) {
    *own = data[l + k];
    barrier(CLK_LOCAL_MEM_FENCE);
    int v = *turned + *own;
    barrier(CLK_LOCAL_MEM_FENCE);
    to[80 * k] += v;
  }
}
