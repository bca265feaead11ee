// Every function that tells a work-item where it is, in one, two and three dimensions.
__kernel void ids(__global ulong *out) {
  size_t linear = get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2));
  __global ulong *r = out + linear * 24;
  for (uint d = 0; d < 3; ++d) {
    r[d] = get_global_id(d);
    r[3 + d] = get_local_id(d);
    r[6 + d] = get_group_id(d);
    r[9 + d] = get_global_size(d);
    r[12 + d] = get_local_size(d);
    r[15 + d] = get_num_groups(d);
    r[18 + d] = get_global_offset(d);
  }
  r[21] = get_global_id(3) + get_local_id(4) + get_group_id(5) + get_global_offset(7);
  r[22] = get_global_size(3) * 100 + get_local_size(3) * 10 + get_num_groups(9);
  r[23] = get_work_dim();
}

__kernel void ids_after_barriers(__global uint *out, __local uint *scratch) {
  uint w = get_local_size(0), h = get_local_size(1);
  uint lx = get_local_id(0), ly = get_local_id(1), lz = get_local_id(2);
  uint inside = lx + w * (ly + h * lz), count = w * h * (uint)get_local_size(2);
  scratch[inside] = (uint)get_global_id(0) + 100 * (uint)get_global_id(1) + 10000 * (uint)get_global_id(2);
  barrier(CLK_LOCAL_MEM_FENCE);
  uint other = scratch[count - 1 - inside];
  size_t linear = get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2));
  barrier(CLK_LOCAL_MEM_FENCE);
  out[linear] = other;
}

size_t place(uint dimension) { return get_group_id(dimension) * get_local_size(dimension) + get_local_id(dimension); }

__kernel void ids_in_helpers(__global uint *out) {
  size_t linear = place(0) + get_global_size(0) * (place(1) + get_global_size(1) * place(2));
  out[linear] = (uint)linear;
}

__kernel __attribute__((reqd_work_group_size(4, 2, 1))) void required_size(__global uint *out) {
  out[get_global_id(0) + get_global_id(1) * get_global_size(0)] = (uint)(get_local_size(0) * 10 + get_local_size(1));
}
