// Sub-groups: each work-item writes what it got. language_subgroup_test.cpp computes the same from the sizes that a kernel tells.
#ifndef cl_khr_subgroups
#error "cl_khr_subgroups is not defined"
#endif

uint place(uint group) { return get_group_id(0) * get_local_size(0) * get_local_size(1) + group * get_max_sub_group_size(); }

__kernel void places(__global uint *out) {
  const size_t i = get_local_linear_id() + get_group_id(0) * get_local_size(0) * get_local_size(1);
  out += 6 * i;
  out[0] = get_max_sub_group_size();
  out[1] = get_num_sub_groups();
  out[2] = get_sub_group_id();
  out[3] = get_sub_group_local_id();
  out[4] = get_sub_group_size();
  out[5] = place(get_sub_group_id()) + get_sub_group_local_id() - i;
}

#define VALUES(TYPE)                                                                              \
  __kernel void values_##TYPE(__global const TYPE *in, __global TYPE *out) {                      \
    const size_t i = get_global_id(0);                                                            \
    const TYPE x = in[i];                                                                         \
    out += 16 * i;                                                                                \
    out[0] = sub_group_reduce_add(x);                                                             \
    out[1] = sub_group_reduce_min(x);                                                             \
    out[2] = sub_group_reduce_max(x);                                                             \
    out[3] = sub_group_scan_inclusive_add(x);                                                     \
    out[4] = sub_group_scan_inclusive_min(x);                                                     \
    out[5] = sub_group_scan_inclusive_max(x);                                                     \
    out[6] = sub_group_scan_exclusive_add(x);                                                     \
    out[7] = sub_group_scan_exclusive_min(x);                                                     \
    out[8] = sub_group_scan_exclusive_max(x);                                                     \
    out[9] = sub_group_broadcast(x, get_sub_group_size() - 1);                                    \
    out[10] = sub_group_shuffle(x, get_sub_group_size() - 1 - get_sub_group_local_id());          \
    const TYPE crossed = sub_group_shuffle_xor(x, 1);                                             \
    out[11] = (get_sub_group_local_id() ^ 1) < get_sub_group_size() ? crossed : x;                \
    const TYPE up = sub_group_shuffle_up(x, 2), down = sub_group_shuffle_down(x, 1);              \
    out[12] = get_sub_group_local_id() >= 2 ? up : x;                                             \
    out[13] = get_sub_group_local_id() + 1 < get_sub_group_size() ? down : x;                     \
    out[14] = sub_group_broadcast_first(x);                                                       \
    out[15] = sub_group_non_uniform_broadcast(x, 0);                                              \
  }
VALUES(int)
VALUES(ulong)
VALUES(float)

__kernel void votes(__global const int *in, __global uint *out) {
  const size_t i = get_global_id(0);
  const int odd = in[i] & 1;
  const uint4 ballot = sub_group_ballot(odd);
  out += 10 * i;
  out[0] = sub_group_any(odd);
  out[1] = sub_group_all(odd);
  out[2] = ballot.x;
  out[3] = sub_group_inverse_ballot(ballot);
  out[4] = sub_group_ballot_bit_count(ballot);
  out[5] = sub_group_ballot_inclusive_scan(ballot);
  out[6] = sub_group_ballot_exclusive_scan(ballot);
  out[7] = ballot.x != 0 ? sub_group_ballot_find_lsb(ballot) : 99;
  out[8] = ballot.x != 0 ? sub_group_ballot_find_msb(ballot) : 99;
  out[9] = sub_group_ballot_bit_extract(ballot, 0);
}

// A sum over the group: each sub-group goes its own way, as often as it likes, and all meet at the barriers.
int rounds(int x, int count) {
  for (int round = 0; round < count; ++round) {
    x = sub_group_shuffle(x, (get_sub_group_local_id() + 1) % get_sub_group_size());
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  }
  return x;
}

__kernel void sums(__global const int *in, __global int *out, __local int *parts) {
  const int x = rounds(in[get_global_id(0)], get_sub_group_id() % 3);
  int sum = 0;
  if (get_sub_group_id() % 2 == 0) {
    sum = sub_group_reduce_add(x);
  } else {
    sum = sub_group_scan_inclusive_add(x);
    sum = sub_group_broadcast(sum, get_sub_group_size() - 1);
  }
  if (get_sub_group_local_id() == 0) parts[get_sub_group_id()] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  int all = 0;
  for (uint i = 0; i < get_num_sub_groups(); ++i) all += parts[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  parts[get_sub_group_id()] = 0;
  out[get_global_id(0)] = all;
}
