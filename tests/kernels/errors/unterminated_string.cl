// error at 3:27: a string without an end
__kernel void copy(__global int *out) {
  __constant char *text = "abc;
  out[0] = text[0];
}
