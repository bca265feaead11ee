// Bitonic sort of each group's block in local memory. Groups of a power of two; a block is twice the group.
#define ORDER(a, b, up)            \
  if ((scratch[a] > scratch[b]) == (up)) { \
    uint t = scratch[a];           \
    scratch[a] = scratch[b];       \
    scratch[b] = t;                \
  }

__kernel void bitonic(__global uint *data, uint count, int up, __local uint *scratch) {
  const uint item = get_local_id(0), size = get_local_size(0), base = get_group_id(0) * size * 2;
  const uint filler = up ? UINT_MAX : 0;
  scratch[item] = base + item < count ? data[base + item] : filler;
  scratch[item + size] = base + item + size < count ? data[base + item + size] : filler;
  for (uint length = 2; length <= 2 * size; length <<= 1) {
    for (uint step = length >> 1; step > 0; step >>= 1) {
      barrier(CLK_LOCAL_MEM_FENCE);
      const uint low = 2 * item - (item & (step - 1));
      const bool rising = ((low & length) == 0) == (up != 0);
      ORDER(low, low + step, rising);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (base + item < count) data[base + item] = scratch[item];
  if (base + item + size < count) data[base + item + size] = scratch[item + size];
}

// Odd-even transposition of keys with their values; groups of any size.
__kernel void odd_even(__global int2 *pairs, uint count, __local int2 *scratch) {
  const uint item = get_local_id(0), size = get_local_size(0), base = get_group_id(0) * size;
  const uint mine = base < count ? min(size, count - base) : 0;
  if (item < mine) scratch[item] = pairs[base + item];
  for (uint round = 0; round < mine; ++round) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint a = 2 * item + (round & 1);
    if (a + 1 < mine && scratch[a].x > scratch[a + 1].x) {
      const int2 t = scratch[a];
      scratch[a] = scratch[a + 1];
      scratch[a + 1] = t;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item < mine) pairs[base + item] = scratch[item];
}
