// Constants at program scope: tables, strings, structures, vectors and pointers between them.
// test: run
// run: look global=4 (out=zeros:4, text=zeros:4) -> out=[4,3,2,8], text=[97,98,99,100]
constant int table[2][2] = {{4, 3}, {2, 1}};
constant char letters[] = "abcd";
constant struct { int scale; int4 more; } setting = {1, (int4)(1, 1, 1, 8)};
constant int *constant rows[2] = {table[0], table[1]};
kernel void look(global int *out, global char *text) {
  int i = get_global_id(0);
  text[i] = letters[i];
  out[i] = i == 3 ? setting.more.w : rows[i / 2][i % 2] * setting.scale;
}
