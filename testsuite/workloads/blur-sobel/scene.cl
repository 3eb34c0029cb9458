// A small ray tracer: three mirror-like spheres on a checkered floor, one light, one bounce. It made scene.png.

typedef struct {
  float3 centre;
  float radius;
  float3 colour;
} Sphere;

typedef struct {
  float distance;
  float3 point;
  float3 normal;
  float3 colour;
  float mirror;
} Hit;

constant float3 LIGHT = (float3)(-0.48f, 0.72f, -0.5f);

float3 sky(float3 direction) {
  return mix((float3)(0.95f, 0.86f, 0.74f), (float3)(0.28f, 0.47f, 0.72f), clamp(direction.y * 1.6f, 0.0f, 1.0f));
}

float3 unit(float3 v) {
  return v / sqrt(dot(v, v));
}

Sphere sphere(int index) {
  Sphere s;
  s.centre = index == 0 ? (float3)(-1.25f, 0.8f, 4.2f) : index == 1 ? (float3)(0.65f, 1.05f, 5.4f) : (float3)(0.5f, 0.4f, 3.0f);
  s.radius = index == 0 ? 0.8f : index == 1 ? 1.05f : 0.4f;
  s.colour = index == 0 ? (float3)(0.85f, 0.25f, 0.2f) : index == 1 ? (float3)(0.25f, 0.55f, 0.75f) : (float3)(0.95f, 0.75f, 0.25f);
  return s;
}

// The nearest thing that a ray meets; distance 0 where it meets none.
Hit trace(float3 from, float3 direction) {
  Hit hit;
  hit.distance = 0.0f;
  hit.mirror = 0.0f;
  if (direction.y < -0.0001f) {
    float t = -from.y / direction.y;
    if (t > 0.001f && t < 60.0f) {
      hit.distance = t;
      hit.point = from + t * direction;
      hit.normal = (float3)(0.0f, 1.0f, 0.0f);
      int tile = (int)floor(hit.point.x * 1.2f) + (int)floor(hit.point.z * 1.2f);
      hit.colour = (tile & 1) ? (float3)(0.88f) : (float3)(0.18f, 0.2f, 0.24f);
      hit.mirror = 0.1f;
    }
  }
  for (int i = 0; i < 3; i++) {
    Sphere s = sphere(i);
    float3 to = s.centre - from;
    float along = dot(to, direction);
    float inside = s.radius * s.radius - dot(to, to) + along * along;
    if (inside > 0.0f) {
      float t = along - sqrt(inside);
      if (t > 0.001f && (hit.distance == 0.0f || t < hit.distance)) {
        hit.distance = t;
        hit.point = from + t * direction;
        hit.normal = (hit.point - s.centre) / s.radius;
        hit.colour = s.colour;
        hit.mirror = 0.35f;
      }
    }
  }
  return hit;
}

float3 shade(Hit hit) {
  float3 light = unit(LIGHT);
  float lit = fmax(dot(hit.normal, light), 0.0f);
  if (lit > 0.0f && trace(hit.point + 0.001f * hit.normal, light).distance > 0.0f)
    lit = 0.0f;
  return hit.colour * (0.22f + 0.78f * lit);
}

kernel void scene(global uchar4 *picture) {
  int x = get_global_id(0), y = get_global_id(1);
  int width = get_global_size(0), height = get_global_size(1);
  float3 sum = 0.0f;
  // Four rays a pixel soften the edges.
  for (int sample = 0; sample < 4; sample++) {
    float u = ((float)x + 0.25f + 0.5f * (float)(sample & 1) - 0.5f * (float)width) / (float)height;
    float v = (0.5f * (float)height - (float)y - 0.25f - 0.5f * (float)(sample >> 1)) / (float)height;
    float3 from = (float3)(0.0f, 1.1f, -0.6f);
    float3 direction = unit((float3)(u, v - 0.08f, 1.0f));
    float3 colour = (float3)(0.0f);
    float share = 1.0f;
    for (int bounce = 0; bounce < 2; bounce++) {
      Hit hit = trace(from, direction);
      if (hit.distance == 0.0f) {
        colour += share * sky(direction);
        share = 0.0f;
        break;
      }
      colour += share * (1.0f - hit.mirror) * shade(hit);
      share *= hit.mirror;
      direction -= 2.0f * dot(direction, hit.normal) * hit.normal;
      from = hit.point + 0.001f * hit.normal;
    }
    sum += colour + share * sky(direction);
  }
  float3 level = clamp(sum * 0.25f, 0.0f, 1.0f) * 255.0f + 0.5f;
  picture[y * width + x] = (uchar4)((uchar)level.x, (uchar)level.y, (uchar)level.z, 255);
}
