#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels made at random, which have to give the same bits however they are built.

    random_programs.py [--count 40] [--first 1] [--devices cpu,opencl:0] [--keep FOLDER]

Each program has divergent branches and loops with break, continue and return, indices of several types, barriers and local
memory; many have vectors with swizzles, helpers that return early, private arrays and records, and switches. On the CPU it is
built without optimisation, as quick code and as optimised code; each of the other devices builds it once. All run groups
of several sizes. A difference prints the program's number, and --keep writes the source; `--first NUMBER --count 1` makes the
program again. Exit status: 0 all agree, 1 some do not, 77 nothing could be run.
"""

import argparse
import os
import pathlib
import random
import sys

SKIP = 77
ITEMS = 192
GROUPS = ((64, 1), (16, 4), (24, 1), (3, 1), (1, 16), (48, 2))  # sizes of groups, in two dimensions
SLOTS = 4  # words that each item writes by itself; behind them, a vector of four for each
GIVEN = "uint u0, uint u1, uint u2, int i0, int i1, float f0, float f1"
RECORD = """typedef struct { uint a; float f; uchar b[3]; short2 s; } R;
R mixed(R x, uint k) {
  if (k & 1u) return x;
  x.a ^= k;
  x.b[k % 3u] += (uchar)k;
  x.s.y = (short)k;
  return x;
}
void changed(R *x, uint *y, uint k) {
  x->a += *y;
  if (x->a % 3u == k % 3u) return;
  *y ^= k;
  x->s += (short2)((short)k, 1);
  uchar *b = x->b;
  b[1] ^= b[k % 3u];
}
"""
PLACE = "uint g, uint l, uint n, int w, uint size, global const uint *in, global const float *fin"


class Program:
    """The source of one kernel, from a seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.depth = 0
        self.loops = 0  # around the place, that break and continue may name
        self.counter = 0
        self.barriers = self.random.random() < 0.4
        self.uints, self.ints, self.floats = ["u0", "u1", "u2"], ["i0", "i1"], ["f0", "f1"]
        self.doubles = self.random.random() < 0.15
        self.vectors = self.random.random() < 0.5
        self.objects = self.random.random() < 0.4
        self.pointers = self.objects and self.random.random() < 0.4
        self.helpers = []
        self.inside = False  # a helper
        for name in ("h0", "h1")[:self.pick(0, 0, 1, 2)]:
            self.helpers.append((name, self.helper(name)))
        self.source = self.make()

    def pick(self, *choices):
        return self.random.choice(choices)

    def add(self, text):
        self.lines.append("  " * (self.depth + 1) + text)

    # ---- Expressions: unsigned arithmetic wraps, signed stays small, floats stay finite or do not: bits decide.

    def uint(self, depth=0):
        if depth > 2 or self.random.random() < 0.3:
            return self.pick(*self.uints, "g", "l", "n", "(uint)i0", f"{self.random.randrange(1 << 32)}u",
                             f"{self.random.randrange(16)}u")
        if self.vectors and depth < 2 and self.random.random() < 0.2:
            return self.pick("q0.x", "q1.s3", "q0.w", "q1.y", f"({self.uvec(depth + 2)}).z",
                             f"as_uint2({self.uvec(depth + 2)}.xy).y",
                             f"(uint)any(q0 > {self.uvec(depth + 2)})", f"(uint)all(q0 != {self.uvec(depth + 2)})")
        if self.objects and depth < 2 and self.random.random() < 0.2:
            return self.pick("t0[0]", "t0[3]", f"t0[{self.uint(3)} % 5u]", "r0.a", "r1.a", "(uint)r0.b[1]", "as_uint(r1.f)",
                             f"(uint)r0.b[{self.uint(3)} % 3u]", "(uint)r1.s.x", f"mixed(r0, {self.uint(3)}).a", "t0[4]")
        if self.helpers and depth < 2 and self.random.random() < 0.15:
            return self.call(depth)
        a, b = self.uint(depth + 1), self.uint(depth + 1)
        return self.pick(f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} ^ {b})", f"({a} & {b})", f"({a} | {b})",
                         f"({a} << ({b} & 31u))", f"({a} >> {self.random.randrange(32)})", f"({a} / {b})",
                         f"({a} % {b})", f"min({a}, {b})", f"max({a}, {b})", f"rotate({a}, {b})", self.load(depth + 1),
                         f"({self.condition(depth + 1)} ? {a} : {b})", f"as_uint({self.float(depth + 1)})",
                         f"popcount({a})", f"mul_hi({a}, {b})", self.cut(a, b))

    def cut(self, a, b):
        """Computed in more bits than are kept."""
        shift = self.random.randrange(40)
        return self.pick(f"(uint)((size_t){a} * {b})", f"(uint)(((ulong){a} << {shift}) + {b})",
                         f"(uint)(uchar)({a} ^ {b} << 3)",
                         f"(uint)((ulong){a} * {b} >> {shift})", f"(uint)(ushort)(~{a} - (uchar){b} * 7)",
                         f"(uint)(char)((long){a} | -(long){b})", f"(uint)(get_local_id(0) * {b} + {a})",
                         f"(uint)((uchar){a} > (uchar)({b} + 3u))")

    def call(self, depth):
        name = self.pick(*self.helpers)[0]
        given = [self.uint(depth + 2) for _ in range(3)] + [self.int(3), self.int(3), self.float(3), self.float(3)]
        return f"{name}({', '.join(given)}, g, l, n, w, size, in, fin)"

    # ---- Vectors of four

    def uvec(self, depth=0):
        if depth > 2 or self.random.random() < 0.3:
            return self.pick("q0", "q1", f"(uint4)({self.uint(3)}, {self.uint(3)}, {self.uint(3)}, {self.uint(3)})",
                             f"(uint4)({self.uint(3)})", f"((global const uint4 *)in)[{self.uint(3)} & 127u]",
                             f"vload4({self.pick('g', 'l + 3u', 'u0 & 63u')}, in)", "as_uint4(p0)",
                             f"(uint4)(q0.zy, q1.{self.pick('xw', 'yy', 'lo', 'odd')})")
        a, b = self.uvec(depth + 1), self.uvec(depth + 1)
        return self.pick(f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} ^ {b})", f"({a} & {b})", f"(~{a} | {b})",
                         f"({a} << ({b} & 31u))", f"({a} >> {self.random.randrange(32)}u)", f"({a}).wzyx", f"({a}).yyxz",
                         f"({a} / {b})", f"({a} % {self.random.randrange(1, 99)}u)", f"min({a}, {b})", f"rotate({a}, {b})",
                         f"as_uint4({a} < {b})", f"({self.condition(3)} ? {a} : {b})", f"select({a}, {b}, {b} > {a})",
                         f"select({a}, {b}, {b} << 3u)", f"(({a} > {b}) ? {a} : {b})", f"mul_hi({a}, {b})",
                         f"convert_uint4(convert_uchar4({a}))",
                         f"convert_uint4({self.bytes()})", f"as_uint4(!{a})", f"as_uint4({a} && {b})",
                         f"as_uint4({self.fvec(depth + 1)})", f"({a} + {self.uint(3)})")

    def bytes(self):
        place = self.pick("g", "g * 3u + 1u", f"{self.uint(3)} & 255u")
        return f"((global const uchar4 *)in)[{place}]"

    def fvec(self, depth=0):
        if depth > 2 or self.random.random() < 0.3:
            return self.pick("p0", "p1", f"(float4)({self.float(3)}, p0.yzw)", f"(float4)({self.float(3)})",
                             f"((global const float4 *)fin)[{self.uint(3)} & 127u]", "vload4(g, fin)",
                             "(float4)(vload3(g, fin), 1.0f)", "p1.xxzw")
        a, b, c = self.fvec(depth + 1), self.fvec(depth + 1), self.fvec(depth + 1)
        return self.pick(f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} * {b} + {c})", f"fma({a}, {b}, {c})",
                         f"fmin({a}, {b})", f"fabs({a})", f"({c} - {a} * {b})", f"({a}).wzyx", f"(-{a})",
                         f"({self.condition(3)} ? {a} : {b})", f"select({a}, {b}, isless({b}, {c}))",
                         f"floor({a} * 0.25f)", f"convert_float4({self.uvec(depth + 1)} & 1023u)", f"({a} * {self.float(3)})",
                         f"clamp({a}, -1.0f, 1.0f)", f"cross({a}, {b})")

    def assign_vector(self):
        self.add(self.pick(
            f"q0 {self.pick('=', '+=', '^=', '*=')} {self.uvec()};", f"q1 = {self.uvec()};",
            f"q0.{self.pick('xy', 'zx', 'wy', 'hi')} {self.pick('=', '+=', '^=')} ({self.uvec(1)}).{self.pick('zw', 'yy')};",
            f"q1.{self.pick('x', 'y', 's2', 'w')} {self.pick('=', '-=', '|=')} {self.uint(1)};", "q0.xy = q0.yx;", "q1++;",
            "--q0.zw;", f"p0 {self.pick('=', '+=', '*=', '-=')} {self.fvec()};", f"p1 = {self.fvec()};",
            f"p0.{self.pick('x', 'z')} += {self.float(1)};", f"p1.yw = {self.fvec(1)}.xz;", "p0 += p1 * p0;",
            *([] if self.inside else [f"vectors[g] {self.pick('=', '^=')} {self.uvec(1)};", "vstore4(q0, g, out + ITEMS * 4u);",
                                      f"((global uchar4 *)vectors)[g * 4u + 2u] = convert_uchar4({self.uvec(1)});",
                                      f"vectors[g].{self.pick('y', 'zw', 'x')} = q1.{self.pick('x', 'y')};"])))

    def load(self, depth):
        if self.random.random() < 0.25:  # what lies before 0 wraps, and is not read
            back = self.random.randrange(1, 40)
            index = self.pick(f"g - {back}u", f"(size_t)(g - {back}u)", f"(int)g - {back}", f"(g * 2u - {back * 2}u)",
                              f"(ulong)(l + size - {back}u - size)")
            return f"({'l' if index.startswith('(ulong)') else 'g'} >= {back}u ? in[{index}] : 7u)"
        index = self.pick(f"{self.uint(depth)} & 255", f"({self.int(depth)} & 127) + 3", "g", "l + 5", "(int)g * 1",
                          "(int)(ITEMS - 1) - (int)g", "2 * (int)l + 1", "ROW * 16 + (int)l", "(size_t)g")
        return f"in[{index}]"

    def int(self, depth=0):
        if depth > 2 or self.random.random() < 0.4:
            return self.pick(*self.ints, "(int)g", "(int)l", "(int)(u0 & 1023u)", str(self.random.randrange(-9, 10)), "w",
                             "ROW")
        a, b = self.int(depth + 1), self.int(depth + 1)
        return self.pick(f"(({a} + {b}) & 0xffff)", f"(({a} - {b}) % 1000)", f"((int)(short){a})", f"((int)(char){b})",
                         f"min({a}, {b})",
                         f"(int)abs({a} & 0xffff)" if self.random.random() < 0.5 else f"({a} / 3)",
                         f"({self.condition(depth + 1)} ? {a} : {b})", f"(({a} & 0xff) * ({b} & 0xff))", f"({a} == {b})",
                         f"!({a})", f"(int)clamp({self.float(depth + 1)}, -100.0f, 100.0f)" if depth < 1 else "i1")

    def float(self, depth=0):
        if self.vectors and depth < 2 and self.random.random() < 0.15:
            return self.pick("p0.x", "p1.w", "p1.y", f"dot(p0, {self.fvec(depth + 2)})", "dot(p0.xy, p1.zw)",
                             f"({self.fvec(depth + 2)}).y",
                             "length(p0.xyz)")
        if depth > 2 or self.random.random() < 0.3:
            return self.pick(*self.floats, "fin[g]", "(float)(int)l", f"{self.random.uniform(-4, 4):.3f}f", "fin[l + 2]",
                             "(float)i1")
        a, b, c = self.float(depth + 1), self.float(depth + 1), self.float(depth + 1)
        return self.pick(f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} * {b} + {c})", f"fma({a}, {b}, {c})",
                         f"fmin({a}, {b})", f"fmax({a}, {b})", f"fabs({a})", f"({c} - {a} * {b})", f"sqrt(fabs({a}))",
                         f"({self.condition(depth + 1)} ? {a} : {b})", f"({a} / {b})", f"floor({a})", f"(-({a}))",
                         f"(float)({a} * 1.5)" if self.doubles else f"mad({a}, 0.5f, {b})", f"select({a}, {b}, i0 > 3)",
                         f"fin[{self.uint(depth + 1)} & 127]")

    def condition(self, depth=0):
        kind = self.random.random()
        if depth < 2 and kind < 0.25:
            return f"({self.condition(depth + 1)} {self.pick('&&', '||')} {self.condition(depth + 1)})"
        if kind < 0.55:
            return f"({self.uint(depth + 1)} {self.pick('<', '>', '==', '!=', '<=', '>=')} {self.uint(depth + 1)})"
        if kind < 0.8:
            return f"({self.int(depth + 1)} {self.pick('<', '>', '==', '!=')} {self.int(depth + 1)})"
        if kind < 0.9:
            wide = self.pick("get_global_id(0)", "get_local_id(0)", "(get_local_id(0) + 3)", "(get_local_id(0) - 5)")
            bound = self.pick(f"(size_t)({self.uint(depth + 1)} & 63u)", "(size_t)w", "size", "(ulong)n - 9", "7ul")
            sides = self.pick((wide, bound), (bound, wide))
            return f"({sides[0]} {self.pick('<', '>', '==', '!=', '<=', '>=')} {sides[1]})"
        if kind < 0.93:
            return self.pick("get_local_id(0) == 0", "!get_local_id(0)", "l < 1u", "get_global_id(0) == 0")
        return f"({self.float(depth + 1)} {self.pick('<', '>', '==', '!=', '>=')} {self.float(depth + 1)})"

    # ---- Statements

    def assign(self):
        if self.vectors and self.random.random() < 0.35:
            self.assign_vector()
            return
        if self.objects and self.random.random() < 0.25:
            self.add(self.pick(f"t0[{self.uint(2)} % 5u] {self.pick('=', '+=', '^=')} {self.uint(1)};",
                               f"t0[2] += {self.uint(1)};",
                               f"r0.a = {self.uint(1)};", f"r1.f += {self.float(1)};", "r1 = r0;",
                               f"++r0.b[{self.uint(3)} % 3u];",
                               f"r0 = mixed(r1, {self.uint(2)});", f"r1.s.y -= (short){self.int(2)};", "r0.b[2] = r1.b[0];",
                               *([f"changed(&r{self.pick(0, 1)}, &t0[{self.uint(3)} % 5u], {self.uint(2)});",
                                  f"changed(&r0, &u1, {self.uint(2)});"] if self.pointers else [])))
            return
        kind = self.random.random()
        if kind < 0.4:
            self.add(f"{self.pick('u0', 'u1', 'u2')} {self.pick('=', '+=', '^=', '-=', '*=', '>>=', '|=')} "
                     f"{self.uint()};".replace(">>= ", ">>= 31u & "))
        elif kind < 0.6:
            self.add(f"{self.pick('i0', 'i1')} = {self.int()} & 0x3ff;")
        elif kind < 0.8:
            self.add(f"{self.pick('f0', 'f1')} {self.pick('=', '+=', '*=', '-=')} {self.float()};")
        elif kind < 0.9 and not self.inside:
            self.add(f"out[ITEMS * {self.pick(*range(1, SLOTS))} + g] {self.pick('=', '+=', '^=')} {self.uint()};")
        else:
            self.add(self.pick("u0++;", "--u1;", "i0 = (i0 + 1) & 0x3ff;", "u2 += u1++;", "u0 = (u1 = u2 + 1u) * 3u;"))

    def block(self, budget):
        self.depth += 1
        scope = (list(self.uints), list(self.floats))
        for _ in range(self.random.randrange(1, budget + 1)):
            if not self.statement(budget - 1):
                break
        self.uints, self.floats = scope
        self.depth -= 1

    def statement(self, budget):
        """False: nothing comes behind it."""
        kind = self.random.random()
        if budget <= 0 or kind < 0.4:
            self.assign()
        elif kind < 0.5:
            self.counter += 1
            if self.random.random() < 0.6:
                self.add(f"uint v{self.counter} = {self.uint()};")
                self.uints = self.uints + [f"v{self.counter}"]
            else:
                self.add(f"float v{self.counter} = {self.float()};")
                self.floats = self.floats + [f"v{self.counter}"]
        elif kind < 0.7:
            self.add(f"if ({self.pick(self.condition(), self.condition(), 'n > 3u', 'w & 1')}) {{")
            self.block(budget)
            if self.random.random() < 0.5:
                self.add("} else {")
                self.block(budget)
            self.add("}")
        elif kind < 0.86:
            self.loop(budget)
        elif kind < 0.9:
            self.switch(budget)
        elif self.loops > 0 and kind < 0.97:
            self.add(f"if ({self.condition()}) {self.pick('break', 'continue')};")
        elif self.loops > 0 and kind < 0.98:
            self.add(self.pick("break;", "continue;"))
            return False
        elif not self.barriers or self.inside:
            self.add(f"if ({self.condition()}) return{' ' + self.uint(1) if self.inside else ''};")
        else:
            self.assign()
        return True

    def switch(self, budget):
        self.add(f"switch ({self.pick(f'{self.uint()} & 3u', f'{self.int()} & 3', 'w & 3', '(uchar)(l & 7u)')}) {{")
        labels = ["case 0:", "case 1:", "case 2: case 5:", "default:"]
        self.random.shuffle(labels)
        for label in labels[:self.pick(2, 3, 4)]:
            self.add(f"{label} {{")
            self.block(max(1, budget - 1))
            self.add("}" + self.pick("", " break;", " break;"))
        self.add("}")

    def loop(self, budget):
        self.counter += 1
        name = f"k{self.counter}"
        limit = self.pick("5", "(u0 & 7u)", "(i0 & 7)", "w", "(int)(l & 3u) + 1")
        form = self.pick("for", "for", "while", "do", "array", "stride")
        self.loops += 1
        if form == "for":
            kind = self.pick("int", "uint", "size_t", "int")
            self.add(f"for ({kind} {name} = {self.pick('0', '1', 'l & 1u')}; {name} < ({kind}){limit}; {name}++) {{")
            self.uints = self.uints + [f"(uint){name}"]
            self.block(budget)
            self.uints = self.uints[:-1]
            self.add("}")
        elif form == "stride":
            kind, start = self.pick("int", "uint", "size_t"), self.pick("l", "get_local_id(0)", "g")
            end, step = self.pick(40, 70, 200), self.pick("size", "16", "n")
            self.add(f"for ({kind} {name} = {start}; {name} < {end}; {name} += {step}) {{")
            self.uints = self.uints + [f"(uint){name}"]
            self.add(f"  u1 += in[{name}] ^ {name};")
            self.block(budget)
            self.uints = self.uints[:-1]
            self.add("}")
        elif form == "array":
            self.add(f"for (int {name} = 0; {name} < w; {name}++) {{")
            self.add(f"  u0 += in[(int)g + {name}]; f0 += fin[{name}] * fin[l + {name}];")
            self.block(1)
            self.add("}")
        else:
            self.add(f"int {name} = 0;")
            self.add(f"while ({name}++ < (int){limit}) {{" if form == "while" else "do {")
            self.block(budget)
            self.add("}" if form == "while" else f"}} while (++{name} < (int){limit});")
        self.loops -= 1

    def start(self):
        if self.objects:
            self.add("uint t0[5] = {u0, u1}; t0[4] = u2;")
            self.add("R r0 = {g, f0, {1, 2}}, r1; r1.a = u1; r1.f = 1.5f;")
            self.add("r1.b[0] = r1.b[1] = (uchar)l; r1.b[2] = 7; r1.s = (short2)(3);")
        if self.vectors:
            self.add("uint4 q0 = (uint4)(u0, u1, u2, g), q1 = ((global const uint4 *)in)[g];")
            self.add("float4 p0 = (float4)(f0, f1, 0.5f, (float)l), p1 = vload4(l, fin);")

    def end(self):
        objects = " ^ t0[0] ^ t0[1] * 3u ^ t0[2] ^ t0[3] ^ t0[4] * 5u ^ r0.a ^ r1.b[1] ^ (uint)r0.s.y ^ r0.b[2]"
        vectors = " ^ q0.x ^ q0.y * 3u ^ q1.z ^ q1.w * 5u ^ as_uint(p0.x) ^ as_uint(p1.z) * 7u"
        return (objects if self.objects else "") + (vectors if self.vectors else "")

    def helper(self, name):
        self.inside = True
        self.start()
        for _ in range(self.random.randrange(1, 4)):
            if not self.statement(2):
                break
        self.add(f"return u0 ^ u1 * 3u ^ (uint)i0 ^ as_uint(f0){self.end()};")
        text = f"uint {name}({GIVEN}, {PLACE}) {{\n" + "\n".join(self.lines) + "\n}\n"
        self.lines, self.inside = [], False
        self.uints, self.floats = ["u0", "u1", "u2"], ["f0", "f1"]
        return text

    def make(self):
        self.start()
        for _ in range(self.random.randrange(2, 6)):
            self.statement(3)
            if self.barriers and self.random.random() < 0.7:
                self.add("tile[l] = u0 ^ u1;")
                self.add("barrier(CLK_LOCAL_MEM_FENCE);")
                self.add(f"u{self.random.randrange(3)} += tile[(l + {self.random.randrange(1, 5)}u) % size];")
                self.add(f"if (l == {self.pick('0u', 'size - 1u', 'size / 2u')}) shared = {self.uint()};")
                self.add("barrier(CLK_LOCAL_MEM_FENCE);")
                self.add("u0 ^= shared;")
                self.add(f"atomic_{self.pick('add', 'xor', 'or', 'max')}(&tile[{self.uint()} & 1u & (size - 1u)], "
                         f"{self.uint()});")
                self.add("barrier(CLK_LOCAL_MEM_FENCE);")
                self.add("u1 += tile[0];")
                self.add("barrier(CLK_LOCAL_MEM_FENCE);")
        body = "\n".join(self.lines)
        helpers = "".join(text for _, text in self.helpers)
        return f"""#pragma OPENCL FP_CONTRACT {'ON' if self.random.random() < 0.5 else 'OFF'}
#define ITEMS {ITEMS}u
#define ROW ((int)get_global_id(1))
{RECORD if self.objects else ""}{helpers}
kernel void k(global const uint *in, global const float *fin, global uint *out, const uint n, const int w, local uint *tile) {{
  local uint shared;
  global uint4 *vectors = (global uint4 *)(out + ITEMS * {SLOTS}u);
  const uint size = get_local_size(0) * get_local_size(1);
  const uint l = get_local_id(1) * get_local_size(0) + get_local_id(0);
  const uint g = (get_group_id(1) * get_num_groups(0) + get_group_id(0)) * size + l;
  uint u0 = g * 7u, u1 = in[g], u2 = n;
  int i0 = (int)get_global_id(0), i1 = w;
  float f0 = fin[g], f1 = (float)i0;
{body}
  out[g] = u0 ^ u1 * 3u ^ u2 * 5u ^ (uint)i0 ^ as_uint(f0) ^ as_uint(f1) * 9u ^ (uint)i1{self.end()};
}}
"""


def contents(manyrt, context, seed):
    numbers = random.Random(seed)
    words = [numbers.randrange(1 << 32) if at % 3 else numbers.randrange(16) for at in range(1024)]
    floats = [numbers.uniform(-8, 8) for _ in range(1024)]
    return context.array(words, "uint32"), context.array(floats, "float32")


def run(manyrt, device, source, options, seed):
    """What the kernel wrote, for each size of groups; NaNs count as equal."""
    with manyrt.Context(device) as context:
        words, floats = contents(manyrt, context, seed)
        kernel = context.module(source, options)["k"]
        results = []
        for width, height in GROUPS:
            out = context.zeros(ITEMS * (SLOTS + 4), "uint32")
            items = width * height
            launch = kernel[(ITEMS // items, 1), (width, height)]
            launch(context.default_stream, words, floats, out, 5, 3, manyrt.Local(4 * items))
            context.synchronize()
            results.append(out.tolist())
        return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--devices", default="cpu")
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    import manyrt
    devices = [device for device in arguments.devices.split(",") if device in [each.name for each in manyrt.devices()]]
    if not devices:
        print(f"SKIP: none of the devices {arguments.devices} is here")
        return SKIP
    failed = refused = 0
    for seed in range(arguments.first, arguments.first + arguments.count):
        source = Program(seed).source
        forms = []
        for device in devices:
            if device != "cpu":
                forms.append((device, device, "", "tiered"))
                continue
            forms += [("cpu, not optimised", device, "-cl-opt-disable", "tiered"), ("cpu, quick", device, "", "quick"),
                      ("cpu, optimised", device, "", "optimized")]
        expected = None
        for title, device, options, build in forms:
            os.environ["RT_CPU_BUILD"] = build
            try:
                found = run(manyrt, device, source, options, seed)
            except manyrt.Error as error:
                print(f"program {seed}: {title}: {error}", flush=True)
                refused += 1
                break
            expected = expected or (title, found)
            if found == expected[1]:
                continue
            failed += 1
            where = next((size, at) for size, a, b in zip(GROUPS, found, expected[1]) for at in range(len(a)) if a[at] != b[at])
            print(f"program {seed}: {title} differs from {expected[0]} for groups of {where[0]}, at {where[1]}", flush=True)
            if arguments.keep:
                arguments.keep.mkdir(parents=True, exist_ok=True)
                (arguments.keep / f"{seed}.cl").write_text(source, encoding="utf-8")
    print(f"{arguments.count} programs on {', '.join(devices)}: {failed} differences, {refused} not built")
    return 1 if failed or refused else 0


if __name__ == "__main__":
    sys.exit(main())
