// error at 3:12: the address of a __global element in a private pointer
__kernel void copy(__global int *data) {
  int *p = &data[1];
  *p = 3;
}
