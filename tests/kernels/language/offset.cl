/* What a global offset changes, kernel by kernel: groups that join, barriers, fibers, helpers, borders, pointers that walk. */
size_t global_place(uint d) { return get_global_id(d) - get_global_offset(d); }
size_t linear_place(void) { return get_global_linear_id(); }

__kernel void ids(__global ulong *out) {
  __global ulong *r = out + get_global_linear_id() * 16;
  for (uint d = 0; d < 3; ++d) {
    r[d] = get_global_id(d);
    r[3 + d] = get_local_id(d);
    r[6 + d] = get_group_id(d);
    r[9 + d] = get_global_size(d);
    r[12 + d] = get_global_offset(d);
  }
  r[15] = get_global_id(3) + get_global_offset(5) + get_work_dim();
}

/* Nothing of a group: neighbours may run together. */
__kernel void joined(__global uint *out) {
  const uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  out[get_global_linear_id()] = x * 3 + y * 1000 + z * 1000000 + (uint)get_global_offset(0);
}

__kernel void in_helpers(__global uint *out) {
  const size_t x = global_place(0), y = global_place(1), z = global_place(2);
  out[(z * get_global_size(1) + y) * get_global_size(0) + x] += (uint)linear_place() + 1;
}

/* A slice of one array: the ids are the places themselves. */
__kernel void slice(__global const float *in, __global float *out, uint n) {
  const uint i = get_global_id(0);
  if (i >= n) return;
  out[i] = in[i] * 2 + 1;
}

__kernel void slice_of_vectors(__global const uint *in, __global uint *out, int low, int high) {
  const int i = get_global_id(0);
  if (i > low && i < high) vstore4(vload4(i, in) + (uint4)(i, 1, 2, 3), i, out);
  if (i == low) out[4 * i] = 77;
}

__kernel void rows(__global const uint *in, __global uint *out, uint width, uint height) {
  const uint x = get_global_id(0), y = get_global_id(1);
  if (x < width && y < height) out[x * height + y] = in[y * width + x];
}

__kernel void sums(__global const uint *in, __global uint *out, uint turns) {
  const size_t i = get_global_id(0);
  __global const uint *p = in + i * turns;
  uint sum = 0;
  for (uint k = 0; k < turns; ++k) sum = sum * 3 + *p++;
  out[i] = sum;
}

__kernel void barriers(__global uint *out, __local uint *scratch) {
  const uint l = get_local_id(0), n = get_local_size(0);
  scratch[l] = get_global_id(0) * 10 + get_group_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint other = scratch[n - 1 - l];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_linear_id()] = other + (uint)get_global_offset(0);
}

/* A jump over a barrier: such kernels run on fibers. */
__kernel void jumps(__global uint *out, __local uint *scratch, uint turns) {
  const uint l = get_local_id(0), n = get_local_size(0);
  uint sum = 0, k = 0;
again:
  scratch[l] = get_global_id(0) + k;
  barrier(CLK_LOCAL_MEM_FENCE);
  sum += scratch[(l + 1) % n];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (++k < turns) goto again;
  out[get_global_id(0) - get_global_offset(0)] = sum;
}

__kernel void counted(__global uint *counter, __global uint *wrong, uint first, uint end) {
  const uint i = get_global_id(0);
  atomic_inc(counter);
  if (i < first || i >= end) atomic_inc(wrong);
}

__kernel __attribute__((reqd_work_group_size(8, 2, 1))) void fixed(__global uint *out) {
  out[get_global_linear_id()] = (uint)get_global_id(0) + 100 * (uint)get_global_id(1);
}
