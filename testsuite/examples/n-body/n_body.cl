// Bodies that attract each other: x, y, z and mass in each float4.

// A number from 0 to 1 that looks random.
float noise(uint seed) {
  seed = (seed ^ 61) ^ (seed >> 16);
  seed *= 9;
  seed ^= seed >> 4;
  seed *= 0x27d4eb2d;
  return (seed ^ (seed >> 15)) * 0x1p-32f;
}

// A disc that turns: each body is about as fast as the mass inside of it demands.
kernel void disc(global float4 *bodies, global float4 *speed, uint count) {
  uint i = get_global_id(0);
  float radius = sqrt(noise(2 * i)), turn = 2 * noise(2 * i + 1);
  float2 at = radius * (float2)(cospi(turn), sinpi(turn));
  bodies[i] = (float4)(at, 0, 1.0f / count);
  speed[i] = (float4)(-at.y, at.x, 0, 0);
}

// One step of time: all bodies pull at this one, and it moves.
kernel void move(global const float4 *from, global const float4 *speed, global float4 *to, global float4 *faster, uint count,
                 float dt) {
  uint i = get_global_id(0);
  float4 here = from[i];
  float3 pull = 0;
  for (uint k = 0; k < count; k++) {
    float4 other = from[k];
    float3 way = other.xyz - here.xyz;
    float near = rsqrt(dot(way, way) + 0.001f);
    pull += other.w * near * near * near * way;
  }
  float3 v = speed[i].xyz + dt * pull;
  faster[i] = (float4)(v, 0);
  to[i] = (float4)(here.xyz + dt * v, here.w);
}

kernel void clear(global uchar4 *picture) { picture[get_global_id(0)] = (uchar4)(0, 0, 32, 255); }

// A bright pixel where a body is.
kernel void plot(global const float4 *bodies, global uchar4 *picture, int size, float zoom) {
  float4 body = bodies[get_global_id(0)];
  int2 at = convert_int2((body.xy / zoom + 1) * (size / 2));
  if (at.x >= 0 && at.y >= 0 && at.x < size && at.y < size)
    picture[at.y * size + at.x] = (uchar4)(255, 255, 200, 255);
}
