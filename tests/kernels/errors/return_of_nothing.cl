// error at 3:14: a return without the value that the function has
int one(int n) {
  if (n > 3) return;
  return 1;
}

__kernel void copy(__global int *out) { out[0] = one(4); }
