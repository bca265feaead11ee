// error at 8:14: a struct where a number belongs
typedef struct {
  int first;
} One;

__kernel void add(__global int *out) {
  One one = {1};
  out[0] = 3 + one;
}
