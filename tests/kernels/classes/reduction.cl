// One result for each group, by a tree in local memory. Groups of any size.
__kernel void sum_of_reals(__global const float *in, __global float *partial, uint count, __local float *scratch) {
  const uint item = get_local_id(0), size = get_local_size(0);
  float sum = 0.0f;
  for (uint i = get_global_id(0); i < count; i += get_global_size(0)) sum += in[i];
  scratch[item] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint left = size; left > 1;) {
    const uint half_ = (left + 1) / 2;
    if (item < left / 2) scratch[item] += scratch[item + half_];
    left = half_;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (item == 0) partial[get_group_id(0)] = scratch[0];
}

typedef struct {
  long sum;
  int least, most;
} Summary;

void join(__local Summary *a, __local const Summary *b) {
  a->sum += b->sum;
  a->least = min(a->least, b->least);
  a->most = max(a->most, b->most);
}

__kernel void summary_of_integers(__global const int *in, __global Summary *partial, uint count, __local Summary *scratch) {
  const uint item = get_local_id(0);
  Summary mine = {0, INT_MAX, INT_MIN};
  for (uint i = get_global_id(0); i < count; i += get_global_size(0)) {
    mine.sum += in[i];
    mine.least = min(mine.least, in[i]);
    mine.most = max(mine.most, in[i]);
  }
  scratch[item] = mine;
  for (uint step = 1; step < get_local_size(0); step *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item % (2 * step) == 0 && item + step < get_local_size(0)) join(&scratch[item], &scratch[item + step]);
  }
  if (item == 0) partial[get_group_id(0)] = scratch[0];
}

// Groups of a power of two: the form of most books.
__kernel void largest_of_four(__global const float4 *in, __global float *partial, __local float4 *scratch) {
  const int item = get_local_id(0);
  scratch[item] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = get_local_size(0) >> 1; s > 0; s >>= 1) {
    if (item < s) scratch[item] = fmax(scratch[item], scratch[item + s]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (item == 0) {
    const float2 two = fmax(scratch[0].lo, scratch[0].hi);
    partial[get_group_id(0)] = fmax(two.x, two.y);
  }
}
