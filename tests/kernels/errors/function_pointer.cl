// error at 5:9: a pointer to a function
int one(void) { return 1; }

__kernel void copy(__global int *out) {
  int (*f)(void) = one;
  out[0] = f();
}
