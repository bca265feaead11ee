/* SPDX-License-Identifier: Apache-2.0
 *
 * The one kernel that digits_parallel has beside those of digits. An average over ranks counts each rank once. Where a batch does
 * not divide evenly, the gradients of a rank are weighed by its share, so that each image counts once. */

__kernel void weigh(__global float* gradients, uint count, float weight) {
  const uint i = get_global_id(0);
  if (i < count) gradients[i] *= weight;
}
