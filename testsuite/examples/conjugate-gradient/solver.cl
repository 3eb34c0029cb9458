// The steps of conjugate gradients on a sparse matrix in compressed rows. Dot products stay on the device, as a sum for each of
// PARTS work-groups; who needs one adds them up.

enum { PARTS = 32 };

float sum_of(global const float *parts) {
  float sum = 0;
  for (int i = 0; i < PARTS; i++) sum += parts[i];
  return sum;
}

// out = matrix * vector: a row for each work-item.
kernel void multiply(global const int *rows, global const int *columns, global const float *values,
                     global const float *vector, global float *out) {
  int row = get_global_id(0);
  float sum = 0;
  for (int k = rows[row]; k < rows[row + 1]; k++) sum += values[k] * vector[columns[k]];
  out[row] = sum;
}

// A sum for each work-group: a stride for each work-item, then a tree.
kernel void dot_product(global const float *a, global const float *b, global float *parts, int count) {
  local float tree[64];
  int l = get_local_id(0);
  float sum = 0;
  for (int i = get_global_id(0); i < count; i += get_global_size(0)) sum += a[i] * b[i];
  tree[l] = sum;
  for (int k = get_local_size(0) / 2; k > 0; k /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < k) tree[l] += tree[l + k];
  }
  if (l == 0) parts[get_group_id(0)] = tree[0];
}

// Goes along the direction as far as the error becomes smaller.
kernel void advance(global const float *direction, global const float *product, global float *x, global float *rest,
                    global const float *rest_rest, global const float *direction_product) {
  int i = get_global_id(0);
  float step = sum_of(rest_rest) / sum_of(direction_product);
  x[i] += step * direction[i];
  rest[i] -= step * product[i];
}

// The next direction: what is left, without what the last one has done already.
kernel void turn(global const float *rest, global float *direction, global const float *now, global const float *before) {
  int i = get_global_id(0);
  direction[i] = rest[i] + sum_of(now) / sum_of(before) * direction[i];
}
