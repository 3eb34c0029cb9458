// Arguments by value: a structure with padding, a small integer, a vector of three.
typedef struct {
  int scale;
  short tag;
  int4 shift;
  long wide;
  char tail[3];
} parameters;

kernel void values(global long *out, parameters p, uchar small, int3 v) {
  int item = (int)get_global_id(0);
  int shift[4] = {p.shift.x, p.shift.y, p.shift.z, p.shift.w};
  out[item] = (long)item * p.scale + p.tag + shift[item & 3] + p.wide + p.tail[item % 3] + small + v.x * 3 + v.y * 5 + v.z * 7;
}
