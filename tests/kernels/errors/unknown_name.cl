// error at 4:23: a name without a declaration
__kernel void scale(__global float *data, float by) {
  int i = get_global_id(0);
  data[i] = data[i] * factor;
}
