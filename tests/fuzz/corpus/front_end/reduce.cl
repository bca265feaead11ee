#define GROUP 64
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void reduce(__global const int* restrict in, __global int* restrict out, __local int* scratch) {
  const size_t me = get_local_id(0);
  scratch[me] = in[get_global_id(0)];
  for (int step = GROUP / 2; step > 0; step >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me < step) scratch[me] += scratch[me + step];
  }
  if (me == 0) atomic_add(out, scratch[0]);
}
