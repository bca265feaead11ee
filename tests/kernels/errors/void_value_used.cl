// error at 5:15: a value of a function that has none
void nothing(int n) {}

__kernel void copy(__global int *out) {
  int value = nothing(3);
  out[0] = value;
}
