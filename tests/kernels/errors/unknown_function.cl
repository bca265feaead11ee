// error at 4:13: a function that there is not
__kernel void scale(__global float *data) {
  int i = get_global_id(0);
  data[i] = squareroot(data[i]);
}
