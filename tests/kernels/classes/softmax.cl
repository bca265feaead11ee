// Softmax of the rows of a matrix: a group for each row, with two reductions by a helper that has barriers.
#define JOIN_MAX(a, b) fmax(a, b)
#define JOIN_SUM(a, b) ((a) + (b))
#define DEFINE_REDUCE(name, join)                                        \
  float name(__local float *scratch, float value) {                      \
    const int item = get_local_id(0);                                    \
    scratch[item] = value;                                               \
    barrier(CLK_LOCAL_MEM_FENCE);                                        \
    for (int left = get_local_size(0); left > 1; left = (left + 1) / 2) { \
      const int other = item + (left + 1) / 2;                           \
      if (other < left) scratch[item] = join(scratch[item], scratch[other]); \
      barrier(CLK_LOCAL_MEM_FENCE);                                      \
    }                                                                    \
    const float result = scratch[0];                                     \
    barrier(CLK_LOCAL_MEM_FENCE);                                        \
    return result;                                                       \
  }

DEFINE_REDUCE(group_max, JOIN_MAX)
DEFINE_REDUCE(group_sum, JOIN_SUM)

__kernel void softmax(__global const float *in, __global float *out, int columns, __local float *scratch) {
  __global const float *row = in + get_group_id(0) * columns;
  __global float *result = out + get_group_id(0) * columns;
  const int item = get_local_id(0), size = get_local_size(0);
  float most = -INFINITY, sum = 0.0f;
  for (int i = item; i < columns; i += size) most = fmax(most, row[i]);
  most = group_max(scratch, most);
  for (int i = item; i < columns; i += size) sum += exp(row[i] - most);
  sum = group_sum(scratch, sum);
  for (int i = item; i < columns; i += size) result[i] = exp(row[i] - most) / sum;
}

// Mean and deviation of each row, as a layer of a network uses them.
__kernel void normalise(__global float *data, int columns, float epsilon, __local float *scratch) {
  __global float *row = data + get_group_id(0) * columns;
  float sum = 0.0f, squares = 0.0f;
  for (int i = get_local_id(0); i < columns; i += get_local_size(0)) sum += row[i];
  const float mean = group_sum(scratch, sum) / columns;
  for (int i = get_local_id(0); i < columns; i += get_local_size(0)) squares += pown(row[i] - mean, 2);
  const float scale = rsqrt(group_sum(scratch, squares) / columns + epsilon);
  for (int i = get_local_id(0); i < columns; i += get_local_size(0)) row[i] = (row[i] - mean) * scale;
}
