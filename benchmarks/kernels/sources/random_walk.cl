/* SPDX-License-Identifier: Apache-2.0
 *
 * Walks on a grid until they leave a circle or return: how long each takes differs between neighbouring items. */

__kernel void random_walk(__global int2* ends, __global ushort* lengths, uint seed, int radius, int limit, uint walks) {
  const size_t walk = get_global_id(0);
  if (walk >= walks) return;
  uint state = (uint)walk * 747796405u + seed;
  int2 at = (int2)(0, 0);
  int step = 0;
  while (step < limit) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    switch ((state >> 9) & 3) {
      case 0: at.x += 1; break;
      case 1: at.x -= 1; break;
      case 2: at.y += 1; break;
      default: at.y -= 1; break;
    }
    ++step;
    if (at.x * at.x + at.y * at.y >= radius * radius) break;
    if (step > 4 && all(at == (int2)(0))) break;
  }
  ends[walk] = at;
  lengths[walk] = (ushort)step;
}
