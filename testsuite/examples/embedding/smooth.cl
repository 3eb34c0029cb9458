// The mean of each number and its neighbours.
kernel void smooth(global const float *in, global float *out, int count) {
  int i = get_global_id(0);
  out[i] = (in[max(i - 1, 0)] + in[i] + in[min(i + 1, count - 1)]) / 3;
}
