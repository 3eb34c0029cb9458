// test: run
// run: structs global=6 local=3 (out=zeros:6)
typedef struct { int a[3]; float b; char c; } thing;
void touch(thing *t, int by) { t->a[by % 3] += by; t->b *= 2; t->c++; }
kernel void structs(global float *out) {
  local int tile[3];
  int g = get_global_id(0), l = get_local_id(0);
  thing t = {{g, g + 1, g + 2}, 0.5f * g, 1};
  touch(&t, g);
  tile[l] = t.a[1];
  barrier(CLK_LOCAL_MEM_FENCE);
  touch(&t, tile[2 - l]);
  out[g] = t.a[0] + t.a[1] * 10 + t.a[2] * 100 + t.b + t.c;
}
