/* SPDX-License-Identifier: Apache-2.0
 *
 * The middle stage of fence_pipeline: each item squares one number where it lies. */
__kernel void square(__global uint* data) {
  const size_t i = get_global_id(0);
  data[i] *= data[i];
}
