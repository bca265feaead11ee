// Prefix sums: Blelloch's tree over groups in three launches, Hillis and Steele's steps between two halves of local memory, and sums of
// segments that begin at flags.

// Exclusive sums of 2 * group size elements, and the sum of all of them. The group size is a power of two.
__kernel void scan_blelloch(__global const int* in, __global int* out, __global int* sums, uint count, __local int* tree) {
  const uint lane = get_local_id(0);
  const uint size = get_local_size(0);
  const uint base = get_group_id(0) * 2 * size;
  tree[2 * lane] = base + 2 * lane < count ? in[base + 2 * lane] : 0;
  tree[2 * lane + 1] = base + 2 * lane + 1 < count ? in[base + 2 * lane + 1] : 0;
  uint offset = 1;
  for (uint active = size; active > 0; active >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < active) tree[offset * (2 * lane + 2) - 1] += tree[offset * (2 * lane + 1) - 1];
    offset *= 2;
  }
  if (lane == 0) {
    sums[get_group_id(0)] = tree[2 * size - 1];
    tree[2 * size - 1] = 0;
  }
  for (uint active = 1; active <= size; active *= 2) {
    offset >>= 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < active) {
      const uint left = offset * (2 * lane + 1) - 1;
      const uint right = offset * (2 * lane + 2) - 1;
      const int value = tree[left];
      tree[left] = tree[right];
      tree[right] += value;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (base + 2 * lane < count) out[base + 2 * lane] = tree[2 * lane];
  if (base + 2 * lane + 1 < count) out[base + 2 * lane + 1] = tree[2 * lane + 1];
}
__kernel void scan_add(__global int* out, __global const int* sums, uint count, uint part) {
  const uint i = get_global_id(0);
  if (i < count) out[i] += sums[i / part];
}

// Inclusive sums of each group.
__kernel void scan_hillis(__global const float* in, __global float* out, int count, __local float* halves) {
  int lane = get_local_id(0);
  int size = get_local_size(0);
  int i = get_global_id(0);
  int from = 0, to = size;
  halves[lane] = i < count ? in[i] : 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int distance = 1; distance < size; distance <<= 1) {
    if (lane >= distance)
      halves[to + lane] = halves[from + lane] + halves[from + lane - distance];
    else
      halves[to + lane] = halves[from + lane];
    const int other = from;
    from = to;
    to = other;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i < count) out[i] = halves[from + lane];
}

// Inclusive sums that start again at each flag, and at the first element of each group.
__kernel void scan_segmented(__global const uint* in, __global const uchar* flags, __global uint* out, ulong count,
                             __local uint* values, __local uchar* heads) {
  const size_t i = get_global_id(0);
  const size_t lane = get_local_id(0);
  values[lane] = i < count ? in[i] : 0;
  heads[lane] = i < count ? flags[i] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t distance = 1; distance < get_local_size(0); distance *= 2) {
    uint value = values[lane];
    uchar head = heads[lane];
    if (lane >= distance) {
      if (!head) value += values[lane - distance];
      head |= heads[lane - distance];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    values[lane] = value;
    heads[lane] = head;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i < count) out[i] = values[lane];
}
