// Three stages of a signal chain: a moving average, its energy, and a running maximum of that.

kernel void smooth(global const int *in, global int *out, int radius) {
  int i = get_global_id(0), n = get_global_size(0), sum = 0;
  for (int k = -radius; k <= radius; k++)
    sum += in[clamp(i + k, 0, n - 1)];
  out[i] = sum / (2 * radius + 1);
}

kernel void energy(global const int *in, global int *out, local int *part) {
  int l = get_local_id(0), n = get_local_size(0);
  int x = in[get_global_id(0)];
  part[l] = x * x;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = n / 2; k > 0; k /= 2) {
    if (l < k)
      part[l] += part[l + k];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0)
    out[get_group_id(0)] = part[0];
}

kernel void peaks(global const int *in, global int *out) {
  int most = INT_MIN;
  for (int k = 0; k <= (int)get_global_id(0); k++)
    most = max(most, in[k]);
  out[get_global_id(0)] = most;
}
