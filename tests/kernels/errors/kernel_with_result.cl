// error at 2:14: a kernel that is not void
__kernel int copy(__global int *out) {
  out[0] = 1;
  return 2;
}
