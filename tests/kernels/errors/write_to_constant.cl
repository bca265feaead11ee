// error at 5:12: a write into __constant memory
__constant int table[3] = {1, 2, 3};

__kernel void copy(__global int *out) {
  table[1] = 5;
  out[0] = table[1];
}
