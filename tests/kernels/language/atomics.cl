// Kernels whose groups meet at atomic functions on global memory: all at one word, or each at words of its own.
__kernel void counted(__global uint* bins, __global uint* runs, uint mask, uint n) {
  const uint i = get_global_id(0);
  if (i >= n) return;
  atomic_inc(&bins[i & mask]);
  runs[i] += 1;
}

__kernel void tickets(__global uint* next, __global uint* taken, uint n) {
  const uint i = get_global_id(0);
  if (i < n) taken[atomic_inc(next)] = i;
}

void addTo(volatile __global uint* to, uint value) { atomic_add(to, value); }

__kernel void group_sums(__global const uint* in, __global uint* sums, __global uint* runs, uint mask, __local uint* beside) {
  __local uint sum;
  const uint i = get_local_id(0), size = get_local_size(0), group = get_group_id(0) + get_group_id(1) * get_num_groups(0);
  if (i == 0) sum = 0;
  beside[i] = in[group * size + i];
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&sum, beside[size - 1 - i]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i != 0) return;
  addTo(&sums[group & mask], sum);
  runs[group] += 1;
}
