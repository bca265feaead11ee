// Conversions of vectors of every length: integers that keep to the range of another type, and reals in every rounding mode.
#define KEEP(T, N)                                                                                          \
  vstore##N(convert_##T##N##_sat(vload##N(0, in)), 0, out); out += N;                                       \
  vstore##N(convert_##T##N##_sat_rtp(as_ulong##N(vload##N(0, in))), 0, out); out += N;                      \
  vstore##N(convert_##T##N(convert_short##N(vload##N(0, in))), 0, out); out += N;                           \
  vstore##N(convert_##T##N##_sat_rte(convert_short##N(vload##N(0, in))), 0, out); out += N;
#define KEEPS_OF(T, N) __kernel void keeps_##N##_##T(__global const long *in, __global T *out) { KEEP(T, N) }
#define KEEPS(T) KEEPS_OF(T, 2) KEEPS_OF(T, 3) KEEPS_OF(T, 4) KEEPS_OF(T, 8) KEEPS_OF(T, 16)
KEEPS(char)
KEEPS(uchar)
KEEPS(short)
KEEPS(ushort)
KEEPS(int)
KEEPS(uint)
KEEPS(long)
KEEPS(ulong)

// Reals to integers that saturate, in every rounding mode, and integers to reals.
#define ROUND(T, N, MODE) \
  vstore##N(convert_##T##N##_sat##MODE(vload##N(0, in)), 0, out); \
  out += N;
#define ROUNDS(T, N) ROUND(T, N, ) ROUND(T, N, _rte) ROUND(T, N, _rtz) ROUND(T, N, _rtp) ROUND(T, N, _rtn)
#define REALS(T)                                                                                \
  __kernel void reals_##T(__global const float *in, __global T *out) {                          \
    in += get_global_id(0) * 16;                                                                \
    out += get_global_id(0) * 165;                                                              \
    ROUNDS(T, 2) ROUNDS(T, 3) ROUNDS(T, 4) ROUNDS(T, 8) ROUNDS(T, 16)                           \
  }
REALS(char)
REALS(uchar)
REALS(short)
REALS(ushort)
REALS(int)
REALS(uint)
REALS(long)
REALS(ulong)

#define WHOLE(N, MODE) \
  vstore##N(convert_float##N##MODE(vload##N(0, in)), 0, out); \
  out += N;
#define WHOLES(T)                                                                      \
  __kernel void wholes_##T(__global const T *in, __global float *out) {                \
    WHOLE(2, ) WHOLE(3, _rte) WHOLE(4, _rtz) WHOLE(8, _rtp) WHOLE(16, _rtn)            \
  }
WHOLES(short)
WHOLES(int)
WHOLES(uint)
WHOLES(long)
WHOLES(ulong)
