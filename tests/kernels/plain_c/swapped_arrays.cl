// N=256 GROUP=32 OUT=1 IN=4
// Two private arrays that change places: w0 + 3*w1 + 3*w2 + w3 of an item's four words.
__kernel void t(__global uint *out, __global const uint *in, uint n, ulong big) {
  uint even[4], odd[4], *from = even, *to = odd;
  for (int i = 0; i < 4; i++) from[i] = in[4 * get_global_id(0) + i];
  for (int step = 0; step < 3; step++) {
    for (int i = 0; i < 4; i++) to[i] = from[i] + from[(i + 1) & 3];
    uint *other = from;
    from = to;
    to = other;
  }
  if (get_global_id(0) < n) out[get_global_id(0)] = from[0];
}
