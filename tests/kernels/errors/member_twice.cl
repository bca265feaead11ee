// error at 4:9: one member twice
typedef struct {
  int first;
  float first;
} Pair;

__kernel void copy(__global int *out) { out[0] = sizeof(Pair); }
