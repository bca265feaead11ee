// error at 3:21: a remainder of floating numbers
__kernel void rest(__global float *data) {
  data[0] = data[0] % 2.0f;
}
