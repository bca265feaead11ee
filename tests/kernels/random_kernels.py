"""Makes kernels at random: random_programs.py runs them.

Each has divergent branches and loops with break, continue and return, indices of several types, barriers and local memory; many
have barriers in loops and conditions, vectors of four with swizzles, of other lengths and types, helpers that return early and
that are given pointers, private arrays and records, switches, numbers of 64 bits. In some nothing tells the groups apart, so
that several may run as one; half of those count their rows along dimension 0. What a kernel writes depends on nothing but its
number. With exact=True it depends on no device either: no integer is divided by zero, every operation of floats is one
that OpenCL rounds correctly, products and sums are never fused, and a NaN has one pattern of bits.
"""

import random

import random_jumps

ITEMS = 192
GROUPS = ((64, 1), (16, 4), (24, 1), (3, 1), (1, 16), (48, 2))  # sizes of groups, in two dimensions
SLOTS = 4  # words that each item writes by itself; after them, a vector of four for each
GIVEN = "uint u0, uint u1, uint u2, int i0, int i1, float f0, float f1"
EXACT = """uint bits(float x) { return isnan(x) ? 0x7fc00000u : as_uint(x); }
uint4 bits4(float4 x) { return select(as_uint4(x), (uint4)(0x7fc00000u), isnan(x)); }
int small(float x) { return x > -100.0f && x < 100.0f ? (int)x : 100; }
"""
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


# Vectors of other lengths and types, each kernel with one of them: type, components, the type of a component.
WIDE = (("uint2", 2, "uint"), ("uint3", 3, "uint"), ("uint8", 8, "uint"), ("uint16", 16, "uint"), ("int3", 3, "int"),
        ("uchar16", 16, "uchar"), ("char3", 3, "char"), ("ushort8", 8, "ushort"), ("short2", 2, "short"),
        ("ulong2", 2, "ulong"), ("ulong4", 4, "ulong"))


class Kernel:
    """The source of one kernel, from a seed."""

    def __init__(self, seed, exact=False):
        self.random = random.Random(seed)
        self.walks, self.commas = random.Random(f"walks {seed}"), random.Random(f"commas {seed}")
        self.others = random.Random(f"jumps {seed}")
        self.seed = seed
        self.exact = exact
        self.lines = []
        self.depth = 0
        self.loops = 0  # around the place, that break and continue may name
        self.counter = 0
        self.barriers = self.random.random() < 0.4
        self.uints, self.ints, self.floats = ["u0", "u1", "u2"], ["i0", "i1"], ["f0", "f1"]
        self.doubles = self.random.random() < 0.15
        self.longs = self.random.random() < 0.3
        self.wide = self.pick(*WIDE) if self.random.random() < 0.4 else None
        self.vectors = self.random.random() < 0.5
        self.objects = self.random.random() < 0.4
        self.pointers = self.objects and self.random.random() < 0.4
        self.helpers = []
        self.inside = False  # a helper
        for name in (f"h0_{seed}", f"h1_{seed}")[:self.pick(0, 0, 1, 2)]:
            self.helpers.append((name, self.helper(name)))
        self.text = self.make()

    def pick(self, *choices):
        return self.random.choice(choices)

    def add(self, text):
        self.lines.append("  " * (self.depth + 1) + text)

    def after_comma(self, value):
        """Now and then after another one that is computed for nothing."""
        if self.commas.random() > 0.02:
            return value
        others = ("u1 > 3u", "sqrt(f0)", "u0 >> (u1 & 7u)", "in[u2 & 127u]", "l", "w", "fin[n] + f1", "i0 == i1")
        return f"({self.commas.choice(others)}, {value})"

    # ---- Expressions: unsigned arithmetic wraps, signed stays small, floats stay finite or do not: bits decide.

    def uint(self, depth=0):
        return self.after_comma(self.own_uint(depth))

    def own_uint(self, depth):
        if depth > 2 or self.random.random() < 0.3:
            return self.pick(*self.uints, "g", "l", "n", "(uint)i0", f"{self.random.randrange(1 << 32)}u",
                             f"{self.random.randrange(16)}u")
        if self.vectors and depth < 2 and self.random.random() < 0.2:
            return self.pick("q0.x", "q1.s3", "q0.w", "q1.y", f"({self.uvec(depth + 2)}).z",
                             f"as_uint2({self.uvec(depth + 2)}.xy).y",
                             f"(uint)any(q0 > {self.uvec(depth + 2)})", f"(uint)all(q0 != {self.uvec(depth + 2)})")
        if self.objects and depth < 2 and self.random.random() < 0.2:
            return self.pick("t0[0]", "t0[3]", f"t0[{self.uint(3)} % 5u]", "r0.a", "r1.a", "(uint)r0.b[1]",
                             self.bits("r1.f"),
                             f"(uint)r0.b[{self.uint(3)} % 3u]", "(uint)r1.s.x", f"mixed(r0, {self.uint(3)}).a", "t0[4]")
        if self.helpers and depth < 2 and self.random.random() < 0.15:
            return self.call(depth)
        if self.longs and depth < 2 and self.random.random() < 0.15:
            return self.pick("(uint)x0", "(uint)(x1 >> 32)", "(uint)(x0 > x1)", f"(uint)(x0 >> ({self.uint(3)} & 63u))",
                             f"(uint)mul_hi(x0, x1 | {self.uint(3)})")
        if self.wide and depth < 2 and self.random.random() < 0.15:
            return f"(uint)w{self.pick(0, 1)}.s{self.random.randrange(self.wide[1]):x}"
        a, b = self.uint(depth + 1), self.uint(depth + 1)
        return self.pick(f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} ^ {b})", f"({a} & {b})", f"({a} | {b})",
                         f"({a} << ({b} & 31u))", f"({a} >> {self.random.randrange(32)})", f"({a} / {self.divisor(b)})",
                         f"({a} % {self.divisor(b)})", f"min({a}, {b})", f"max({a}, {b})", f"rotate({a}, {b})",
                         self.load(depth + 1),
                         f"({self.condition(depth + 1)} ? {a} : {b})",
                         self.bits(self.float(depth + 1)), f"popcount({a})", f"mul_hi({a}, {b})", self.cut(a, b))

    def divisor(self, b):
        """What an integer divided by zero is the language does not say."""
        return f"({b} | 1u)" if self.exact else b

    def bits(self, value):
        return f"bits({value})" if self.exact else f"as_uint({value})"

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
                             f"vload4({self.pick('g', 'l + 3u', 'u0 & 63u')}, in)", self.bits4("p0"),
                             f"(uint4)(q0.zy, q1.{self.pick('xw', 'yy', 'lo', 'odd')})")
        a, b = self.uvec(depth + 1), self.uvec(depth + 1)
        return self.pick(f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} ^ {b})", f"({a} & {b})", f"(~{a} | {b})",
                         f"({a} << ({b} & 31u))", f"({a} >> {self.random.randrange(32)}u)", f"({a}).wzyx", f"({a}).yyxz",
                         f"({a} / {self.divisor(b)})", f"({a} % {self.random.randrange(1, 99)}u)", f"min({a}, {b})",
                         f"rotate({a}, {b})",
                         f"as_uint4({a} < {b})", f"({self.condition(3)} ? {a} : {b})", f"select({a}, {b}, {b} > {a})",
                         f"select({a}, {b}, {b} << 3u)", f"(({a} > {b}) ? {a} : {b})", f"mul_hi({a}, {b})",
                         f"convert_uint4(convert_uchar4({a}))",
                         f"convert_uint4({self.bytes()})", f"as_uint4(!{a})", f"as_uint4({a} && {b})",
                         self.bits4(self.fvec(depth + 1)), f"({a} + {self.uint(3)})")

    def bits4(self, value):
        return f"bits4({value})" if self.exact else f"as_uint4({value})"

    def bytes(self):
        place = self.pick("g", "g * 3u + 1u", f"{self.uint(3)} & 255u")
        return f"((global const uchar4 *)in)[{place}]"

    def fvec(self, depth=0):
        if depth > 2 or self.random.random() < 0.3:
            return self.pick("p0", "p1", f"(float4)({self.float(3)}, p0.yzw)", f"(float4)({self.float(3)})",
                             f"((global const float4 *)fin)[{self.uint(3)} & 127u]", "vload4(g, fin)",
                             "(float4)(vload3(g, fin), 1.0f)", "p1.xxzw")
        a, b, c = self.fvec(depth + 1), self.fvec(depth + 1), self.fvec(depth + 1)
        own = () if self.exact else (f"clamp({a}, -1.0f, 1.0f)", f"cross({a}, {b})")
        return self.pick(f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} * {b} + {c})", f"fma({a}, {b}, {c})",
                         self.least("fmin", a, b), f"fabs({a})", f"({c} - {a} * {b})", f"({a}).wzyx", f"(-{a})",
                         f"({self.condition(3)} ? {a} : {b})", f"select({a}, {b}, isless({b}, {c}))",
                         f"floor({a} * 0.25f)", f"convert_float4({self.uvec(depth + 1)} & 1023u)", f"({a} * {self.float(3)})",
                         *own)

    def least(self, name, a, b):
        """Of two zeros either may be taken: a sum makes them one."""
        return f"({name}({a}, {b}) + 0.0f)" if self.exact else f"{name}({a}, {b})"

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
        return f"{self.after_comma('in')}[{index}]"

    def int(self, depth=0):
        return self.after_comma(self.own_int(depth))

    def own_int(self, depth):
        if depth > 2 or self.random.random() < 0.4:
            return self.pick(*self.ints, "(int)g", "(int)l", "(int)(u0 & 1023u)", str(self.random.randrange(-9, 10)), "w",
                             "ROW")
        a, b = self.int(depth + 1), self.int(depth + 1)
        return self.pick(f"(({a} + {b}) & 0xffff)", f"(({a} - {b}) % 1000)", f"((int)(short){a})", f"((int)(char){b})",
                         f"min({a}, {b})",
                         f"(int)abs({a} & 0xffff)" if self.random.random() < 0.5 else f"({a} / 3)",
                         f"({self.condition(depth + 1)} ? {a} : {b})", f"(({a} & 0xff) * ({b} & 0xff))", f"({a} == {b})",
                         f"!({a})", self.small(self.float(depth + 1)) if depth < 1 else "i1")

    def small(self, value):
        return f"small({value})" if self.exact else f"(int)clamp({value}, -100.0f, 100.0f)"

    def float(self, depth=0):
        return self.after_comma(self.own_float(depth))

    def own_float(self, depth):
        if self.vectors and depth < 2 and self.random.random() < 0.15:
            own = () if self.exact else (f"dot(p0, {self.fvec(depth + 2)})", "dot(p0.xy, p1.zw)", "length(p0.xyz)")
            return self.pick("p0.x", "p1.w", "p1.y", f"({self.fvec(depth + 2)}).y", *own)
        if depth > 2 or self.random.random() < 0.3:
            return self.pick(*self.floats, "fin[g]", "(float)(int)l", f"{self.random.uniform(-4, 4):.3f}f", "fin[l + 2]",
                             "(float)i1")
        a, b, c = self.float(depth + 1), self.float(depth + 1), self.float(depth + 1)
        return self.pick(f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} * {b} + {c})", f"fma({a}, {b}, {c})",
                         self.least("fmin", a, b), self.least("fmax", a, b), f"fabs({a})", f"({c} - {a} * {b})",
                         f"sqrt(fabs({a}))",
                         f"({self.condition(depth + 1)} ? {a} : {b})", f"({a} / {b})", f"floor({a})", f"(-({a}))",
                         f"(float)({a} * 1.5)" if self.doubles else f"({a} * 0.75f)" if self.exact else f"mad({a}, 0.5f, {b})",
                         f"select({a}, {b}, i0 > 3)",
                         f"fin[{self.uint(depth + 1)} & 127]")

    def condition(self, depth=0):
        return self.after_comma(self.own_condition(depth))

    def own_condition(self, depth):
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

    def assign_long(self):
        self.add(self.pick(f"x0 = ((ulong){self.uint(1)} << 32) ^ {self.uint(1)};", f"x0 += x1 * {self.uint(1)};", "x1 = x0;",
                           f"x1 ^= x0 >> {self.random.randrange(64)};", f"x1 = x0 / (x1 | {self.random.randrange(1, 999)}ul);",
                           f"x0 = ({self.condition()}) ? x1 : ~x0;", f"x0 = (ulong)((long)x0 >> {self.random.randrange(64)});",
                           "x1 = rotate(x1, x0);", f"x0 = max(x0, (ulong){self.uint(1)});", f"x1 -= (long){self.int(1)};"))

    def assign_wide(self):
        """The elements of char, short and int wrap: they are computed as unsigned ones where they could overflow."""
        kind, count, element = self.wide
        unsigned = element.lstrip("u")
        own = f"as_{kind}" if not element.startswith("u") else ""
        other = f"as_u{unsigned}{count}" if own else ""
        part = self.random.sample(range(count), min(2, count))
        places = "".join(f"{place:x}" for place in part)
        reverse = "".join(f"{place:x}" for place in reversed(range(count)))
        value = f"({kind})(({element}){self.uint(1)})"
        self.add(self.pick(
            f"w0 = {own}({other}(w0) {self.pick('+', '-', '*', '^', '&', '|')} {other}(w1));", f"w1 = {value};",
            f"w0.s{places} = w1.s{places[::-1]};", f"w1.s{part[0]:x} = ({element}){self.uint(1)};",
            f"w1 = ({self.condition(1)}) ? w0 : w1;", f"w0 = w1.s{reverse};" if count != 3 else "w0 = w1.zxy;",
            f"w0 = min(w0, {value});", "w1 = select(w0, w1, w0 > w1);" if element[0] != "u" else "w1 = max(w0, w1);",
            f"w0 = convert_{kind}(convert_uint{count}(w1) >> 3u);", f"w1 = w1 >> (w0 & ({kind})(({element})7));",
            "w0 = rotate(w0, w1);", *(["w0.lo = w1.hi;", "w1.even = w0.odd;"] if count != 3 else [])))

    def assign(self):
        if self.longs and self.random.random() < 0.15:
            self.assign_long()
            return
        if self.wide and self.random.random() < 0.2:
            self.assign_wide()
            return
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
        """False: nothing comes after it."""
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

    def walk(self):
        """A row of its own for each item, whose elements optimised code may load several at a time. The choices come from
        numbers of their own, so that the rest of a kernel is what its seed has always made."""
        others, self.random = self.random, self.walks
        self.counter += 1
        name, kind = f"k{self.counter}", self.pick("int", "uint", "size_t")
        row = self.pick("(g % 23u) * 40u", "(int)(g >> 3) * 40", "(in[g] % 23u) * 40u", "g * n", "(size_t)l * (n * 3u)",
                        "(int)l * w * 5", "(g / 2u) * 10u")
        end = self.pick("16u", "17u", "32", "n * 8u", "w * 9", "(in[5] % 40u)", "(l % 40u)")
        step = self.pick(f"++{name}", f"{name} += 1")
        self.add(f"for ({kind} {name} = {self.pick('0', '0', '3')}; {name} < ({kind}){end}; {step}) {{")
        self.loops += 1
        scope = (list(self.uints), list(self.floats))
        self.uints = self.uints + [f"(uint){name}"]
        self.depth += 1
        if self.random.random() < 0.3:
            self.statement(1)
        self.add(f"u{self.pick(0, 1, 2)} = u1 * 31u + in[{row} + {name}];")
        if self.random.random() < 0.6:
            self.add(f"f0 += fin[{row} + {name}] * fin[{name}];")
        if self.random.random() < 0.4:
            self.add(f"if ({self.condition()}) u1 ^= in[{row} + {name}] * 3u;")
        if self.random.random() < 0.3:
            self.statement(1)
        self.depth -= 1
        self.uints, self.floats = scope
        self.loops -= 1
        self.add("}")
        self.random = others

    def jumps(self):
        """Gotos, and cases inside of inner statements, from numbers of their own."""
        before = self.random, self.commas, self.lines
        self.random = self.commas = self.others
        self.counter += 1

        def statement():
            self.lines = []
            self.assign()
            return self.lines[0].strip()

        lines = random_jumps.Jumps(self.others, f"{self.counter}", statement, lambda: self.condition(1)).text()
        self.random, self.commas, self.lines = before
        for line in lines:
            self.add(line)

    def start(self):
        if self.longs:
            self.add("ulong x0 = (ulong)u0 << 20 | u1, x1 = (ulong)u2 * u1;")
        if self.wide:
            kind, _, element = self.wide
            self.add(f"{kind} w0 = ({kind})(({element})u1), w1 = ({kind})(({element})(u0 + u2));")
        if self.objects:
            self.add("uint t0[5] = {u0, u1}; t0[4] = u2;")
            self.add("R r0 = {g, f0, {1, 2}}, r1; r1.a = u1; r1.f = 1.5f;")
            self.add("r1.b[0] = r1.b[1] = (uchar)l; r1.b[2] = 7; r1.s = (short2)(3);")
        if self.vectors:
            self.add("uint4 q0 = (uint4)(u0, u1, u2, g), q1 = ((global const uint4 *)in)[g];")
            self.add("float4 p0 = (float4)(f0, f1, 0.5f, (float)l), p1 = vload4(l, fin);")

    def end(self):
        objects = " ^ t0[0] ^ t0[1] * 3u ^ t0[2] ^ t0[3] ^ t0[4] * 5u ^ r0.a ^ r1.b[1] ^ (uint)r0.s.y ^ r0.b[2]"
        vectors = f" ^ q0.x ^ q0.y * 3u ^ q1.z ^ q1.w * 5u ^ {self.bits('p0.x')} ^ {self.bits('p1.z')} * 7u"
        longs = " ^ (uint)x0 ^ (uint)(x1 >> 32)"
        wide = f" ^ (uint)w0.s0 ^ (uint)w1.s{self.wide[1] - 1:x} * 11u" if self.wide else ""
        return (objects if self.objects else "") + (vectors if self.vectors else "") + (longs if self.longs else "") + wide

    def helper(self, name):
        self.inside = True
        self.start()
        if self.others.random() < 0.15:
            self.jumps()
        for _ in range(self.random.randrange(1, 4)):
            if not self.statement(2):
                break
        self.add(f"return u0 ^ u1 * 3u ^ (uint)i0 ^ {self.bits('f0')}{self.end()};")
        text = f"uint {name}({GIVEN}, {PLACE}) {{\n" + "\n".join(self.lines) + "\n}\n"
        self.lines, self.inside = [], False
        self.uints, self.floats = ["u0", "u1", "u2"], ["f0", "f1"]
        return text

    def meet(self):
        """Barriers, with local memory that other items read after them."""
        self.add("tile[l] = u0 ^ u1;")
        self.add("barrier(CLK_LOCAL_MEM_FENCE);")
        self.add(f"u{self.random.randrange(3)} += tile[(l + {self.random.randrange(1, 5)}u) % size];")
        self.add(f"if (l == {self.pick('0u', 'size - 1u', 'size / 2u')}) shared = {self.uint()};")
        self.add("barrier(CLK_LOCAL_MEM_FENCE);")
        self.add("u0 ^= shared;")
        self.add(f"atomic_{self.pick('add', 'xor', 'or', 'max')}(&tile[{self.uint()} & 1u & (size - 1u)], {self.uint()});")
        self.add("barrier(CLK_LOCAL_MEM_FENCE);")
        self.add("u1 += tile[0];")
        self.add("barrier(CLK_LOCAL_MEM_FENCE);")

    def meet_inside(self):
        """The same in a loop or under a condition that goes one way for the group; other statements are around it."""
        self.counter += 1
        head = self.pick(f"for (int b{self.counter} = 0; b{self.counter} < w; ++b{self.counter}) {{",
                         f"for (uint b{self.counter} = n; b{self.counter} > 3u; b{self.counter}--) {{", "if (n > 3u) {",
                         "if (w == 4) {", f"if (get_group_id(0) != {self.pick('0u', '1u')}) {{")
        self.add(head)
        self.depth += 1
        scope = (list(self.uints), list(self.floats))
        self.statement(2)
        self.meet()
        self.statement(2)
        self.uints, self.floats = scope
        self.depth -= 1
        self.add("}")

    def make(self):
        self.start()
        for _ in range(self.random.randrange(2, 6)):
            self.statement(3)
            if self.barriers and self.random.random() < 0.7:
                self.pick(self.meet, self.meet, self.meet_inside)()
            if self.walks.random() < 0.3:
                self.walk()
            if self.others.random() < 0.1:
                self.jumps()
        body = "\n".join(self.lines)
        contraction = "ON" if self.random.random() < 0.5 and not self.exact else "OFF"
        helpers = "".join(text.replace("{\n", f"{{\n#pragma OPENCL FP_CONTRACT {contraction}\n", 1) for _, text in self.helpers)
        joins = self.seed % 3 == 0 and not self.barriers
        if joins:
            own, place = "const ulong tile", f"""  const uint size = 8u;
  const uint g = {"get_global_id(0) * get_global_size(1) + get_global_id(1)" if self.seed % 2 == 0 else
                  "get_global_id(1) * get_global_size(0) + get_global_id(0)"};
  const uint l = g & 7u;
"""
        else:
            own, place = "local uint *tile", """  local uint shared;
  const uint size = get_local_size(0) * get_local_size(1);
  const uint l = get_local_id(1) * get_local_size(0) + get_local_id(0);
  const uint g = (get_group_id(1) * get_num_groups(0) + get_group_id(0)) * size + l;
"""
        text = f"""{helpers}
kernel void k{self.seed}(global const uint *in, global const float *fin, global uint *out, const uint n, const int w,
    {own}) {{
#pragma OPENCL FP_CONTRACT {contraction}
  global uint4 *vectors = (global uint4 *)(out + ITEMS * {SLOTS}u);
{place}  uint u0 = g * 7u, u1 = in[g], u2 = n;
  int i0 = (int)get_global_id(0), i1 = w;
  float f0 = fin[g], f1 = (float)i0;
{body}
  out[g] = u0 ^ u1 * 3u ^ u2 * 5u ^ (uint)i0 ^ {self.bits('f0')} ^ {self.bits('f1')} * 9u ^ (uint)i1{self.end()};
}}
"""
        if not joins:
            return text
        return text.replace("get_local_id(0)", "get_global_id(1)").replace("get_group_id(0)", "get_global_id(1)")


def launches(_seed, without=(), _exact=False):
    """Grid and group of each launch of a kernel; None for those that are left out."""
    return [None if group in without else ((ITEMS // (group[0] * group[1]), 1), group) for group in GROUPS]


def source(seeds, exact=False):
    """One program with the kernels of all these seeds, which are called k and the seed."""
    kernels = [Kernel(seed, exact) for seed in seeds]
    head = f"#define ITEMS {ITEMS}u\n#define ROW ((int)get_global_id(1))\n"
    if exact:
        head += EXACT
    if any(kernel.doubles for kernel in kernels):
        head += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    if any(kernel.objects for kernel in kernels):
        head += RECORD
    return head + "".join(kernel.text for kernel in kernels)
