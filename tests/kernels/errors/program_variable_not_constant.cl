// error at 2:5: a variable at program scope in no address space
int table[3] = {1, 2, 3};

__kernel void copy(__global int *out) {
  out[0] = table[1];
}
