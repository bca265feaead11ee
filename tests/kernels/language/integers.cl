// Integer arithmetic at its edges. What the language leaves undefined must not end the process: those results are not looked at.
__kernel void division(__global const int *in, __global int *out) {
  int g = get_global_id(0), a = in[2 * g], b = in[2 * g + 1];
  __global int *r = out + g * 16;
  int q = a / b, m = a % b;
  uint uq = (uint)a / (uint)b, um = (uint)a % (uint)b;
  long lq = (long)a / b, lm = (long)a % b;
  int4 vq = (int4)(a, a, b, 1) / (int4)(b, 1, b, b);
  int4 vm = (int4)(a, a, b, 1) % (int4)(b, 1, b, b);
  char cq = (char)a / (char)b;
  a /= b == 0 ? 1 : 2;
  r[0] = q;
  r[1] = m;
  r[2] = (int)uq;
  r[3] = (int)um;
  r[4] = (int)lq;
  r[5] = (int)lm;
  r[6] = vq.y;
  r[7] = vm.y;
  r[8] = vq.x + vm.x;
  r[9] = vq.z + vq.w;
  r[10] = cq;
  r[11] = a;
  int c = in[2 * g];
  c /= b;
  c %= b;
  r[12] = c;
  ulong wide = (ulong)(uint)b;
  r[13] = (int)(123456789012345ul / wide);
  r[14] = (int)((long)INT_MIN / (long)-1);
  r[15] = 77;
}

__kernel void shifts(__global const int *in, __global int *out) {
  int g = get_global_id(0), a = in[2 * g], b = in[2 * g + 1];
  __global int *r = out + g * 16;
  r[0] = a << b;
  r[1] = a >> b;
  r[2] = (int)((uint)a >> b);
  r[3] = (int)(((long)a << b) >> 32);
  r[4] = (int)(((ulong)a >> b) & 0xffffffff);
  int4 v = (int4)(a) << (int4)(b, 31, 32, 33);
  r[5] = v.x;
  r[6] = v.y;
  r[7] = v.z;
  r[8] = v.w;
  uint2 u = (uint2)((uint)a) >> (uint2)((uint)b, 40u);
  r[9] = (int)u.x;
  r[10] = (int)u.y;
  a <<= b;
  r[11] = a;
  char2 c = (char2)((char)b) << (char2)(9, 1);
  r[12] = c.x;
  r[13] = c.y;
  r[14] = (int)(1ul << (b & 127));
  r[15] = in[2 * g] >> 3 << 3;
}

__kernel void functions(__global const int *in, __global int *out) {
  int g = get_global_id(0), a = in[2 * g], b = in[2 * g + 1];
  __global int *r = out + g * 24;
  r[0] = mul_hi(a, b);
  r[1] = (int)mul_hi((uint)a, (uint)b);
  r[2] = add_sat(a, b);
  r[3] = sub_sat(a, b);
  r[4] = (int)add_sat((uint)a, (uint)b);
  r[5] = (int)sub_sat((uint)a, (uint)b);
  r[6] = hadd(a, b);
  r[7] = rhadd(a, b);
  r[8] = (int)abs_diff(a, b);
  r[9] = (int)abs(a);
  r[10] = clz(a);
  r[11] = popcount(a);
  r[12] = rotate(a, b);
  r[13] = mad_hi(a, b, 3);
  r[14] = mad_sat(a, b, a);
  r[15] = mul24(a & 0x7fffff, 1);
  r[16] = max(a, b) ^ min(a, b);
  r[17] = clz((uchar)a);
  r[18] = (int)popcount((ushort)a);
  r[19] = add_sat((char)a, (char)b);
  r[20] = (int)(mul_hi((long)a << 32, (long)b << 32));
  r[21] = hadd((uchar)a, (uchar)b);
  r[22] = (int)upsample(a, (uint)b) ^ (int)(upsample(a, (uint)b) >> 32);
  r[23] = clamp(a, -5, 1000) + (int)rotate((uchar)a, (uchar)9);
}

enum Sign { NEGATIVE = -1, ZERO, POSITIVE, LAST = 1 << 4 | POSITIVE };

__kernel void constants(__global int *out) {
  int i = 0;
  out[i++] = 0x7fffffff + 0;
  out[i++] = (int)(0xffffffff >> 4);
  out[i++] = 'A' + '\n' + '\x41' + '\101' + '\\';
  out[i++] = 010 + 0x10;
  out[i++] = (int)(0x100000000 >> 30);
  out[i++] = sizeof(0xffffffff) + sizeof(4294967296) * 10 + sizeof(1u) * 100 + sizeof(1l) * 1000 + sizeof('a') * 10000;
  out[i++] = -1 < 1u;
  out[i++] = (int)NEGATIVE + LAST;
  out[i++] = INT_MAX + INT_MIN;
  out[i++] = (int)(UINT_MAX >> 1) - CHAR_MAX + SHRT_MIN - CHAR_BIT;
  out[i++] = (int)(LONG_MAX >> 33);
  out[i++] = 1 ? -1 : 0u;
  out[i++] = (3, 4) + (5 > 4 > 3) + (1 << 2 + 1);
  out[i++] = (int)(1.5f * 3) + (int).5e1f + (int)0x1.8p3f + (int)1.e2;
  out[i++] = as_int(FLT_MAX) + (M_PI_F > 3.0f) + (MAXFLOAT == FLT_MAX);
  out[i++] = __LINE__;
  out[i++] = __OPENCL_VERSION__ >= 110;
#ifdef __ENDIAN_LITTLE__
  out[i++] = 1;
#else
  out[i++] = 0;
#endif
}

/* Literals that a conversion changes: -1, 1, 2 and 44 are what they are afterwards. */
__kernel void cut_literals(__global const int *in, __global int *out) {
  const int g = get_global_id(0), a = in[g];
  __global int *r = out + g * 8;
  r[0] = a / (char)255 + (a == INT_MIN);
  r[1] = a % (char)255;
  r[2] = a << (uchar)257;
  r[3] = a >> (uchar)258;
  r[4] = (int)((float)((uint)a & (uint)(char)200) / 65536.0f);
  r[5] = in[(uchar)256 + g];
  r[6] = (a & (int)(uchar)300) + (int)(short)65535;
  r[7] = g == (int)(uchar)256 ? 5 : 6;
}
__kernel void by_a_zero_of_a_cast(__global const int *in, __global int *out) {
  const int g = get_global_id(0);
  out[2 * g] = in[g] / (char)256 + in[g] % (int)(uchar)512;
  out[2 * g + 1] = 77;
}
