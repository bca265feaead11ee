// Functions on vectors for every type and number of lanes: shuffles with masks of other lengths, any and all, bounds that are
// scalars, and bits of vectors as those of others.
#define SHUFFLE(M, N)                                                                  \
  vstore##N(shuffle(vload##M(0, in), vload##N(0, masks)), 0, out);                     \
  vstore##N(shuffle2(vload##M(0, in), vload##M(1, in), vload##N(0, masks)), 1, out);   \
  out += 2 * N;
#define SHUFFLES_OF(M, T, U)                                                                               \
  __kernel void shuffles_##M##_##T(__global const T *in, __global const U *masks, __global T *out) {       \
    SHUFFLE(M, 2) SHUFFLE(M, 4) SHUFFLE(M, 8) SHUFFLE(M, 16)                                               \
  }
#define SHUFFLES(T, U) SHUFFLES_OF(2, T, U) SHUFFLES_OF(4, T, U) SHUFFLES_OF(8, T, U) SHUFFLES_OF(16, T, U)
SHUFFLES(char, uchar)
SHUFFLES(uchar, uchar)
SHUFFLES(short, ushort)
SHUFFLES(ushort, ushort)
SHUFFLES(int, uint)
SHUFFLES(uint, uint)
SHUFFLES(long, ulong)
SHUFFLES(ulong, ulong)
SHUFFLES(float, uint)

#define TEST(N) \
  *out++ = any(vload##N(0, in)); \
  *out++ = all(vload##N(0, in));
#define TESTS(T)                                                        \
  __kernel void tests_##T(__global const T *in, __global int *out) {    \
    in += get_global_id(0) * 16;                                        \
    out += get_global_id(0) * 12;                                       \
    *out++ = any(*in);                                                  \
    *out++ = all(*in);                                                  \
    TEST(2) TEST(3) TEST(4) TEST(8) TEST(16)                            \
  }
TESTS(char)
TESTS(short)
TESTS(int)
TESTS(long)

// Each number of lanes writes 16 results at most, and what lies after its lanes stays as it was.
#define BOUND(N)                                                  \
  vstore##N(clamp(vload##N(0, in), low, high), 0, out);           \
  vstore##N(max(vload##N(0, in), low), 0, out + 16);              \
  vstore##N(min(vload##N(0, in), high), 0, out + 32);             \
  out += 48;
#define BOUNDS(T)                                                                        \
  __kernel void bounds_##T(__global const T *in, __global T *out, T low, T high) {       \
    BOUND(2) BOUND(3) BOUND(4) BOUND(8) BOUND(16)                                        \
  }
BOUNDS(char)
BOUNDS(uchar)
BOUNDS(short)
BOUNDS(ushort)
BOUNDS(int)
BOUNDS(uint)
BOUNDS(long)
BOUNDS(ulong)
BOUNDS(float)

__kernel void bits(__global const uint *in, __global uint *out) {
  uint4 v = vload4(0, in);
  vstore3(as_uint3(v), 0, out);
  vstore3(as_uint3(as_float3(v)), 1, out);
  vstore3(as_uint4(as_float3(v)).xyz, 2, out);
  vstore4(as_uint4(as_short8(v).s76543210), 0, out + 9);
  vstore4(as_uint4(as_ulong2(v).yx), 1, out + 9);
  vstore4(as_uint4(as_uchar16(v).sfedcba9876543210), 2, out + 9);
  out[21] = as_uint(as_uchar4(as_uchar3(in[0])).xyzx);
  out[22] = as_uint(as_char4(as_short2(in[1])).wzyx);
  vstore2(as_uint2(as_ushort4(as_long(v.xy)).wzyx), 0, out + 23);
  vstore2(as_uint2(as_ulong(as_int2(v.zw)) + 1), 1, out + 23);
  vstore4(as_uint4(as_long3((ulong4)(in[0], in[1], in[2], 0)).zy), 0, out + 27);
}
