// Items as lanes: the same words as of each item by itself, the form that a load or a region has, and what stays scalar.
#include "compiler/passes/lanes/widen_items.h"

#include <algorithm>
#include <array>

#include "../ir/ir_module.h"
#include "compiler/passes/passes.h"

namespace manyrt::compiler::passes {
namespace {

using ir::Instruction;
using ir::Opcode;

// `down`: the dimension in which the group is as high.
std::vector<uint32_t> result(const ir::Module& module, uint32_t width, uint32_t height, uint32_t n, uint32_t down = 1) {
  ir::Run run;
  run.group_count[0] = 2;
  run.group_size[0] = width;
  run.group_size[down] = height;
  run.global_offset[0] = 3;
  run.steps = 1 << 22;
  std::vector<uint32_t> in(512);
  for (uint32_t i = 0; i < in.size(); ++i) in[i] = i * 2654435761u >> (i % 5 * 6);
  run.arguments = {ir::buffer(std::vector<uint32_t>(512)), ir::buffer(in), ir::value(n)};
  std::string why;
  EXPECT_TRUE(ir::interpret(&run, module, *module.find("k"), &why)) << why << "\n" << ir::print(module);
  return ir::words(run.arguments[0]);
}

std::string source(const std::string& body) {
  return "typedef struct { uint a; uchar b[4]; float2 c; } S;\n"
         "uint helper(uint x) { if (x > 7) return x * 3; return x + (uint)get_local_id(0); }\n"
         "kernel void k(global uint* out, global const uint* in, uint n) {\n"
         "uint x = get_global_id(0), y = get_local_id(1), l = get_local_id(0), w = get_local_size(0);\n"
         "uint at = (y * 2 + get_group_id(0)) * w + l;\n" +
         body + "\n}";
}

struct Case {
  const char* body;
  int whole_loads;         // loads of neighbours, in the form for whole vectors; -1: not counted
  bool is_scalar = false;  // no lanes
};

const Case kCases[] = {
    {"out[at] = in[x] + n;", 1},
    {"out[at] = in[n] + x;", 0},
    {"int i = (int)x; out[at] = in[i + (int)n] + in[i * 2];", 1},
    {"out[at] = in[in[x] % 100];", 1},
    {"out[at] = in[l * n + 2] + in[(int)x * (int)n + 5];", 0},
    {"ulong m = n; out[at] = in[x * m + y] ^ in[(y - 1 - (int)l * (int)n) & 255];", -1},
    {"uint s = 0; for (uint i = 0; i < n; ++i) s = s * 3 + in[l * n + i]; out[at] = s;", 0},
    {"out[at * (n + 1)] = x * 5 + n;", -1},
    // Several `items` of one kernel.
    {"local uint t[128]; t[y * w + l] = in[x]; barrier(CLK_LOCAL_MEM_FENCE);\n"
     "uint s = t[(y * w + l + 1) % (w * (uint)get_local_size(1))] + n; barrier(CLK_LOCAL_MEM_FENCE);\n"
     "t[y * w + l] = s ^ y; barrier(CLK_LOCAL_MEM_FENCE); out[at] = t[y * w + (l + 1) % w] * 3 + s;",
     -1},
    {"uint big = 0x40000000u * (n & 3); out[at] = in[(l * big + 7) >> 24];", -1},
    // Borders: all lanes agree, none, or some; and a number that wraps on the way.
    {"uint s = in[x]; if (x >= n) s += in[x - n]; else s ^= in[x + 1]; out[at] = s;", -1},
    {"uint s = in[x]; if (x == n) s += in[x + 1]; else if (x == n + 3) s += in[x - 1]; else s += in[x + 1] ^ in[x + 2]; "
     "out[at] = s;",
     -1},
    {"uint s = 0; for (uint j = 0; j < 5; ++j) { int c = (int)x + (int)j * 3 - 9; if (c >= 0 && c < (int)n * 2) s += in[c]; } "
     "out[at] = s;",
     -1},
    {"uint s = 7, v = 0xfffffff8u + l; if (v >= n) s = in[v & 31]; else s += in[x]; out[at] = s;", -1},
    {"uint s = 1; if (!(x < n) || l == 2) s = in[x]; out[at] = s;", -1},
    {"if (l != 3) out[at] = in[x] * 2; else out[at] = n;", -1},
    // Steps that go round the type more than once within a row.
    {"out[at] = in[(x * 0x11111112u) & 255] + in[(x * 2654435761u) >> 24] * in[(x * 0x55555556u) / 0x1000000u];", -1},
    {"uint v = x * 0x40000000u, s = 1; if (v < 5) s = in[x]; else s += in[x + 1]; out[at] = s;", -1},
    // Such steps that only the launch tells: the lanes that are on have places near each other, those between have none.
    {"int h = (int)(l * (0x80000000u * (n | 1))); if ((l & 1) == 0) out[at] = in[h] + n; else out[at] = 5;", -1},
    {"int h = (int)(l * (0x80000000u * (n | 1))); if ((l & 1) == 0) out[h + (int)at] = in[x];", -1},
    {"int h = (int)(y * (0x80000000u * (n | 1))); if ((y & 1) == 0) out[h + (int)at] = in[h] + x;", -1},
    {"int h = (int)(l << (n | 31)); if (h >= 0 && h < 256) out[at] = in[h + 1]; else out[at] = 5;", -1},
    {"uint v = x * 2654435761u, s = 1; if (v < 0x60000000u) s = in[x]; else if (v > 0xa0000000u) s += in[x + 1]; out[at] = s;",
     -1},
    {"uint s = 0; for (uint i = x * 0x11111112u; i < 0x90000000u; i += 0x15000000u) s += i ^ n; out[at] = s;", -1},
    {"uint s = 0; for (uint i = x * 0xd1111112u; i < 0x90000000u; i += 0x15000000u) s += in[(i >> 5) & 255]; out[at] = s;", -1},
    // Quotients, remainders and bits of what has a step.
    {"out[at] = in[x % (n + 1)] + in[x / (n + 1)] + in[x % 64] * in[x / 32];", -1},
    {"int i = (int)x - 7, m = (int)n + 1; out[at] = in[(i % m) & 255] + in[(i / m) & 255];", -1},
    {"uint m = (4u << (n & 3)) - 1; out[at] = in[x & m] + in[x & ~15u & 255] * in[x >> (n & 7)] - in[(x & 0x55)];", -1},
    {"uint p = x & 3, o = (x - p) * 2 + p; out[at] = in[o & 255] ^ in[(o | 32) & 511] ^ in[(x ^ 16) & 511] ^ in[(x ^ (n & 31)) "
     "& 511];",
     -1},
    {"out[(at % 32) + (at / 32) * 32] = x; if (n & 1) out[256 + (at ^ 8)] = l;", -1},
    // Values that lanes carry after they have left a loop are not seen.
    {"uint s = 0, t = 3, i = 0; while (i < (in[x] & 15)) { t = t * 5 + i; s += in[(t >> 3) & 255]; ++i; } out[at] = s + t * 7;",
     -1},
    {"uint r[9], s = 0; for (uint i = 0; i < 9; ++i) r[i] = in[x + i] & 15; for (uint j = 0; j < (in[x] & 7); ++j) { "
     "for (uint i = 1; i < 9; ++i) r[i] = (r[i] + j) ^ r[i - 1]; } for (uint i = 0; i < n; ++i) s = s * 3 + r[i % 9]; "
     "out[at] = s;",
     -1},
    {"uint s = 0; for (uint i = l; i < 40; i += w) { if (i % 3 == 1) continue; s += in[i] + i; } out[at] = s;", -1},
    {"if (x < n) out[at] = in[x];", 1},
    {"if (in[x] & 1) out[at] = 7; else out[at] = in[x + 1];", -1},
    {"uint s = 0; for (uint i = 0; i < n; ++i) s += in[x + i]; out[at] = s;", 1},
    {"uint s = 0; for (uint i = 0; i < in[x] % 9; ++i) s += in[x + i] ^ i; out[at] = s;", -1},
    {"uint s = 0; for (uint i = 0; i < n; ++i) { if (in[x + i] & 1) continue; s += i; if (s > 30) break; } out[at] = s;", -1},
    {"uint s = 0, i = x; do { s += i; if (s & 4) { i += 3; continue; } ++i; } while (i < 40); out[at] = s * 3 + i;", -1},
    {"for (uint i = 0; ; ++i) { out[at] += i; if (i > (in[x] & 7)) return; }", -1},
    {"if (in[x] & 2) return; out[at] = 1; if (in[x] & 4) return; out[at] += 2;", -1},
    {"uint s = 1; for (uint i = 0; i < 3; ++i) for (uint j = 0; j < (in[x + i] & 3); ++j) { if (j == l) break; s = s * 5 + j; "
     "} "
     "out[at] = s;",
     -1},
    {"uint s = 0; switch (in[x] & 3) { case 0: s = 5; case 1: s += 2; break; case 2: s = 9; } out[at] = s;", -1},
    {"uint s = 0; switch (n & 3) { case 1: s = in[x]; break; default: s = 4; } out[at] = s;", -1},
    {"uint s = 0; for (uint i = 0; i < 6; ++i) { switch ((in[x] >> i) & 3) { case 0: continue; case 1: s += i; break; "
     "default: s ^= 5; } s *= 3; } out[at] = s;",
     -1},
    {"uint p[6]; for (uint i = 0; i < 6; ++i) p[i] = in[x + i]; out[at] = p[n % 6] + p[in[x] % 6];", -1},
    {"uint p[3] = {1, x, 3}; uchar* q = (uchar*)p; q[in[x] % 12] = 9; out[at] = p[0] ^ p[1] ^ p[2];", -1},
    {"S s = {x, {1, 2, 3, 4}, (float2)(0.5f, 2.0f)}; s.b[in[x] & 3] += 1; S t = s; t.c.x *= s.c.y; "
     "out[at] = t.a + t.b[1] + t.b[2] * 3 + (uint)t.c.x + as_uint(s.c.x);",
     -1},
    {"uint4 v = vload4(x, in); v.x += v.w; out[at] = v.x ^ v.y ^ v.z;", -1},
    {"float f = (float)(in[x] & 255) * 0.25f; double d = f; d = d * d + 1.5; out[at] = (uint)d + (f > 3.0f);", -1},
    {"char c = (char)in[x]; short h = (short)(c * c); long q = (long)h << 20; out[at] = (uint)(q >> 18) + (uchar)c / 3u;", -1},
    {"out[at] = helper(in[x] & 15);", -1},
    {"volatile global uint* v = out; v[at] = x; v[at] += 2;", -1},
    {"uint a = x, b = 7; for (uint i = 0; i < n; ++i) { uint t = a; a = b; b = t + (in[x + i] & 1); } out[at] = a * 3 + b;",
     -1},
    {"ulong i = (ulong)(x * 1000003u) % 100; out[at] = in[i] + (uint)(x / 3u) + x % 7u + (uint)((int)x / -2);", -1},
    {"uint i = 0xfffffffcu + l; out[at] = in[i & 255] + (i < 4 ? in[i] : 0);", -1},
    // Rows that lanes walk along: tiles of as many turns as there are lanes, and what is left.
    {"uint s = 0; for (uint i = 0; i < n; ++i) s = s * 3 + in[l * 9 + i]; out[at] = s;", -1},
    {"uint s = 0; for (int i = 0; i <= (int)n; ++i) s = s * 3 + in[(int)l * 11 + i + 1]; out[at] = s;", -1},
    {"uint s = 0; for (int i = 0; i < 10; ++i) s = s * 3 + in[(int)l * (int)n + i]; out[at] = s;", -1},
    {"global const uchar* b = (global const uchar*)in; uint s = 0;\n"
     "for (uint i = 0; i < n; ++i) s = s * 3 + b[l * 10 + i]; out[at] = s;",
     -1},
    // Loads that vectors which go together share.
    {"uint s = 0; for (uint i = 0; i < n; ++i) s = s * 5 + in[i] * 3 + in[i * w + l]; out[at] = s;", -1},
    {"uint s = 0; for (uint i = 0; i < n; ++i) s = s * 5 + in[y * 10 + i] * in[i * 8 + l]; out[at] = s;", -1},
    {"uint s = l, t = 1; for (int i = 0; i < (int)n; ++i) { s = s * 3 + in[i * 16 + (int)l]; if (s & 1) t += s; if (i == 4) "
     "continue; t ^= in[i]; } out[at] = s ^ t;",
     -1},
    {"local uint t[512]; uint a = in[x], s = 0; t[y * w + l] = a; barrier(CLK_LOCAL_MEM_FENCE);\n"
     "for (uint i = 0; i < w; ++i) s = s * 3 + t[y * w + i] * in[i + l]; out[at] = s ^ a;",
     -1},
    // A value that ends as a byte or a short is computed as one.
    {"global const uchar* b = (global const uchar*)in; global uchar* o = (global uchar*)out;\n"
     "o[at] = (uchar)((b[x] + b[x + 1] * 2) ^ (b[x + 2] << 3)) ^ ((b[x] & 0x80) ? 0x1b : b[x + 3] >> 2);",
     -1},
    {"global const char* b = (global const char*)in; global uchar* o = (global uchar*)out;\n"
     "o[at] = (uchar)(b[x] + (b[x + 1] < b[x + 2]) - (b[x] >= -3) + (b[x + 1] == (char)n) * 1 + (in[x] > 70000u));",
     -1},
    {"global const ushort* b = (global const ushort*)in; global short* o = (global short*)out;\n"
     "ushort a = b[x] + 40000, c = a ^ b[x + 1]; o[at] = (short)((a < c ? a - c : c + 1) | (uchar)(b[x + 3] + b[x + 4]));",
     -1},
    {"global const uchar* b = (global const uchar*)in; global uchar* o = (global uchar*)out; uchar d = b[x];\n"
     "for (uint i = 0; i < n; ++i) { uchar r = d + (b[i] != b[x + i]); d = b[x + 2 * i]; uchar e = d + 1; d = r < e ? r : e; "
     "}\n"
     "o[at] = d; o[at + 256] = (uchar)(d + x) & (uchar)(n - d) & 0x7f;",
     -1},
    // Bytes and shorts that loops carry, chosen by wider numbers.
    {"uchar c = 7; uint best = 0; for (uint i = 0; i < n; ++i) if (in[x + i] > best) { best = in[x + i]; c = (uchar)i; } "
     "out[at] = c + best;",
     -1},
    {"char c = -3; short h = 200; for (int i = 0; i < (int)n; ++i) { if (in[x + i] & 4) { c = (char)in[i + l]; h = c; } else "
     "if (in[l + i] < 900u) h = (short)i; } "
     "out[at] = (uint)c * 3 + (uint)h;",
     -1},
    {"uchar c = (uchar)x; for (uint i = 0; i < n; ++i) { if (in[x + i] < 5000000u) c = (uchar)(c * 3 + i); if (c > 100) break; "
     "} out[at] = c;",
     -1},
    {"ushort a = (ushort)in[x], b = 5; uint s = 0; for (uint i = 0; i < n; ++i) { if (in[l + i] % 7 > i) { ushort t = a; a = "
     "b; b = t; } s += a; "
     "((global uchar*)out)[at * 4 + (i & 3)] = (uchar)b; } out[at] ^= s + b;",
     -1},
    {"uchar c = 1; uint s = 0; for (uint i = 0; i < n; ++i) { for (uint j = 0; j < 3; ++j) if (in[x + i * 2 + j] > s) { s = "
     "in[x + j]; c = (uchar)j; } "
     "if (s > 7) continue; c = (uchar)(i + 250); } out[at] = s * 5 + c;",
     -1},
    // Rows that are longer than what one access takes.
    {"int i = 9 * (int)x; out[at] = in[i + 4] + in[i] * 3 + in[i + 1] * 5 + in[i + 2] * 7 + in[i + 3] * 9 + in[i + 5] * 11 + "
     "in[i + 8] * 13 + in[i + 7] * 15 + in[i + 6] * n;",
     -1},
    {"uint i = 9 * x - 2; out[at] = in[i + 2] + in[i + 3] * n + in[i + 4] * 5 + in[i + 5] * 7 + in[i + 6] * 9 + in[i + 9];",
     -1},
    {"global uchar* b = (global uchar*)out; int t = 9 * (int)at; b[t + 7] = (uchar)n; b[t] = (uchar)in[x]; b[t + 1] = "
     "(uchar)x;\n"
     "b[t + 2] = (uchar)in[x + 1]; b[t + 3] = (uchar)l; b[t + 5] = 7; b[t + 4] = (uchar)y; b[t + 8] = b[t + 7] + b[t + 2];",
     -1},
    {"global ushort* b = (global ushort*)out; int t = 5 * (int)at; b[t] = b[t] * 3 + (ushort)n; b[t + 1] = b[t + 1] * 3 + "
     "(ushort)x;\n"
     "b[t + 2] = b[t + 1] + 1; b[t + 3] = (ushort)l; b[t + 4] = 5;\n"
     "if (in[x] & 1) { b[t + 1] ^= b[t]; b[t + 2] ^= b[t + 1]; b[t + 3] ^= (ushort)n; b[t + 4] = b[t + 3] + 2; }",
     -1},
    // Squares of elements, which vectors side by side have: of stores, of loads, of both, in an item's own order.
    {"out[(get_group_id(0) * 24 + l) * 10 + y] = in[x + y * n] * 3 + y;", -1},
    {"out[at] = in[l * 10 + y] ^ in[(int)x * (int)n + (int)y];", -1},
    {"uint t = (get_group_id(0) * 24 + l) * 10 + y; out[t] = in[l * 12 + y]; out[t] += in[x]; out[t] = out[t] * 3 + x;", -1},
    {"global uchar* b = (global uchar*)out; b[(get_group_id(0) * 24 + l) * 20 + y] = (uchar)(in[y * 12 + l] + n);", -1},
    {"uint t = (get_group_id(0) * 24 + l) * 10 + y; if (n > 2) out[t] = in[l * 12 + y]; else out[t + 1 - (n & 1)] = y;", -1},
    {"uint v = in[l * 10 + y]; if (in[y] & 1) v = in[v & 255]; out[(get_group_id(0) * 24 + l) * 10 + y] = v;", -1},
    {"local uint t[512]; t[y * w + l] = in[x + y]; barrier(CLK_LOCAL_MEM_FENCE);\n"
     "if (y < w && l < (uint)get_local_size(1)) out[at] = t[l * w + y]; else out[at] = n;",
     -1},
    // Neighbours that fill the step between items: in any order, in place, with others in between, of which some may be the
    // same.
    {"int i = 3 * (int)x; out[at] = in[i + 2] ^ in[i] * 3 ^ in[i + 1] * 7;", -1},
    {"int t = 3 * (int)at; out[t + 1] = x; out[t + 2] = in[x]; out[t] = n;", -1},
    {"uint t = 3 * at; out[t + 1] = x; out[t] = n; out[t + 2] = in[x] * 3;", -1},
    {"int t = 2 * (int)at; out[t] = in[x] + out[t + 1]; out[t + 1] ^= out[t] * 3;", -1},
    {"int t = 4 * (int)(at & 63); for (int k = 0; k < 4; ++k) out[t + k] = out[t + k] * 3 + in[t + 3 - k];", -1},
    {"int t = 2 * (int)at; global uint* o = out + (n & 1); out[t] = x; o[t] = out[t + 1] + 5; out[t + 1] = o[t] ^ n;", -1},
    {"int t = 8 * (int)at; global uchar* b = (global uchar*)out; for (int k = 7; k >= 0; --k) b[t + k] = (uchar)(in[x] >> k); "
     "b[t + 1] += b[t + 2];",
     -1},
    {"int t = 3 * (int)at; if (in[x] & 1) { out[t] = x; out[t + 1] = 7; out[t + 2] = n; } else out[t + 1] = in[t] ^ in[t + 1] "
     "^ "
     "in[t + 2];",
     -1},
    {"uint t = at * 2u + 0xfffffffeu; out[t + 2u] = x; out[t + 3u] = in[x];", -1},
    // Operations that treat all components alike, and others.
    {"int t = 4 * (int)at; uint4 v = vload4(0, out + t) * 3 + n; vstore4(v ^ (uint4)(5, 5, 5, 5), 0, out + t);", -1},
    {"int t = 4 * (int)at; uint4 v = vload4(0, out + t) * x; vstore4(v, 0, out + t);", -1},
    {"int t = 4 * (int)at; uint4 v = vload4(0, out + t) + (uint4)(1, 2, 3, 4); vstore4(v, 0, out + t);", -1},
    {"int t = 4 * (int)at; uint4 v = vload4(0, out + t), m = vload4(0, in + 4 * (int)x % 64); vstore4(v * 3 > m ? v + 1 : m, "
     "0, "
     "out + t); out[t + 1] ^= m.z;",
     -1},
    {"int t = 4 * (int)at; uint4 v = vload4(0, out + t); vstore4(v + v.yxwz, 0, out + t);", -1},
    {"int t = 3 * (int)at; uint a = out[t], b = out[t + 1], c = out[t + 2]; out[t] = a * n + 3; out[t + 1] = b * n + 3; "
     "out[t + 2] = c * n + 3;",
     -1},
    {"int t = 3 * (int)at; uint a = out[t], b = out[t + 1], c = out[t + 2]; out[t] = b * n + 3; out[t + 1] = a * n + 3; "
     "out[t + 2] = c * n + 3;",
     -1},
    {"int t = 2 * (int)at; uint a = out[t] * 3, b = out[t + 1] * 3; out[t] = a; out[t + 1] = b; if (n > 2) out[t] += b;", -1},
    // A number that is different in each vector is asked for where each goes its own way.
    {"uint s = 0; for (uint i = 0; i < n; ++i) s = s * 5 + in[y * 10 + i] * in[i * 8 + l];\n"
     "if (in[y] & 1) s += (uint)get_local_id(1) * 7; out[at] = s;",
     -1},
    // Indices near an edge.
    {"out[at] = in[x > n ? x - n : 0] + in[l < 5 ? 3 : l] * 3;", -1},
    // Turns that all lanes take.
    {"uint i = l, s = 0; while (i < n * 5) { s = s * 3 + in[i]; i += w; } out[at] = s * 7 + i;", -1},
    {"uint s = 0; for (uint i = in[x] & 3; i < (in[x + 1] & 15); ++i) { if (s & 2) s += in[i]; else s = s * 3 + i; } out[at] = "
     "s;",
     -1},
    {"for (uint i = l; i - 3u < n; ++i) out[at] += i;", -1},
    // Short loops, copies of objects, the same twice.
    {"uint p[4]; for (uint i = 0; i < 4; ++i) p[i] = in[x + i] * n; uint s = 0;\n"
     "for (uint i = 0; i < 4; ++i) s = s * 7 + p[i ^ 1]; out[at] = s;",
     -1},
    {"uint s = 0; for (char i = 126; i > 0; ++i) s = s * 3 + in[x + (uint)i]; for (uint i = 5; i < 3; ++i) s = 0; out[at] = s;",
     -1},
    {"uint s = 0; for (int i = 3; i >= 0; i--) { if (in[x] & (1u << i)) continue; s = s * 3 + in[x + (uint)i]; } out[at] = s;",
     -1},
    {"global const S* all = (global const S*)in; S s = all[l & 7]; s.a += n; s.b[1] ^= 3; S t = s;\n"
     "((global S*)(out + 256))[at] = t; out[at] = t.a + t.b[1] + t.b[3];",
     -1},
    {"if (in[n] < in[x] || (in[n] == in[x] && n < l)) out[at] = in[n] + in[x]; else out[at] = 3;", -1},
    {"out[at] = in[x]; out[at] += in[x]; uint t = out[at]; out[at] = t * 3; out[at] += out[at];", -1},
    {"uint d = in[x] & 3; if (d != 0) out[at] = 100 / d; else out[at] = n % (d + 1);", -1},
    {"uint a = 1; switch (n & 3) { default: a += in[x]; case 0: a++; break; case 1: a += n; } out[at] = a * n;", -1},
    {"bool b = in[x] & 1, c = x & 2; if (b != c) out[at] = b; else out[at] = 2 + (b == (n > 2));", -1},
};

void expectAlike(const ir::Module& before, const ir::Module& after, const char* body, uint32_t down = 1) {
  constexpr uint32_t kSizes[][2] = {{1, 2}, {3, 2}, {4, 2}, {6, 2}, {13, 2}, {3, 5}, {2, 8}, {1, 9}, {22, 1}, {4, 5}, {5, 5}};
  for (const auto& [width, height] : kSizes) {
    for (const uint32_t n : {0, 2, 5, 9}) {
      EXPECT_EQ(result(before, width, height, n, down), result(after, width, height, n, down))
          << body << ", groups of " << width << " x " << height << ", n " << n << "\n"
          << ir::print(after);
    }
  }
}

class WidenItemsTest : public testing::TestWithParam<Case> {};

TEST_P(WidenItemsTest, LanesDoWhatItemsDo) {
  const Case& c = GetParam();
  ir::FromSource before(source(c.body)), after(source(c.body));
  ASSERT_TRUE(before.built && after.built) << before.why;
  after.module.vector_bytes = 16;  // four lanes
  after.module.lanes_along = 0;
  std::string why;
  ASSERT_TRUE(run(&after.module, "all", &why)) << why;
  ir::Module again;
  ASSERT_TRUE(ir::read(&again, ir::print(after.module), &why)) << why;
  EXPECT_EQ(ir::print(again), ir::print(after.module));
  int loads = 0, lanes = 1;
  ir::forEach(*after.module.find("k")->body, [&](const Instruction& i) {
    if (i.op != Opcode::kItems) return;
    lanes = i.lanes;
    ir::forEach(*i.regions[0], [&](const Instruction& inner) {
      loads += inner.op == Opcode::kLoad && inner.numbers == std::vector<uint64_t>{4} ? 1 : 0;
    });
  });
  EXPECT_EQ(lanes, c.is_scalar ? 1 : 4) << ir::print(after.module);
  if (c.whole_loads >= 0) {
    EXPECT_EQ(loads, c.whole_loads) << ir::print(after.module);
  }
  expectAlike(before.module, after.module, c.body);
}

// The same along dimension 1, where the group is as high.
TEST_P(WidenItemsTest, LanesAlongDimension1DoWhatItemsDo) {
  const Case& c = GetParam();
  ir::FromSource before(source(c.body)), after(source(c.body));
  ASSERT_TRUE(before.built && after.built) << before.why;
  after.module.vector_bytes = 16;
  after.module.lanes_along = 1;
  std::string why;
  ASSERT_TRUE(run(&after.module, "all", &why)) << why;
  expectAlike(before.module, after.module, c.body);
}

// And along dimension 2, of which the bodies then speak in the place of 1.
TEST_P(WidenItemsTest, LanesAlongDimension2DoWhatItemsDo) {
  const Case& c = GetParam();
  std::string deep = source(c.body);
  for (const char* function : {"get_local_id(1)", "get_local_size(1)", "get_global_id(1)", "get_group_id(1)"}) {
    for (size_t at = 0; (at = deep.find(function, at)) != std::string::npos; ++at) deep[deep.find('1', at)] = '2';
  }
  ir::FromSource before(deep), after(deep), flat(source(c.body));
  ASSERT_TRUE(before.built && after.built) << before.why;
  std::string why;
  for (ir::FromSource* each : {&after, &flat}) {
    each->module.vector_bytes = 16;
    each->module.lanes_along = each == &after ? 2 : 1;
    ASSERT_TRUE(run(&each->module, "all", &why)) << why;
  }
  expectAlike(before.module, after.module, c.body, 2);
  const auto along = [](const ir::Module& module, uint8_t dimension) {
    int count = 0;
    ir::forEach(*module.find("k")->body, [&](const Instruction& i) {
      count += i.op == Opcode::kItems && i.lanes > 1 && i.dimension == dimension ? 1 : 0;
    });
    return count;
  };
  EXPECT_EQ(along(after.module, 2), along(flat.module, 1));
}

// The same where groups are said to leave nothing of a row, and come in all sizes.
TEST_P(WidenItemsTest, ItemsThatVectorsLeaveDoWhatItemsDo) {
  const Case& c = GetParam();
  for (const int32_t dimension : {0, 1}) {
    ir::FromSource before(source(c.body)), after(source(c.body));
    ASSERT_TRUE(before.built && after.built) << before.why;
    after.module.vector_bytes = 16;
    after.module.lanes_along = dimension;
    after.module.long_items = 0;
    std::ranges::copy(std::array<uint32_t, 3>{8, 4, 1}, after.module.find("k")->likely_group);
    std::string why;
    ASSERT_TRUE(run(&after.module, "all", &why)) << why;
    ir::Module again;
    ASSERT_TRUE(ir::read(&again, ir::print(after.module), &why)) << why;
    EXPECT_EQ(ir::print(again), ir::print(after.module));
    expectAlike(before.module, after.module, c.body);
  }
}
INSTANTIATE_TEST_SUITE_P(Bodies, WidenItemsTest, testing::ValuesIn(kCases));

int lanesOf(const char* body, uint32_t vector_bytes) {
  ir::FromSource made(source(body));
  made.module.vector_bytes = vector_bytes;
  std::string why;
  EXPECT_TRUE(run(&made.module, "all", &why)) << why;
  int lanes = 0;
  ir::forEach(*made.module.find("k")->body, [&](const Instruction& i) {
    if (i.op == Opcode::kItems) lanes = i.lanes;
  });
  return lanes;
}

// Counts of the kernel's items, in the form for most of them: along one dimension or the other, whichever has more.
struct Forms {
  int tiles = 0, loops = 0, loads = 0, squares = 0, bytes = 0, prefetches = 0, extensions = 0, jam = 1, jam_dimension = -1;
};
Forms formsOf(const char* body, uint32_t vector_bytes = 16, uint32_t likely_row = 0) {
  ir::FromSource made(source(body));
  if (likely_row != 0) std::ranges::copy(std::array<uint32_t, 3>{likely_row, 1, 1}, made.module.find("k")->likely_group);
  made.module.vector_bytes = vector_bytes;
  std::string why;
  EXPECT_TRUE(run(&made.module, "all", &why)) << why;
  Forms forms;
  ir::forEach(*made.module.find("k")->body, [&](const Instruction& i) {
    if (i.op != Opcode::kItems) return;
    Forms own;
    ir::forEach(*i.regions[0], [&](const Instruction& inner) {
      const bool is_load = inner.op == Opcode::kLoad;
      own.tiles += is_load && inner.result()->type.lanes > 1 && inner.result()->type.components == inner.result()->type.lanes;
      own.loops += inner.op == Opcode::kLoop;
      own.prefetches += inner.op == Opcode::kPrefetch;
      own.extensions += inner.op == Opcode::kZExt && inner.result()->type.hasLanes();
      for (const ir::Value* each : inner.op == Opcode::kLoop ? inner.regions[0]->parameters : std::vector<ir::Value*>())
        own.bytes += each->type.hasLanes() && each->type.kind == ir::Kind::kI8 ? 1 : 0;
      own.loads += is_load && !inner.is_rare;
    });
    forms.tiles = std::max(forms.tiles, own.tiles);
    forms.loops = std::max(forms.loops, own.loops);
    forms.loads = std::max(forms.loads, own.loads);
    forms.bytes = std::max(forms.bytes, own.bytes);
    forms.extensions = std::max(forms.extensions, own.extensions);
    forms.prefetches = std::max(forms.prefetches, own.prefetches);
    if (i.jam > 1) {
      forms.jam_dimension = i.jam_dimension;
      int squares = 0;
      ir::forEach(*i.regions[2], [&](const Instruction& inner) {
        const bool moves = inner.op == Opcode::kLoad || inner.op == Opcode::kStore;
        const ir::Type type = !moves ? ir::Type() : inner.op == Opcode::kLoad ? inner.result()->type : inner.operands[0]->type;
        squares += type.hasLanes() && type.components == type.lanes ? 1 : 0;
      });
      forms.squares = std::max(forms.squares, squares);
    }
    forms.jam = std::max<int>(forms.jam, i.jam);
  });
  return forms;
}

// How many accesses of vectors of `components` the form for whole vectors has.
int rowsOf(const char* body, uint32_t components, Opcode op) {
  ir::FromSource made(source(body));
  made.module.vector_bytes = 32;
  made.module.lanes_along = 0;
  std::string why;
  EXPECT_TRUE(run(&made.module, "all", &why)) << why;
  int count = 0;
  ir::forEach(*made.module.find("k")->body, [&](const Instruction& i) {
    if (i.op != Opcode::kItems) return;
    ir::forEach(*i.regions[0], [&](const Instruction& inner) {
      if (inner.op != op) return;
      const ir::Type type = op == Opcode::kLoad ? inner.result()->type : inner.operands[0]->type;
      count += type.hasLanes() && type.components == components ? 1 : 0;
    });
  });
  return count;
}

// The lanes of each of the kernel's items, where groups are known to be rows of this size; and whether those of the first ones
// have a form for what is left.
std::vector<int> itemsOf(const std::string& body, uint32_t likely_row, uint32_t required_row, bool* has_rest) {
  ir::FromSource made(source(body));
  ir::Function* k = made.module.find("k");
  const std::array<uint32_t, 3> likely{likely_row, 1, 1}, required{required_row, 1, 1};
  std::ranges::copy(likely, k->likely_group);
  if (required_row != 0) std::ranges::copy(required, k->group_size);
  made.module.vector_bytes = 32;
  std::string why;
  EXPECT_TRUE(run(&made.module, "all", &why)) << why;
  std::vector<int> lanes;
  *has_rest = false;
  ir::forEach(*k->body, [&](const Instruction& i) {
    if (i.op != Opcode::kItems) return;
    lanes.push_back(i.lanes);
    if (i.lanes > 1) *has_rest = i.regions[1]->body.size() > 1;
  });
  return lanes;
}

TEST(WidenItemsFormTest, LongCodeHasNoSecondFormForGroupsThatFillVectors) {
  std::string sums = "uint s = n;";
  for (int i = 0; i < 60; ++i) sums += " s = s * " + std::to_string(2 * i + 3) + " + in[x + " + std::to_string(i) + "];";
  const std::string once = sums + " out[at] = s;", ends = sums + " if (s & 1) return; out[at] = s;",
                    shorter = "out[at] = in[x];";
  bool has_rest = false;
  EXPECT_EQ(itemsOf(once, 16, 0, &has_rest), (std::vector{8, 1}));
  EXPECT_FALSE(has_rest);
  EXPECT_EQ(itemsOf(once, 20, 0, &has_rest), std::vector{8});  // such groups leave four items each
  EXPECT_TRUE(has_rest);
  EXPECT_EQ(itemsOf(once, 0, 0, &has_rest), std::vector{8});
  EXPECT_TRUE(has_rest);
  EXPECT_EQ(itemsOf(once, 16, 16, &has_rest), std::vector{8});  // where a size is required no other one comes
  EXPECT_EQ(itemsOf(shorter, 16, 0, &has_rest), std::vector{8});
  EXPECT_TRUE(has_rest);
  EXPECT_EQ(itemsOf(ends, 16, 0, &has_rest).back(), 8);  // whose end would be one of further items
  EXPECT_TRUE(has_rest);
}

TEST(WidenItemsFormTest, LanesGoAlongTheDimensionThatGroupsFill) {
  struct Group {
    std::array<uint32_t, 3> size;
    int along;
  };
  for (const auto& [size, along] : {Group{{16, 4, 4}, 0}, {{2, 16, 3}, 1}, {{2, 2, 16}, 2}, {{1, 1, 64}, 2}, {{8, 8, 2}, 0}}) {
    ir::FromSource made(
        "kernel void k(global float* out, global const float* in, uint n) {\n"
        "uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2), at = (z * n + y) * n + x;\n"
        "float s = 0; for (uint i = 0; i < n; ++i) s += in[at + i * n * n] * in[i]; out[at] = s; }");
    std::ranges::copy(size, made.module.find("k")->likely_group);
    made.module.vector_bytes = 64;
    std::string why;
    ASSERT_TRUE(run(&made.module, "all", &why)) << why;
    int found = -1;
    ir::forEach(*made.module.find("k")->body, [&](const Instruction& i) {
      if (i.op == Opcode::kItems && i.lanes > 1) found = i.dimension;
    });
    EXPECT_EQ(found, along) << size[0] << " x " << size[1] << " x " << size[2];
  }
}

TEST(WidenItemsFormTest, NeighboursThatLieTogetherAreOneAccess) {
  const char* const loads = "int i = 3 * (int)x; out[at] = in[i + 2] ^ in[i] * 3 ^ in[i + 1] * 7;";
  EXPECT_EQ(rowsOf(loads, 3, Opcode::kLoad), 1);
  const char* const stores = "int t = 3 * (int)x; uint v = in[x]; out[t + 1] = x; out[t + 2] = v; out[t] = n;";
  EXPECT_EQ(rowsOf(stores, 3, Opcode::kStore), 1);
  const char* const wrapping = "uint t = 3 * x, v = in[x]; out[t + 1] = x; out[t + 2] = v; out[t] = n;";
  EXPECT_EQ(rowsOf(wrapping, 3, Opcode::kStore), 1) << "beside a form for numbers that wrap";
  const char* const in_place = "int t = 4 * (int)x; for (int k = 0; k < 4; ++k) out[t + k] = out[t + k] * 3 + n;";
  EXPECT_EQ(rowsOf(in_place, 4, Opcode::kLoad), 1);
  EXPECT_EQ(rowsOf(in_place, 4, Opcode::kStore), 1);
  const char* const nine =
      "int i = 9 * (int)x; out[at] = in[i] ^ in[i + 1] * 3 ^ in[i + 2] * 5 ^ in[i + 3] * 7 ^ in[i + 4] * 9 ^ in[i + 5] * 2 ^ "
      "in[i + 6] * 4 ^ in[i + 7] * 6 ^ in[i + 8];";
  EXPECT_EQ(rowsOf(nine, 4, Opcode::kLoad), 2) << "and one alone";
  const char* const seven =
      "int t = 7 * (int)x; out[t] = x; out[t + 1] = n; out[t + 2] = 5; out[t + 3] = l; out[t + 4] = x; out[t + 5] = x * 3; "
      "out[t + 6] = y;";
  EXPECT_EQ(rowsOf(seven, 4, Opcode::kStore), 1);
  EXPECT_EQ(rowsOf(seven, 2, Opcode::kStore), 1);
  EXPECT_EQ(rowsOf("int i = 6 * (int)x; out[at] = in[i] ^ in[i + 1] * 3 ^ in[i + 2] * 5 ^ in[i + 3] * 7;", 4, Opcode::kLoad), 0)
      << "whole vectors are loaded and the lanes chosen";
  EXPECT_EQ(rowsOf("int t = 3 * (int)x; out[t + 1] = x; out[t] = n;", 3, Opcode::kStore), 0) << "one is missing";
  EXPECT_EQ(rowsOf("int t = 2 * (int)x; out[t] = x; out[at] = n; out[t + 1] = 5;", 2, Opcode::kStore), 0) << "what is between";
  EXPECT_EQ(rowsOf("int t = 2 * (int)x; out[t] = x; if (n > 3) out[t + 1] = 5;", 2, Opcode::kStore), 0) << "of two regions";
}

int inOrder(const char* body) {
  ir::FromSource made(source(body));
  made.module.vector_bytes = 32;
  made.module.lanes_along = 0;
  std::string why;
  EXPECT_TRUE(run(&made.module, "all", &why)) << why;
  int count = 0;
  ir::forEach(*made.module.find("k")->body, [&](const Instruction& i) { count += i.in_order ? 1 : 0; });
  return count;
}

TEST(WidenItemsFormTest, RowsStayInOrderWhereAllElementsAreTreatedAlike) {
  const std::string begin = "int t = 4 * (int)x; uint4 v = vload4(0, out + t); ";
  EXPECT_EQ(inOrder((begin + "vstore4(v * 3 + n, 0, out + t);").c_str()), 2);
  EXPECT_EQ(inOrder((begin + "uint4 m = vload4(0, in + t); vstore4(v < m ? v : m * n, 0, out + t);").c_str()), 3);
  EXPECT_EQ(inOrder((begin + "vstore4(v * x, 0, out + t);").c_str()), 0) << "one factor for each lane";
  EXPECT_EQ(inOrder((begin + "vstore4(v + (uint4)(1, 2, 3, 4), 0, out + t);").c_str()), 0) << "one for each component";
  EXPECT_EQ(inOrder((begin + "vstore4(v + v.x, 0, out + t);").c_str()), 0) << "a component of a lane";
  EXPECT_EQ(inOrder((begin + "if (x & 1) vstore4(v + 1, 0, out + t);").c_str()), 0) << "with a mask";
  const std::string three = "int t = 3 * (int)x; uint a = out[t] + n, b = out[t + 1] + n, c = out[t + 2] + n; ";
  EXPECT_EQ(inOrder((three + "out[t] = a * 5; out[t + 1] = b * 5; out[t + 2] = c * 5;").c_str()), 2);
  EXPECT_EQ(inOrder((three + "out[t] = a * 5; out[t + 1] = b * 5; out[t + 2] = c * 7;").c_str()), 0) << "not alike";
  EXPECT_EQ(inOrder((three + "out[t] = b * 5; out[t + 1] = a * 5; out[t + 2] = c * 5;").c_str()), 0) << "in another order";
  EXPECT_EQ(inOrder((three + "out[t] = a * 5; out[t + 1] = b * 5; out[t + 2] = c * 5; out[at + 300] = a;").c_str()), 0)
      << "one of them is asked for by itself";
}

TEST(WidenItemsFormTest, RowsThatLanesWalkAlongAreTiles) {
  EXPECT_EQ(formsOf("uint s = 0; for (uint i = 0; i < n; ++i) s += in[l * n + i]; out[at] = s;").tiles, 1);
  EXPECT_EQ(formsOf("uint s = 0; for (int i = 0; i < 9; ++i) s += in[(int)l * 9 + i]; out[at] = s;").tiles, 1);
  EXPECT_EQ(formsOf("uint s = 0; for (uint i = 0; i < n; ++i) s += in[l + n * i]; out[at] = s;").tiles, 0) << "neighbours";
  EXPECT_EQ(formsOf("for (uint i = 0; i < n; ++i) out[at] += in[l * n + i];").tiles, 0) << "what is stored may be read";
}

TEST(WidenItemsFormTest, VectorsThatShareLoadsGoTogether) {
  const Forms rows =
      formsOf("uint s = 0; for (int i = 0; i < (int)n; ++i) s += in[(int)y * 9 + i] * in[i * 8 + (int)l]; out[at] = s;");
  EXPECT_EQ(rows.jam, 4);
  EXPECT_EQ(rows.jam_dimension, 1);
  const Forms row = formsOf("uint s = 0; for (int i = 0; i < (int)n; ++i) s += in[i] * in[i * 8 + (int)l]; out[at] = s;");
  EXPECT_EQ(row.jam, 4);
  EXPECT_EQ(formsOf("uint s = 0; for (int i = 0; i < (int)n; ++i) s += in[i] * in[i * 8 + (int)l]; out[at] = s;", 16, 8).jam, 2)
      << "rows are known to have two vectors";
  EXPECT_EQ(formsOf("out[at] = in[x] * 3;").jam, 1);
}

TEST(WidenItemsFormTest, WhatEndsAsAByteIsComputedAsOne) {
  const std::string bytes = "global const uchar* b = (global const uchar*)in; global uchar* o = (global uchar*)out; ";
  EXPECT_EQ(formsOf((bytes + "o[(int)x] = (b[(int)x] + b[(int)x + 1]) ^ (b[(int)x] & 0x80 ? 27 : 0);").c_str()).extensions, 0);
  EXPECT_EQ(formsOf((bytes + "o[(int)x] = (b[(int)x] + b[(int)x + 1]) / 2;").c_str()).extensions, 2)
      << "the quotient wants more";
  EXPECT_EQ(formsOf((bytes + "o[(int)x] = b[(int)x] + b[(int)x + 1] < 300;").c_str()).extensions, 3)
      << "so does what is compared";
}

TEST(WidenItemsFormTest, RowsThatComeNextAreAskedFor) {
  EXPECT_EQ(formsOf("uint s = 0; for (uint i = 0; i < 9; ++i) s += in[at + i * n]; out[at * 9 % 7] = s;").prefetches, 1);
  EXPECT_EQ(formsOf("uint s = 0; for (uint i = 0; i < 30; ++i) s += in[at + i * 16]; out[at * 9 % 7] = s;").prefetches, 1);
  EXPECT_EQ(formsOf("uint s = 0; for (uint i = 0; i < 30; ++i) s += in[at + i * 8]; out[at * 9 % 7] = s;").prefetches, 0)
      << "turns go along a line";
  EXPECT_EQ(formsOf("uint s = 0; for (uint i = 0; i < 9; ++i) s += in[l + i * n]; out[at * 9 % 7] = s;").prefetches, 0)
      << "other groups read the same";
  EXPECT_EQ(formsOf("out[at] = in[at + 1] + in[at + 2];", 64).prefetches, 2) << "rows of a group";
}

TEST(WidenItemsFormTest, BytesThatWideMasksChooseAreCarriedAsInts) {
  EXPECT_EQ(formsOf("uchar c = 7; uint m = 0; for (uint i = 0; i < n; ++i) if (in[x + i] > m) { m = in[x + i]; c = (uchar)i; } "
                    "out[at] = c + m;")
                .bytes,
            0);
  EXPECT_EQ(formsOf("char c = 7; for (uint i = 0; i < n; ++i) if (in[x + i] > n) c = (char)(c / 5 + 3); out[at] = c;").bytes, 1)
      << "the loop computes with it";
  EXPECT_EQ(formsOf("global const uchar* b = (global const uchar*)in; uchar c = 7;\n"
                    "for (uint i = 0; i < n; ++i) { uchar e = b[x + i]; c = e > c ? e : c; } out[at] = c;")
                .bytes,
            1)
      << "bytes are compared";
}

TEST(WidenItemsFormTest, VectorsSideBySideHaveSquares) {
  const Forms stores = formsOf("out[(l + get_group_id(0)) * 10 + y] = in[x + y * n];", 64);
  EXPECT_EQ(stores.jam, 16);
  EXPECT_EQ(stores.squares, 1);
  EXPECT_EQ(formsOf("out[at] = in[(int)x * (int)n + (int)y];", 64).squares, 1);
  EXPECT_EQ(formsOf("out[l * 10 + y * 2] = in[x * 2 + y * n];", 64).squares, 0) << "two elements apart";
  EXPECT_EQ(formsOf("out[at] = in[in[x] % 100 + y];", 64).squares, 0) << "rows are nowhere known";
  EXPECT_EQ(formsOf("if (in[y] & 1) out[l * 10 + y] = in[x];", 64).squares, 0) << "not every vector comes there";
}

TEST(WidenItemsFormTest, ShortLoopsAndWhatIsTheSameGo) {
  EXPECT_EQ(
      formsOf("uint p[4], s = 0; for (uint i = 0; i < 4; ++i) p[i] = in[x + i]; for (uint i = 0; i < 4; ++i) s = s * 3 + p[3 "
              "- i]; out[at] = s;")
          .loops,
      0);
  EXPECT_EQ(formsOf("out[at] = in[(int)x] * 3 + in[(int)x] * n + in[(int)x];").loads, 1);
}

TEST(WidenItemsCostTest, LanesFillTheProcessorsVectors) {
  EXPECT_EQ(lanesOf("out[at] = in[x] * 3;", 64), 16);
  EXPECT_EQ(lanesOf("out[at] = in[x] * 3;", 32), 8);
  EXPECT_EQ(lanesOf("double d = in[x]; d = d * d + 0.5; d = d * d - 3; out[at] = (uint)d;", 64), 8);
  EXPECT_EQ(lanesOf("out[at] = in[x] * 3;", 0), 1) << "no vectors";
}

TEST(WidenItemsCostTest, ItemsStayWhereLanesCostMore) {
  EXPECT_EQ(lanesOf("volatile global uint* v = out; v[at] = x; v[at] += 2; v[at] += v[at + 1];", 64), 1);
}

}  // namespace
}  // namespace manyrt::compiler::passes
