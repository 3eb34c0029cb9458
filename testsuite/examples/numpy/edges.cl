// Edges: how much each pixel differs from those to its right and below it.
kernel void edges(global const uchar4 *in, global uchar4 *out) {
  size_t x = get_global_id(0), y = get_global_id(1);
  size_t width = get_global_size(0), height = get_global_size(1);
  uchar4 here = in[y * width + x];
  uchar4 right = in[y * width + min(x + 1, width - 1)];
  uchar4 below = in[min(y + 1, height - 1) * width + x];
  uchar4 edge = add_sat(abs_diff(here, right), abs_diff(here, below));
  edge = add_sat(edge, add_sat(edge, edge));
  edge.w = 255;
  out[y * width + x] = edge;
}
