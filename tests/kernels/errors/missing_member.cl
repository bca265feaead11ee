// error at 8:38: a member that the struct does not have
typedef struct {
  int first, second;
} Pair;

__kernel void add(__global const Pair *pairs, __global int *out) {
  int i = get_global_id(0);
  out[i] = pairs[i].first + pairs[i].third;
}
