// N=128 GROUP=32 OUT=4 IN=3
// Kernels that others call, declared in another order than they stand in, with arguments that they change.
struct S {
  uint a[5];
};
__kernel void later(__global uint* out, uint v);
__kernel void sub(__global uint* out, uint v, struct S s) {
  s.a[v % 5] += 3;
  if (v & 1) return;
  out[get_global_id(0) * 4 + 1] += s.a[2] + v;
  s.a[0] = 3;
}
__kernel void later(__global uint* out, uint v) { out[get_global_id(0) * 4 + 2] = v * 3; }
__kernel void t(__global uint* out, __global const uint* in, uint n, ulong big) {
  uint i = get_global_id(0), v = in[i * 3];
  struct S s = {{1, 2, 3, 4, v}};
  out[i * 4 + 1] = 1;
  sub(out, v, s);
  sub(out, v + 1, s);
  later(out, v ^ 9);
  out[i * 4] = s.a[0] + s.a[4];
  out[i * 4 + 3] = n;
}
