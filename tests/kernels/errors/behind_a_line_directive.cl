// error at renamed.cl:101:12: an error at a line that #line names
#line 100 "renamed.cl"
__kernel void copy(__global int *out) {
  out[0] = missing;
}
