// N=128 GROUP=32 OUT=4 IN=1
// What leaves a part of a switch from inside of an if, with and without values that it changes.
__kernel void t(__global uint* out, __global const uint* in, uint n, ulong big) {
  uint i = get_global_id(0), x = in[i], a = 1, b = 2;
  switch (x & 1) {
    case 0:
      if (x & 2) break;
      a = 5;
  }
  switch (x & 3) {
    case 1:
      if (x & 4) break;
    case 2:
      b += 3;
      if (x & 8) {
        if (x & 16) break;
        b *= 7;
      }
      break;
    default:
      if (x & 4) {
      } else {
        break;
      }
      b ^= 9;
  }
  for (uint k = 0; k < 4; k++) {
    switch ((x >> k) & 3) {
      case 0:
        if (x & (16 << k)) continue;
        a += k;
        break;
      case 3:
        if (x & 64) break;
        a *= 3;
      case 1:
        out[i * 4 + 2] = a;
    }
    b += a;
  }
  out[i * 4] = a;
  out[i * 4 + 1] = b;
  out[i * 4 + 3] = n;
}
