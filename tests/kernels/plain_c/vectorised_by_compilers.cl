// N=300 GROUP=64 OUT=3 IN=2
// No lanes: truths are counted with, and an assignment stands after ?:. So items are left to the compiler's vectoriser, and
// each needs arrays, records and variables with an address of its own. clang once gave several items the same.
struct Pair {
  uint a, b;
};
uint second(uint v) {
  uint keep[3] = {v, v + 1, v * 3};
  keep[v % 3]++;
  return keep[(v + 1) % 3];
}
struct Row {
  uint of[4];
};
uint third(struct Row row, uint v) {
  row.of[v >> 2 & 3]++;
  return row.of[v & 3] + row.of[v >> 4 & 3];
}
__kernel void t(__global uint* out, __global const uint* in, uint n, ulong big) {
  uint gid = get_global_id(0), v = in[gid];
  bool b = v & 1, c = v & 2;
  b &= v & 5;
  bool many[3] = {v & 1, v & 2, (v & 4) == 4};
  many[v % 3] = many[(v + 1) % 3] + many[0];
  out[gid * 3] = many[0] + many[1] * 2 + many[2] * 4 + b * 8 + c * 16;
  struct Pair pair = {v, v >> 3};
  uint *p = &pair.a + (v & 1), k = 3;
  *p = v & 8 ? k++ : k--;
  out[gid * 3 + 1] = pair.a + pair.b * 3 + k;
  struct Row row = {{v, v * 3, v * 5, v * 7}};
  out[gid * 3 + 2] = second(v) + third(row, v) + (v & 16 ? k++ : 5);
}
