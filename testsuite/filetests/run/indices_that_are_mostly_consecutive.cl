// test: run
// Addresses that lie one behind the other in some vectors and not in others: parts of ids, choices, bits. In branches too, where lane
// 0 may be off, and where an index wraps around.
// run: flat global=150 local=50 (in=range:512, out=zeros:512, w=37, pitch=41)
// run: flat global=96 local=32 (in=range:512, out=zeros:512, w=16, pitch=16)
// run: mirror global=75 local=25 (in=random:64:3, out=zeros:75, n=60)
// run: pairs global=64 local=64 (data=random:128:9, t=1)
// run: pairs global=64 local=64 (data=random:128:9, t=16)
// run: pairs global=64 local=64 (data=random:128:9, t=64)
// run: wraps global=70 local=35 (in=range:128, out=zeros:128, from=-9)
// run: bytes global=75 local=25 (in=uchar[5,4,3,2,1,9,8,7,6,5,4,3,2,1,0,7,8,9,1,2,3,4,5,6,7,8,9,1,1,2,3,5,8,13,21,34,55,89,144,233,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24], out=zeros:75, w=13)

kernel void flat(global const int *in, global int *out, int w, int pitch) {
  int i = get_global_id(0);
  int x = i % w, y = i / w;
  int v = in[y * pitch + x];
  if (x > 2 && (v & 3) != 1) v += in[y * pitch + x - 1];
  out[y * pitch + x] = v;
  if ((i & 4) != 0) out[y * pitch + x] += 1000;
}

kernel void mirror(global const int *in, global int *out, int n) {
  int i = get_global_id(0);
  int at = i < n ? i : 2 * n - 1 - i;
  int left = max(at - 1, 0), right = min(at + 1, n - 1);
  out[i] = in[left] + 3 * in[at] + 5 * in[right];
}

kernel void pairs(global uint *data, uint t) {
  local uint s[128];
  uint l = get_local_id(0);
  s[l] = data[l];
  s[l + 64] = data[l + 64];
  barrier(CLK_LOCAL_MEM_FENCE);
  uint i = 2 * l - (l & (t - 1));
  uint x = s[i], y = s[i + t];
  if (x > y) {
    s[i] = y;
    s[i + t] = x;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  data[l] = s[l];
  data[l + 64] = s[l + 64];
}

// Lanes whose index is below zero are off, and so may lane 0 be.
kernel void wraps(global const int *in, global int *out, int from) {
  uint i = (uint)get_global_id(0) + (uint)from;
  uint at = i & 0xffffff7fu;
  if (i < 128) out[at] = in[at] + 1;
}

kernel void bytes(global const uchar *in, global uchar *out, int w) {
  int i = get_global_id(0);
  out[i] = in[i % w] ^ in[(i >> 1) & 63];
}
