// error at 8:15: an arrow where a dot belongs
typedef struct {
  int first;
} One;

__kernel void add(__global int *out) {
  One one = {1};
  out[0] = one->first;
}
