// N=256 GROUP=64 OUT=4 IN=4
// Pointers to bytes that each item moves: read, written, in arrays, and to an array of words between barriers.
__kernel void t(__global uint* out, __global const uint* in, uint n, ulong big) {
  size_t g = get_global_id(0);
  __global uchar* to = (__global uchar*)(out + 4 * g);
  out[4 * g] = 1;
  to += in[g] & 3;
  *to = 5;
  __global const uchar* from = (__global const uchar*)in;
  from += g;
  uint sum = *from;
  if (in[g] & 1) from++;
  sum = sum * 7 + *from;
  out[4 * g + 1] = sum;
  __global const uchar* both[2] = {from, (__global const uchar*)in};
  both[1] = both[0] + (in[g] & 3);
  out[4 * g + 2] = *(both[0] += 3) + *++both[1];
  uint words[4] = {in[g], 1, 2, 3};
  uchar* bytes = (uchar*)words;
  bytes[in[g] & 15] ^= 1;
  *(bytes + 5) = (uchar)g;
  out[4 * g + 3] = words[0] + words[1] * 3 + words[2] * 5 + words[3];
}
