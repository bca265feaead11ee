// error at 3:8: a half that is to be calculated with, where cl_khr_fp16 is not enabled
__kernel void k(__global half *a) {
  half x = a[0];
}
