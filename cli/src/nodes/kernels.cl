// The kernels of `oxcl bench nodes`.

kernel void increment(global uint *to) { to[get_global_id(0)] += 1; }

// c += a * b, of tiles of k columns and k rows: eight rows of a column for each work-item, which shares a's elements with all of
// its rows and b's with all of its work-group.
kernel void multiply(global const float *restrict a, global const float *restrict b, global float *restrict c, uint k) {
  size_t x = get_global_id(0), y = 8 * get_global_id(1), width = get_global_size(0);
  float s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
  global const float *row = a + y * k;
  for (uint i = 0; i < k; i++) {
    float v = b[i * width + x];
    s0 = mad(row[i], v, s0);
    s1 = mad(row[i + k], v, s1);
    s2 = mad(row[i + 2 * k], v, s2);
    s3 = mad(row[i + 3 * k], v, s3);
    s4 = mad(row[i + 4 * k], v, s4);
    s5 = mad(row[i + 5 * k], v, s5);
    s6 = mad(row[i + 6 * k], v, s6);
    s7 = mad(row[i + 7 * k], v, s7);
  }
  global float *to = c + y * width + x;
  to[0] += s0;
  to[width] += s1;
  to[2 * width] += s2;
  to[3 * width] += s3;
  to[4 * width] += s4;
  to[5 * width] += s5;
  to[6 * width] += s6;
  to[7 * width] += s7;
}

// What a block of bodies does to another, added to what others do. Positions are x, y, z and the mass.
kernel void attract(global const float4 *restrict own, global const float4 *restrict others, global float4 *restrict pull,
                    uint count) {
  size_t i = get_global_id(0);
  float x = own[i].x, y = own[i].y, z = own[i].z;
  float px = pull[i].x, py = pull[i].y, pz = pull[i].z;
  for (uint j = 0; j < count; j++) {
    float dx = others[j].x - x, dy = others[j].y - y, dz = others[j].z - z;
    float square = mad(dx, dx, mad(dy, dy, mad(dz, dz, 1e-3f)));
    float near = rsqrt(square);
    float weight = others[j].w * near * near * near;
    px = mad(dx, weight, px);
    py = mad(dy, weight, py);
    pz = mad(dz, weight, pz);
  }
  pull[i] = (float4)(px, py, pz, 0);
}

// Moves a block by what pulls it, which begins again at nothing.
kernel void move(global const float4 *restrict from, global float4 *restrict speed, global float4 *restrict pull,
                 global float4 *restrict to) {
  size_t i = get_global_id(0);
  float4 now = speed[i] + 1e-3f * pull[i];
  speed[i] = now;
  pull[i] = 0;
  to[i] = (float4)(from[i].xyz + 1e-3f * now.xyz, from[i].w);
}
