/* SPDX-License-Identifier: Apache-2.0
 *
 * The most likely states after observations (Viterbi): a group takes a sequence, an item a state; scores are logarithms. */

__kernel void viterbi(__global const float* transition, __global const float* emission, __global const uchar* observed,
                      __global uchar* back, __global int* path, __global float* score, uint symbols, uint length,
                      __local float* now, __local float* next) {
  const size_t state = get_local_id(0), states = get_local_size(0), sequence = get_group_id(0);
  observed += sequence * length;
  back += sequence * length * states;
  now[state] = emission[state * symbols + observed[0]];
  for (size_t t = 1; t < length; ++t) {
    barrier(CLK_LOCAL_MEM_FENCE);
    float best = -FLT_MAX;
    uchar from = 0;
    for (size_t s = 0; s < states; ++s) {
      float candidate = now[s] + transition[s * states + state];
      if (candidate > best) {
        best = candidate;
        from = (uchar)s;
      }
    }
    back[t * states + state] = from;
    next[state] = best + emission[state * symbols + observed[t]];
    barrier(CLK_LOCAL_MEM_FENCE);
    now[state] = next[state];
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (state != 0) return;
  size_t at = 0;
  for (size_t s = 1; s < states; ++s) at = now[s] > now[at] ? s : at;
  score[sequence] = now[at];
  for (size_t t = length; t-- > 0;) {
    path[sequence * length + t] = at;
    if (t > 0) at = back[t * states + at];
  }
}
