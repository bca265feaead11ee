// Conversions: casts, implicit ones, convert_ with saturation and rounding, as_, and the sizes of types.
__kernel void of_floats(__global const float *in, __global int *out) {
  int g = get_global_id(0);
  float f = in[g];
  __global int *r = out + g * 24;
  r[0] = convert_uchar_sat(f);
  r[1] = convert_char_sat(f);
  r[2] = convert_short_sat_rte(f);
  r[3] = (int)convert_ushort_sat_rtp(f);
  r[4] = convert_int_rte(f);
  r[5] = convert_int_rtz(f);
  r[6] = convert_int_rtp(f);
  r[7] = convert_int_rtn(f);
  r[8] = convert_int(f);
  r[9] = (int)f;
  r[10] = as_int(f);
  r[11] = (f != 0.0f) + (bool)f;
  int4 v = convert_int4_rtn((float4)(f, -f, f * 2.0f, 0.5f));
  r[12] = v.x;
  r[13] = v.y;
  r[14] = v.z;
  r[15] = v.w;
  uchar4 c = convert_uchar4_sat((float4)(f, -1.0f, 300.0f, 127.6f));
  r[16] = c.x;
  r[17] = c.y + c.z + c.w;
  r[18] = as_int(convert_float(convert_int_rte(f)));
  r[19] = (int)convert_long_rte(f);
  r[20] = as_int4((float4)(f, 1.0f, 2.0f, 3.0f)).w;
  r[21] = convert_int_sat(f * 1.0e9f);
  r[22] = (int)convert_uint_sat(f * 1.0e9f);
  r[23] = convert_int(isnan(f * 0.0f));
}

__kernel void of_integers(__global const int *in, __global int *out) {
  int g = get_global_id(0);
  int x = in[g];
  __global int *r = out + g * 24;
  r[0] = (char)x;
  r[1] = (uchar)x;
  r[2] = (short)x;
  r[3] = (ushort)x;
  r[4] = convert_char_sat(x);
  r[5] = convert_uchar_sat(x);
  r[6] = convert_short_sat(x);
  r[7] = convert_ushort_sat(x);
  r[8] = (int)((long)x >> 4);
  r[9] = (int)((ulong)x >> 40);
  r[10] = (int)((uint)x >> 4);
  r[11] = as_int((float)x);
  r[12] = as_int((uint)x / 2.0f);
  r[13] = as_short2(x).y;
  r[14] = as_uchar4(x).z;
  r[15] = as_int(as_uchar4(x).wzyx);
  r[16] = (int)upsample((short)x, (ushort)7);
  r[17] = x > 5u;
  r[18] = (x < 0) ? -1 : (uchar)200 + (uchar)100;
  char narrow = 100;
  narrow += (char)(x & 63);
  r[19] = narrow;
  ushort wrapped = (ushort)x;
  wrapped *= wrapped;
  r[20] = wrapped;
  r[21] = (int)convert_uint_sat(x) + (int)convert_int_sat((long)x * 4);
  r[22] = (uchar)(~(uchar)x) >> 1;
  r[23] = (bool)(x & 256) + !x + !!x;
}

__kernel void sizes(__global int *out) {
  struct Pad {
    char a;
    int3 b;
    short c;
  };
  union Both {
    float f;
    uchar bytes[5];
  };
  int i = 0;
  out[i++] = sizeof(char) + sizeof(short) * 10 + sizeof(int) * 100 + sizeof(long) * 1000;
  out[i++] = sizeof(float3);
  out[i++] = sizeof(uchar3);
  out[i++] = sizeof(double4) + sizeof(ulong16);
  out[i++] = sizeof(struct Pad);
  out[i++] = sizeof(union Both);
  out[i++] = sizeof(int *) + sizeof(size_t) + sizeof(ptrdiff_t) + sizeof(uintptr_t);
  out[i++] = sizeof(int[7]) + sizeof "abc" + sizeof 'a';
  out[i++] = sizeof(i++ + 1L);
  out[i++] = __alignof__(int4) + __alignof__(char3);
  out[i++] = (int)sizeof(struct { char c; double d; });
}
