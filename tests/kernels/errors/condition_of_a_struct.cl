// error at 8:7: a struct as a condition
typedef struct {
  int first;
} One;

__kernel void copy(__global int *out) {
  One one = {1};
  if (one) out[0] = 1;
}
