// Kernels for groups of up to three dimensions, each of which writes a word for each work-item. PLACE is where.
#define PLACE                                                                                                      \
  ((get_global_id(2) - get_global_offset(2)) * get_global_size(1) + get_global_id(1) - get_global_offset(1)) *     \
          get_global_size(0) + get_global_id(0) - get_global_offset(0)
#define LOCAL ((get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0))
#define ITEMS (get_local_size(0) * get_local_size(1) * get_local_size(2))

__kernel void ids(__global uint* out, __global const uint* in, uint n) {
  uint sum = get_global_id(0) + 3u * get_global_id(1) + 5u * get_global_id(2);
  sum += 7u * get_local_id(0) + 11u * get_local_id(1) + 13u * get_local_id(2);
  sum += 17u * get_group_id(0) + 19u * get_group_id(1) + 23u * get_group_id(2);
  sum += 29u * get_num_groups(0) + 31u * get_num_groups(1) + 37u * get_num_groups(2);
  sum += 41u * get_local_size(0) + 43u * get_local_size(1) + 47u * get_local_size(2);
  sum += 53u * get_global_offset(0) + 59u * get_global_offset(1) + 61u * get_global_offset(2);
  out[PLACE] = sum + 67u * (uint)get_local_id(3) + 71u * (uint)get_local_size(3);
}

// Neighbours of each dimension exchange values, and some items take no part.
__kernel void barriers(__global uint* out, __global const uint* in, uint n) {
  __local uint shared[4096];
  const uint l = LOCAL, x = get_local_id(0), y = get_local_id(1), z = get_local_id(2);
  uint kept = in[(l * 5u + n) & 1023u] + x * 100u + y * 10u + z;
  for (uint turn = 0; turn < 3u; ++turn) {
    shared[l] = kept;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint other = (l + 1u + turn * get_local_size(0)) % ITEMS;
    kept = kept * 3u + shared[other] + (y > 2u ? in[(x + turn) & 1023u] : turn);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[PLACE] = kept;
}

// Items leave before a barrier, at loops of different length, and in their middle.
__kernel void leaving(__global uint* out, __global const uint* in, uint n) {
  __local uint shared[4096];
  const uint l = LOCAL;
  uint sum = 0;
  for (uint i = 0; i < (get_local_id(1) & 7u) + get_local_id(2); ++i) {
    sum += in[(l + i * 3u) & 1023u] ^ i;
    if (sum % 11u == 3u) break;
  }
  shared[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_global_id(1) > n) return;
  if (get_local_id(0) == 1 && in[l & 1023u] % 3u == 0) return;
  barrier(CLK_LOCAL_MEM_FENCE);  // of those that are still there
  uint own[5];
  for (uint i = 0; i < 5u; ++i) own[(i + l) % 5u] = shared[(l * (i + 1u)) % ITEMS] + i;
  for (uint i = 0; i < 5u; ++i) sum = sum * 5u + own[i];
  out[PLACE] = sum;
}

// Rows of four numbers along each dimension, through casts and functions for vectors.
__kernel void rows(__global uint* out, __global const uint* in, uint n) {
  const int x = get_local_id(0), y = get_local_id(1), z = get_local_id(2);
  const int at = (int)(y * 4 + z * 64 + x * 16) & 1020;
  uint4 a = *(__global const uint4*)(in + at), b = vload4(x & 3, in + (y & 63));
  a = a * 3u + b.wzyx;
  for (int i = 0; i < y + 1; ++i) a.xy += (uint2)(in[(at + i) & 1023], in[(y + i) & 1023]);
  out[PLACE] = a.x ^ a.y * 3u ^ a.z * 5u ^ a.w * 7u;
}

// Counts of groups inside a loop that items leave at different turns.
__kernel void counts(__global uint* out, __global const uint* in, uint n) {
  uint sum = 0;
  for (uint i = 0; i < 9u; ++i) {
    if (in[(get_local_id(0) + get_local_id(1) * 3u + get_local_id(2) * 5u + i) & 1023u] % 5u == 0) break;
    if (i == get_local_id(1)) continue;
    sum += get_num_groups(0) + 3u * get_num_groups(1) + 5u * get_num_groups(2) + 7u * (uint)get_global_size(2) + i;
  }
  out[PLACE] = sum;
}

uint helped(__local uint* shared, uint l, uint by) {
  barrier(CLK_LOCAL_MEM_FENCE);
  return shared[l] * by;
}

// A helper that waits becomes a part of the kernel; one that asks for an id keeps the kernel as it is.
__kernel void helping(__global uint* out, __global const uint* in, uint n) {
  __local uint shared[4096];
  shared[ITEMS - 1u - LOCAL] = get_local_id(1) * 9u + get_local_id(0);
  out[PLACE] = helped(shared, LOCAL, 3u) + get_group_id(1);
}
uint asking(uint by) { return get_local_id(1) * by + get_local_id(0) + get_local_linear_id(); }
__kernel void asked(__global uint* out, __global const uint* in, uint n) {
  out[PLACE] = asking(5u) + in[get_local_id(1)] + (uint)get_work_dim() * 1000u;
}
__kernel void linear(__global uint* out, __global const uint* in, uint n) {
  const uint d = n & 1u;
  out[PLACE] = (uint)get_local_linear_id() * 3u + (uint)get_local_id(d) + in[get_local_id(1)];
}

// What goes on in the middle has items on fibers.
__kernel void fibers(__global uint* out, __global const uint* in, uint n) {
  __local uint shared[4096];
  uint i = 0, l = LOCAL;
again:
  shared[l] = in[(l + i) & 1023u] + get_local_id(1);
  barrier(CLK_LOCAL_MEM_FENCE);
  uint sum = shared[(l + 7u) % ITEMS];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (++i < 3u) goto again;
  out[PLACE] = sum + get_local_id(2) * 5u;
}

// Code that is long, as that of a compiler for tiles is: 40 sums of an item's own, before and after a barrier.
#define EACH_8(f, at) f(at) f(at + 1) f(at + 2) f(at + 3) f(at + 4) f(at + 5) f(at + 6) f(at + 7)
#define EACH_40(f) EACH_8(f, 0) EACH_8(f, 8) EACH_8(f, 16) EACH_8(f, 24) EACH_8(f, 32)
#define ADD(i) sums[i] = sums[i] * 3u + in[x + y * 3u + z + (i) * 11u];
#define MIX(i) sums[i] ^= shared[(l + (i)) % ITEMS] * (i + 1);
#define JOIN(i) sum = sum * 5u + sums[i];
__kernel void lengthy(__global uint* out, __global const uint* in, uint n) {
  __local uint shared[4096];
  const uint l = LOCAL, x = get_global_id(0), y = get_local_id(1), z = get_local_id(2);
  uint sums[40], sum = 0;
  for (uint i = 0; i < 40u; ++i) sums[i] = i;
  for (uint turn = 0; turn < 2u + (n & 1u); ++turn) { EACH_40(ADD) }
  shared[l] = sums[5] ^ sums[39];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (in[l & 1023u] % 3u != 0u) { MIX(3) MIX(7) MIX(38) } else sums[n % 40u] += x;
  EACH_40(JOIN)
  out[PLACE] = sum;
}

// And of an item that knows nothing of its group, so that neighbouring groups may run together.
__kernel void lengthy_joined(__global uint* out, __global const uint* in, uint n) {
  const uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  uint sums[40], sum = 0;
  for (uint i = 0; i < 40u; ++i) sums[i] = i;
  for (uint turn = 0; turn < 2u + (n & 1u); ++turn) { EACH_40(ADD) }
  sums[n % 40u] += x;
  EACH_40(JOIN)
  out[PLACE] = sum;
}
