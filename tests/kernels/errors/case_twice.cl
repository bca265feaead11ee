// error at 7:5: one case twice
__kernel void copy(__global int *out, int n) {
  switch (n) {
    case 1:
      out[0] = 1;
      break;
    case 1:
      out[0] = 2;
  }
}
