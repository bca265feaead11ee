// error at 3:13: clamp with two arguments
__kernel void scale(__global float *data) {
  data[0] = clamp(data[0], 1.0f);
}
