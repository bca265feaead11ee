/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps of a generator of random numbers on each value of a piece. One work-group takes a whole piece, each of its items every
 * so-many-th value, so that a piece alone keeps no more than one compute unit busy. */
__kernel void scramble(__global uint* data, uint count, uint rounds) {
  for (uint i = get_local_id(0); i < count; i += get_local_size(0)) {
    uint value = data[i];
    for (uint round = 0; round < rounds; ++round) value = value * 1664525u + 1013904223u;
    data[i] = value;
  }
}
