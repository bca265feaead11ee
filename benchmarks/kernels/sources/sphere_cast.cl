/* SPDX-License-Identifier: Apache-2.0
 *
 * The first sphere that each ray meets, with a light from one side. */

typedef struct {
  float distance;
  int sphere;
} Hit;

Hit nearest(__constant float4* spheres, int count, float4 origin, float4 direction) {
  Hit hit = {1e30f, -1};
  for (int i = 0; i < count; ++i) {
    float4 to = (float4)(spheres[i].xyz, 0.0f) - origin;
    float along = dot(to, direction);
    float discriminant = along * along - dot(to, to) + spheres[i].w * spheres[i].w;
    if (discriminant < 0.0f) continue;
    float t = along - sqrt(discriminant);
    if (t > 0.001f && t < hit.distance) {
      hit.distance = t;
      hit.sphere = i;
    }
  }
  return hit;
}

__kernel void sphere_cast(__constant float4* spheres, int sphere_count, __global const float4* origins,
                          __global const float4* directions, __global float4* colours, __global int* hits, int rays) {
  int ray = get_global_id(0);
  if (ray >= rays) return;
  float4 origin = origins[ray], direction = directions[ray];
  Hit hit = nearest(spheres, sphere_count, origin, direction);
  float4 colour = (float4)(0.1f, 0.2f, 0.4f, 1.0f) * (0.5f + 0.5f * direction.y);
  if (hit.sphere >= 0) {
    float4 where = origin + hit.distance * direction;
    float4 normal = normalize(where - (float4)(spheres[hit.sphere].xyz, 0.0f));
    float light = clamp(dot(normal, (float4)(0.48f, 0.64f, 0.6f, 0.0f)), 0.05f, 1.0f);
    colour = (float4)(light, light * 0.7f, light * light, 1.0f);
  }
  colours[ray] = colour;
  hits[ray] = hit.sphere;
}
