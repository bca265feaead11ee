// Halves in memory: vectors of every length, stored in every rounding mode and loaded from every address space.
//
// 80 halves for each call and one more that stays: what follows a vector of three is not written.
#define STORE(N, MODE)                                                    \
  vstore_half##N##MODE(vload##N(0, in), 1, out);                          \
  vstorea_half##N##MODE(vload##N(0, in), 1, out + 40);                    \
  out += 80;
#define STORES(MODE)                                                                          \
  __kernel void halves##MODE(__global const float *in, __global half *out) {                  \
    in += get_global_id(0) * 16;                                                              \
    out += get_global_id(0) * 401;                                                            \
    STORE(2, MODE) STORE(3, MODE) STORE(4, MODE) STORE(8, MODE) STORE(16, MODE)               \
    vstore_half##MODE(in[0], 0, out);                                                         \
  }
STORES()
STORES(_rte)
STORES(_rtz)
STORES(_rtp)
STORES(_rtn)

__constant ushort stored[8] = {0x3c00, 0xc000, 0x7bff, 0x0001, 0x8400, 0x7c00, 0x3555, 0x0000};

__kernel void loads(__global const half *in, __global float *out, __local half *near) {
  __private ushort own[8];
  for (int i = 0; i < 8; ++i) own[i] = stored[7 - i];
  for (int i = 0; i < 16; ++i) ((__local ushort *)near)[i] = ((__global const ushort *)in)[i + 3];
  out[0] = vload_half(5, in);
  out[1] = vload_half(2, near);
  vstore2(vload_half2(1, in), 1, out);
  vstore3(vload_half3(1, in), 0, out + 4);
  vstore3(vloada_half3(1, in), 1, out + 4);
  vstore4(vload_half4(0, (__constant half *)stored), 0, out + 10);
  vstore4(vloada_half4(1, (__private half *)own), 1, out + 10);
  vstore8(vload_half8(1, near), 0, out + 18);
  vstore16(vload_half16(0, near), 0, out + 26);
}
