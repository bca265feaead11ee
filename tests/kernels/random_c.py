# SPDX-License-Identifier: Apache-2.0
"""Kernels of ordinary C that plain_c.py compares with a C compiler: pointers that walk, point elsewhere, are cast, compared and
kept in records; objects seen in elements of another size; guards by unsigned wrap; narrow compound assignments; indices with
effects; switches that declare; gotos and cases inside of inner statements (random_jumps.py); records by value, unions, local
memory, barriers between statements and in loops. Each statement keeps inside the item's own memory, and nothing is undefined
but that signed numbers wrap, which both sides are compiled for."""

import random

import random_jumps

IN = 16  # words of an item
OUT = 12

HELPERS = """
struct R { uint x; ushort h[2]; uchar c[4]; uint *p; };
struct V { uint *a; uint *b; int n; };
uint next_(uint **p) { uint v = **p; (*p)++; return v; }
uint gnext(__global const uint **p) { return *(*p)++; }
void addb(uchar *p, int v) { *p += v; p[1] ^= (uchar)(v >> 3); }
uint sumr(struct R r) {
  uint s = r.x * 3 + r.h[0] + 5 * r.h[1];
  for (int i = 0; i < 4; i++) s = s * 3 + r.c[i];
  return s + *r.p;
}
void setr(struct R *r, uint v, uint *p) { r->x += v; r->h[v & 1] ^= (ushort)v; r->c[v & 3]--; if (v & 4) return; r->p = p; }
uint sumv(struct V v) { uint s = 0; for (int i = 0; i < v.n; i++) s = s * 5 + v.a[i] - v.b[v.n - 1 - i]; return s; }
uint *pick_(uint *p, uint *q, uint c) { if (c & 1) return p; return q + 1; }
uint bytes_(const uchar *p, int n) { uint s = 1; while (n--) s = s * 7 + *p++; return s; }
void swap_(uint *p, uint *q) { uint t = *p; *p = *q; *q = t; }
uint local_(__local const uchar *p, int n) { uint s = 1; do s = s * 7 + *p++; while (--n > 0); return s; }
struct A { ushort h[3]; uint w[2]; };
struct A turned(struct A s, uint k) { s.h[k % 3] += s.w[k & 1]; s.w[k >> 1 & 1] ^= k; return s; }
union U { uint w[2]; ulong l; uchar c[8]; short s; };
ulong joined(union U u, uint k) { u.c[k & 7] ^= 0x40; u.s -= 3; return u.l; }
int early(uint v, uint *p) {
  for (int i = 0; i < 4; i++) {
    if (p[i] == v) return i;
    if ((p[i] & 15) == (v & 15)) return -i;
  }
  return 9;
}
"""

NARROW = ["char", "uchar", "short", "ushort"]
WORDS = ["int", "uint"]
LONG = ["long", "ulong"]
TYPES = {"c0": "char", "b0": "uchar", "s0": "short", "h0": "ushort", "i0": "int", "i1": "int", "u0": "uint", "u1": "uint",
         "l0": "long", "m0": "ulong"}
UNIFORM = ["k0", "k1"]


class Kernel:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.depth = 0
        self.names = 0
        self.loops = 0
        self.others = random.Random(f"jumps {seed}")  # so that all else is what a seed has always made
        # Barriers and local memory: each item keeps to its own part of that, so that one item after the other does the same.
        self.barriers, self.local = self.random.random() < 0.4, self.random.random() < 0.4

    def put(self, text):
        self.lines.append("  " * (self.depth + 1) + text)

    def fresh(self, stem):
        self.names += 1
        return f"{stem}{self.names}_"

    def pick(self, *choices):
        return self.random.choice(choices)

    def variable(self):
        return self.random.choice(list(TYPES))

    # An expression of any integer type.
    def number(self, depth=2):
        r = self.random
        if depth == 0 or r.random() < 0.3:
            if self.local and r.random() < 0.15:
                return self.own_local()
            return self.pick(self.variable(), self.variable(), self.variable(), self.pick(*UNIFORM), "(uint)gid", "lid",
                             str(r.randrange(-9, 300)), f"a[{self.small(0)} & 7]", f"b[{self.small(0)} & 15]",
                             f"w[{self.small(0)} & 3]", f"g[{self.small(0)} & 15]", "r.x", "r.h[1]", "r.c[2]", "*r.p")
        x, y = self.number(depth - 1), self.number(depth - 1)
        form = r.randrange(14)
        if form < 5:
            return f"({x} {self.pick('+', '-', '*', '^', '&', '|')} {y})"
        if form == 5:
            return f"((int)({x}) {self.pick('<<', '>>')} ({y} & 15))"
        if form == 6:
            return f"((uint)({x}) {self.pick('/', '%')} (((uint)({y}) & 7) + 1))"
        if form == 7:
            return f"({x} {self.pick('<', '>', '<=', '>=', '==', '!=')} {y})"
        if form == 8:
            return f"({self.truth(1)} ? {x} : {y})"
        if form == 9:
            return f"({self.pick(*NARROW)})({x})"
        if form == 10:
            return f"({self.pick(*WORDS, *LONG)})({x})"
        if form == 11:
            return f"{self.pick('-', '~', '!')}({x})"
        if form == 12:
            return self.view(x)
        return f"({self.pick('char', 'short')})({self.pick('b0', 'h0', 'b[3]', '(uchar)u0', '(ushort)i0')})"

    def small(self, depth=1):
        if depth == 0:
            return "(uint)" + self.pick(self.variable(), self.pick(*UNIFORM), "gid", "lid")
        return f"(uint)({self.number(depth - 1)})"

    def truth(self, depth=2):
        form = self.random.randrange(7)
        if form == 0:
            return f"({self.number(depth)}) & {self.pick(1, 3, 5)}"
        if form == 1:
            return f"({self.truth(0)}) {self.pick('&&', '||')} ({self.truth(0)})" if depth else "u0 & 1"
        if form == 2:
            return f"{self.pick('p', 'q')} {self.pick('==', '!=')} {self.pick('p', 'q', 'r.p')} + {self.pick(0, 1, 2)}"
        if form == 3:
            return f"(char)({self.pick('b0', 'h0', 'u0')}) < {self.pick(0, 7, -3)}"
        if form == 4:
            return self.pick(*UNIFORM) + self.pick(" > 3", " & 1", " == 2")
        return f"{self.number(depth)} {self.pick('<', '>', '==', '!=')} {self.number(1)}"

    # Private memory seen as something else.
    def view(self, index):
        return self.pick(f"((uchar*)&{self.pick('u0', 'i1', 'u1', 'r.x')})[({index}) & 3]",
            f"((ushort*)&{self.pick('i0', 'u1')})[({index}) & 1]",
                         f"((uint*)&{self.pick('l0', 'm0')})[({index}) & 1]", f"((uchar*)w)[({index}) & 31]",
                         f"((ushort*)a)[({index}) & 15]", f"((uint*)w)[({index}) & 7]", f"((char*)a)[({index}) & 31]",
                         f"*(ushort*)&u0", f"((uchar*)&r)[({index}) & 11]", f"((ulong*)w)[({index}) & 3]",
                         f"*(int*)&u1", f"((short*)&s0)[0]")

    def own_local(self):
        return self.pick(f"s[{self.small(0)} & 7]", f"((__local uchar*)s)[{self.small(0)} & 31]",
                         f"((__local short*)s)[{self.small(0)} & 15]", f"((__local ulong*)s)[{self.small(0)} & 3]", "*s")

    def place(self):
        if self.local and self.random.random() < 0.2:
            return self.own_local()
        return self.pick(self.variable(), self.variable(), f"a[{self.small()} & 7]", f"b[{self.small()} & 15]",
                         f"w[{self.small()} & 3]", f"o[{self.small(0)} & 7]", "r.x", f"r.h[{self.small(0)} & 1]",
                         f"r.c[{self.small(0)} & 3]", "*p", f"q[{self.small(0)} & 3]", f"((__global uchar*)o)[{self.small(0)} "
                             f"& 31]",
                         self.view(self.variable()))

    def statement(self, level):
        forms = [self.assign, self.assign, self.compound, self.compound, self.step, self.walk, self.walk, self.effects,
                 self.pointers, self.pointers, self.guard, self.calls, self.calls, self.bytes, self.line, self.floats,
                 self.records]
        if self.local:
            forms += [self.local_walk, self.local_walk]
        if level > 0:
            forms += [self.choice, self.choice, self.loop, self.loop, self.switch, self.walked_loop]
        form = self.random.choice(forms)
        form(level) if form in (self.choice, self.loop, self.switch, self.walked_loop) else form()

    def block(self, level, least=1, most=3):
        self.depth += 1
        for _ in range(self.random.randint(least, most)):
            self.statement(level)
        self.depth -= 1

    def assign(self):
        self.put(f"{self.place()} = {self.number()};")

    def compound(self):
        op = self.pick("+", "-", "*", "^", "|", "&", "<<", ">>", "/", "%")
        value = self.number()
        if op in ("<<", ">>"):
            value = f"(({value}) & 31)"
            self.put(f"{self.random.choice([v for v in TYPES])} {op}= {value};")
        elif op in ("/", "%"):
            divisor = self.pick("(uchar)", "(ushort)", "(uint)", "(int)", "(ulong)")
            self.put(f"{self.place()} {op}= ({divisor}(({value}) & 15) + 1);")
        else:
            self.put(f"{self.place()} {op}= {value};")

    def step(self):
        v = self.place()
        self.put(self.pick(f"({v})++;", f"--({v});", f"u1 += ({self.variable()})++;", f"i0 ^= --({self.variable()});"))

    def walk(self):
        p = self.fresh("gp")
        start = self.pick(f"in + {IN} * gid", f"in + {IN} * (uint)gid + ({self.small()} & 7)", f"&in[gid * {IN} + "
            f"({self.small()} & 7)]",
                          "g", f"g + ({self.small(0)} & 7)", f"(__global const uint*)((__global const uchar*)in + {4 * IN} * "
                                                             f"gid)")
        step = self.pick(f"{self.variable()} = *{p}++;", f"u0 = u0 * 3 + *{p}++;", f"i1 += *++{p};", f"{p} += 2;", f"u1 ^= "
            f"{p}[1];",
                         f"{p}++;", f"m0 += *(__global const ushort*){p};", f"b0 += ((__global const "
                             f"uchar*){p})[{self.small(0)} & 3];",
                         f"u0 += ({self.truth(1)} ? {p} : g)[1];", f"l0 += {p} - in;", f"u1 += *({p} = g + ({self.small(0)} & "
                             f"7));",
                         f"if ({p} > g + 3) u0++;", f"u0 ^= gnext(&{p});")
        again = self.pick(f"u1 = u1 * 5 + *{p}++;", f"s0 += *{p}++;", f"u0 -= *({p} + 1);", f"if ({self.truth(1)}) {p}++;")
        self.put(f"{{ __global const uint *{p} = {start}; {step} {again} u0 ^= *{p}; }}")

    def walked_loop(self, level):
        p, e = self.fresh("p"), self.fresh("e")
        space, base = self.pick(("__global const uint", "g"), ("uint", "a"), ("__global const uchar", "((__global const "
            "uchar*)g)"), ("uchar", "b"))
        step = self.pick("++", " += 2", "++", " += (uint)(gid & 1) + 1")
        count = self.pick("6", "(u1 & 7)", "k1", "(gid & 3) + 2")
        self.put(f"{{ {space} *{p} = {base} + ({self.small(0)} & 1), *{e} = {p} + {count};")
        self.put(f"for (; {p} {self.pick('<', '<')} {e}; {p}{step}) {{")
        self.depth += 1
        self.put(f"{self.pick('u0 = u0 * 3 +', 'i1 ^=', 'm0 +=')} *{p};" if self.random.random() < 0.5 else f"l0 = l0 * 7 + "
            f"{p}[0] + ({e} - {p});")
        if self.random.random() < 0.3:
            self.put(f"if ({self.truth(1)}) {self.pick('break', 'continue')};")
        if self.random.random() < 0.4:
            self.statement(0)
        self.depth -= 1
        self.put("} }")

    def effects(self):
        k = self.fresh("k")
        start = self.pick("0", "0", f"({self.small(0)} & 1)")
        kind = self.pick("int", "uint", "uchar", "size_t")
        first = self.pick(f"a[{k}++] += {self.number(1)};", f"b[{k}++] ^= {self.number(1)};",
                          f"o[{k}++] {self.pick('=', '+=')} {self.number(1)};", f"w[{k}++ & 3] *= 3;", f"u0 += a[++{k}];",
                          f"a[({k} += 2) & 7]--;", f"r.c[{k}++]++;", f"((uchar*)&u1)[{k}++] = 5;", f"u1 ^= g[{k}++];")
        again = self.pick(f"a[{k}++]++;", f"o[{k}] ^= {k};", f"u0 += b[{k}++];", f"i1 = g[{k}++] - {k};")
        self.put(f"{{ {kind} {k} = {start}; {first} {again} u1 += {k}; }}" if self.random.random() < 0.6 else
                 f"{{ {kind} {k} = 0; while ({k} < 4) {{ {first} if ({self.truth(1)}) {{ {again} }} {k}++; }} u0 += {k}; }}")

    def pointers(self):
        self.put(self.pick(
            f"p = {self.pick('a', 'z', 'r.p')} + 0;" if self.random.random() < 0.5 else f"p = a + ({self.small()} & 3);",
            f"q = ({self.truth(1)}) ? a : z;", "{ uint *t_ = p; p = q; q = t_; }", f"if ({self.truth()}) {{ uint *t_ = p; p = "
                f"q; q = t_; }}",
            f"r.p = z + ({self.small(0)} & 3);", "{ struct R r2 = r; r2.p[1] += 3; r2.x++; r = r2; }",
            f"{{ uint *rows[2] = {{a, z}}; rows[{self.small(0)} & 1][{self.small(0)} & 7] += {self.number(1)}; u0 += *rows[1]; "
            f"}}",
            f"(({self.truth(1)}) ? p : q)[{self.small(0)} & 3] ^= {self.number(1)};", "u0 += (uint)(p - a) * (p >= a && p < a "
                "+ 8);",
            f"{{ uint **pp_ = ({self.truth(1)}) ? &p : &q; **pp_ += {self.number(1)}; }}", f"u1 += *(p = z + ({self.small(0)} "
                f"& 3));",
            f"b0 += !p + (q ? 2 : 3) + (uchar)((ulong)p & 3);", f"*(uchar*)(p + 1) = {self.number(1)};",
            f"{{ struct V v_ = {{a, z, {self.pick(4, 3, '(int)(u0 & 3) + 1')}}}; u0 ^= sumv(v_); v_.a[v_.n] -= 7; }}"))

    def guard(self):
        u = self.fresh("x")
        kind = self.pick("uint", "uint", "int", "ulong", "size_t", "ushort", "long")
        start = self.pick(f"gid - {self.pick(1, 5, 37)}", f"(int)gid - {self.pick(3, 40)}", f"{self.pick(20, 300)} - gid",
            f"(uint)gid * {self.pick(3, 0x1000003, 0x40000001)}",
                          f"(short)(gid * 100)", f"gid * {self.pick(2, 7)} - {self.pick(9, 90)}", f"(uint)gid - u0")
        limit = self.pick("n", "(uint)n", "64u", "n / 2", "k1 + 20")
        cast = "" if kind in ("uint", "ulong", "size_t", "ushort") else "(uint)"
        self.put(f"{{ {kind} {u} = {start}; if ({cast}{u} < {limit}) u0 ^= in[{u} & 255]; l0 += {u}; m0 ^= (ulong){u} >> 5; h0 "
                 f"+= {u}; }}"
                 if self.random.random() < 0.7 else
                 f"{{ {kind} {u} = {start}; long y_ = {u}; float f_ = (float)(int)({u} & 0xffff); if ({u} "
                 f"{self.pick('<', '>', '==')} {self.pick(0, 8)}) i0 += y_ >> 3; u1 += (uint)f_ + (uint)(y_ >> 32); }}")

    def calls(self):
        self.put(self.pick(
            "u0 += next_(&p); p = a;", f"addb(&b[{self.small(0)} & 7], {self.number(1)});",
            f"addb((uchar*)&{self.pick('u1', 'i0', 'a[2]')}, {self.number(1)});",
            "u0 ^= sumr(r);", f"setr(&r, {self.number(1)}, z + ({self.small(0)} & 3));", f"*pick_(p, z, {self.number(1)}) += "
                f"3;",
            f"u1 = u1 * 3 + bytes_((const uchar*)&{self.pick('u0', 'i1', 'a[1]', 'r')}, {self.pick(4, 3, '(int)(u0 & 3)')});",
            f"swap_(&a[{self.small(0)} & 7], {self.pick('p', 'q', '&u1', 'z')});", f"i0 += early({self.number(1)}, "
                f"{self.pick('a', 'z', 'a + 2')});",
            f"if ({self.truth(1)}) i1 -= early(a[3], z);", f"({self.truth(1)}) ? addb(b, 1) : swap_(z, z + 1);",
            f"({self.truth(1)}) && early(u0, a);",
            f"u0 += (swap_(a, z), {self.number(1)});"))

    def bytes(self):
        v = self.view(self.variable())
        if v.startswith("*(ushort*)&u0"):
            v = "*(ushort*)&u0"
        self.put(self.pick(f"{v} = {self.number(1)};", f"u0 += {v};", f"{v} {self.pick('+=', '^=', '*=')} {self.number(1)};",
            f"u1 ^= {v} << 3;"))

    def line(self):
        t = self.pick("uint", "int", "ulong", "long", "ushort", "uchar")
        e = self.pick(f"gid * {self.pick(3, 5, 257, 65537)} + {self.pick(1, 9)}", "(uint)gid * 0x10001u - 7u", "-(int)gid",
            "~(uint)gid", "(gid << 4) - 100", "gid + k0", "(int)gid - (int)n",
                      f"(uint)gid - {self.pick(1, 100)}", "(int)gid << 20", "n - gid")
        x = self.fresh("y")
        value = self.pick(x, f"{x} >> 3", f"(ulong){x} >> 30", f"(char){x}", f"{x} / 3", f"!{x}", f"(long){x} * 3", f"{x} < 50")
        use = self.pick(f"u0 += g[{x} & 15];", f"if ({x} > 7) i1++;", f"a[{x} & 7] = {x};")
        self.put(f"{{ {t} {x} = {e}; {self.variable()} {self.pick('=', '+=', '^=')} {value}; {use} }}")

    def floats(self):
        t = self.pick("int", "uint", "long", "short", "uchar", "ushort", "ulong")
        x = self.fresh("f")
        start = f"({self.number(1)}) & {self.pick(63, 31)}"
        by = self.pick("0.5f", "0.75f", "2.0f", "(float)((u0 & 3) + 1)", "1.5")
        self.put(f"{{ {t} {x} = {start}; {x} {self.pick('*=', '+=', '/=')} {by}; u1 += {x}; "
                 f"float fl_ = {x}; fl_ *= (i0 & 7); u0 ^= (uint)fl_; }}")

    def records(self):
        x = self.fresh("r")
        self.put(self.pick(
            f"{{ struct A {x} = {{{{(ushort){self.number(1)}, h0, 3}}, {{u0, u1}}}}; {x} = turned({x}, {self.number(1)}); "
            f"if ({self.truth(1)}) {x} = turned({x}, u1); u0 ^= {x}.h[{self.small(0)} % 3] + {x}.w[{self.small(0)} & 1]; }}",
            f"{{ struct A {x}[3] = {{{{{{1, 2, 3}}, {{u0, 5}}}}, {{{{h0, b0, 7}}, {{u1, 9}}}}}}; {x}[2] = "
            f"{x}[{self.small(0)} & 1]; {x}[{self.small(0)} % 3] = turned({x}[{self.small(0)} % 3], u0); "
            f"for (struct A *e_ = {x}; e_ < {x} + 3; e_++) u1 = u1 * 3 + e_->h[1] + e_->w[0]; }}",
            f"{{ union U {x}; {x}.l = {self.number(1)}; {x}.c[{self.small(0)} & 7]++; {x}.w[{self.small(0)} & 1] *= 3; "
            f"m0 ^= {x}.l; u0 += joined({x}, u1) >> 5; i0 -= {x}.s; }}",
            f"{{ bool {x} = {self.number(1)}; {x} ^= {self.truth(1)}; {x} += {self.truth(0)}; u0 += {x} * 5; }}",
            f"{{ volatile {self.pick('uint', 'short', 'uchar')} {x} = {self.number(1)}; {x} += u0; {x}++; u1 ^= {x}; }}"))

    def local_walk(self):
        x = self.fresh("s")
        self.put(self.pick(
            f"{{ __local uint *{x} = s + ({self.small(0)} & 3); u0 = u0 * 3 + *{x}++; *{x} ^= {self.number(1)}; "
            f"u1 += {x} - s; }}",
            f"{{ __local uint *{x} = s, *y_ = s + 4; if ({self.truth(1)}) {{ __local uint *t_ = {x}; {x} = y_; y_ = t_; }} "
            f"{x}[{self.small(0)} & 3] += {self.number(1)}; u0 ^= *y_; }}",
            f"for (__local ushort *{x} = (__local ushort*)s; {x} != (__local ushort*)(s + 8); {x} += 2) u1 = u1 * 3 + *{x};",
            f"u0 ^= local_((__local const uchar*)s + ({self.small(0)} & 15), (int)(u1 & 15) + 1);",
            f"{{ int {x} = 0; while ({x} < 6) {{ s[{x}++] += {self.number(1)}; if ({self.truth(1)}) {x}++; }} i0 += {x}; }}",
            f"(({self.truth(1)}) ? s : s + 3)[{self.small(0)} & 3]--;"))

    def barrier(self):
        self.put("barrier(CLK_LOCAL_MEM_FENCE);")

    def loop_of_all(self):
        """A loop that all items take together, with a barrier inside."""
        i = self.fresh("i")
        self.put(f"for (int {i} = 0; {i} < {self.pick('2', '3', '(int)(n & 3)')}; {i}++) {{")
        self.block(1)
        self.depth += 1
        self.barrier()
        self.depth -= 1
        self.block(1, 0, 2)
        self.put("}")

    def outermost(self):
        """A statement of the kernel's own block."""
        if self.barriers and self.random.random() < 0.4:
            self.random.choice([self.barrier, self.barrier, self.loop_of_all])()
        elif not self.barriers and self.random.random() < 0.04:
            self.put(f"if ({self.truth()}) {{ o[8] = u0; return; }}")
        else:
            self.statement(self.random.choice([0, 1, 2, 2]))
        if self.others.random() < 0.15:
            self.jumps()

    def plain(self):
        """The text of a statement without a declaration."""
        lines, self.lines = self.lines, []
        self.random.choice([self.assign, self.assign, self.compound, self.step])()
        text, self.lines = self.lines[0].strip(), lines
        return text

    def jumps(self):
        own, self.random = self.random, self.others
        name = self.fresh("j")
        for line in random_jumps.Jumps(self.random, name, self.plain, lambda: self.truth(1), self.loops > 0).text():
            self.put(line)
        self.random = own

    def choice(self, level):
        self.put(f"if ({self.truth()}) {{")
        self.block(level - 1)
        if self.random.random() < 0.5:
            self.put("} else {")
            self.block(level - 1)
        self.put("}")

    def loop(self, level):
        i = self.fresh("i")
        kind = self.pick("int", "uint", "uchar", "long", "size_t")
        count = self.pick("3", "4", "(u0 & 3)", "k1 & 3", "(gid & 3) + 1", f"(({self.number(1)}) & 3)")
        self.put(self.pick(f"for ({kind} {i} = 0; {i} < {count}; {i}++) {{", f"for ({kind} {i} = 0; {i} < ({kind})({count}); "
            f"++{i}) {{",
                           f"{{ {kind} {i} = {count}; while ({i}-- > 0 && {i} < 9) {{"))
        closes = self.lines[-1].count("{")
        self.loops += 1
        self.block(level - 1)
        if self.random.random() < 0.4:
            self.depth += 1
            self.put(f"if ({self.truth(1)}) {self.pick('break', 'continue')};")
            self.statement(0)
            self.depth -= 1
        if self.others.random() < 0.15:
            self.jumps()
        self.loops -= 1
        self.put("}" * closes)

    def switch(self, level):
        self.put(f"switch (({self.number()}) & 7) {{")
        self.depth += 1
        labels = self.random.sample(range(8), self.random.randint(2, 4)) + ["default"]
        self.random.shuffle(labels)
        for label in labels:
            self.put("default:;" if label == "default" else f"case {label}:;")
            if self.random.random() < 0.5:
                d = self.fresh("d")
                self.put(f"{self.pick('uint', 'long', 'uchar')} {d} = {self.number(1)}; u0 += {d};")
            if self.random.random() < 0.2:
                d = self.fresh("d")
                self.put(f"uint {d}[2] = {{{self.number(0)}, {self.number(0)}}}; u1 ^= {d}[{self.small(0)} & 1];")
            self.depth -= 1
            self.block(level - 1, 1, 2)
            self.depth += 1
            if self.random.random() < 0.7:
                self.put("break;")
        self.depth -= 1
        self.put("}")

    def text(self):
        r = self.random
        if r.random() < 0.25:
            sizes = f"N=12x10 GROUP={r.choice(['4x2', '12x5', '2x2'])}"
            ids = ("  size_t gid = get_global_id(1) * get_global_size(0) + get_global_id(0);",
                   f"  size_t lid = get_local_id({r.choice([0, 1])});")
        else:
            sizes = f"N={r.choice(['130', '64', '200'])} GROUP={r.choice(['16', '32', '64', '24', '7'])}"
            kind = r.choice(["size_t", "size_t", "uint", "int"])
            ids = (f"  {kind} gid = get_global_id(0);", "  uint lid = get_local_id(0);")
        for _ in range(r.randint(4, 12)):
            self.outermost()
        begin = f"""\
  __global uint *o = out + {OUT} * gid;
  __global const uint *g = in + {IN} * gid;
  char c0 = g[0]; uchar b0 = g[1]; short s0 = g[2]; ushort h0 = g[3];
  int i0 = g[4], i1 = gid * 3; uint u0 = g[5], u1 = gid;
  long l0 = g[6]; ulong m0 = (ulong)g[7] << 20; uint k0 = n & 15, k1 = (uint)big & 7;
  uint a[8], z[8]; uchar b[16]; ulong w[4]; uint *p = a, *q = z;
  for (int i = 0; i < 8; i++) {{ a[i] = g[i] + i; z[i] = g[15 - i]; }}
  for (int i = 0; i < 16; i++) b[i] = g[i] >> i;
  for (int i = 0; i < 4; i++) w[i] = (ulong)g[i] << (8 * i);
  for (int i = 0; i < {OUT}; i++) o[i] = i;
  struct R r = {{g[8], {{(ushort)g[9], 3}}, {{1, 2, (uchar)g[10], 4}}, a}};"""
        end = """\
  o[8] = u0 ^ (uint)c0 * 3 ^ (uint)b0 * 5 ^ (uint)s0 * 7 ^ (uint)h0 * 11;
  o[9] = u1 ^ (uint)i0 * 3 ^ (uint)i1 * 5 ^ (uint)(l0 >> 7) ^ (uint)m0 ^ (uint)(m0 >> 32);
  uint sum = 0;
  for (int i = 0; i < 8; i++) sum = sum * 31 + a[i] * 3 + z[i];
  for (int i = 0; i < 16; i++) sum = sum * 7 + b[i];
  o[10] = sum ^ (uint)(w[0] ^ w[1] * 3 ^ w[2] * 5 ^ w[3] >> 9);
  o[11] = r.x + r.h[0] * 3 + r.h[1] * 5 + r.c[0] + r.c[1] * 7 + r.c[2] * 9 + r.c[3] * 11 + *p * 13 + q[1];
}"""
        kernel = "__kernel void t(__global uint *out, __global const uint *in, uint n, ulong big) {"
        if self.local:
            begin += """
  __local uint words[64 * 8];
  __local uint *s = words + 8 * (get_local_id(1) * get_local_size(0) + get_local_id(0));
  for (int i = 0; i < 8; i++) s[i] = g[i] * 5;"""
            end = end.replace("  uint sum = 0;", "  uint sum = 0;\n  for (int i = 0; i < 8; i++) sum = sum * 11 + s[i];")
        head = f"// {sizes} OUT={OUT} IN={IN} BIG={r.randrange(1 << 40)}"
        return "\n".join([head + HELPERS, kernel, *ids, begin, *self.lines, end]) + "\n"


def make(seed):
    return Kernel(seed).text()


if __name__ == "__main__":
    import sys
    print(make(int(sys.argv[1])), end="")
