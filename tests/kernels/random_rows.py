# SPDX-License-Identifier: Apache-2.0
"""Kernels of plain C (plain_c.py --rows) in which each item has a few elements side by side, in several planes of one buffer:
all of them in any order, some of them, some twice, in place, seen as other types, and other rows in between. So loads and
stores of neighbours may become one access of all lanes, where nothing in between forbids it."""

import random

TYPES = {"uchar": 1, "ushort": 2, "short": 2, "uint": 4, "int": 4, "ulong": 8, "float": 4, "double": 8}
PLANES = 4
WORDS = 16  # of an item in each plane


class Rows:
    def __init__(self, seed):
        self.random = random.Random(f"rows {seed}")
        self.lines, self.names, self.values = [], 0, {"uint": ["gid", "n"], "float": ["f0"]}
        self.rows = []

    def fresh(self, stem):
        self.names += 1
        return f"{stem}{self.names}_"

    def declare_rows(self):
        r = self.random
        # All rows of a plane have the same bytes for an item, so that each item has its own.
        steps = [r.choice([2, 3, 4, 6, 8, 8, 12, 12, 12, 16, 16, 16, 20, 24, 32, 36, 36, 40, 52, 64])
                 for _ in range(2 * PLANES)]
        for _ in range(r.randint(2, 4)):
            reads, plane = r.random() < 0.3, r.choice([0, 0, 1, 2, 3])
            step = steps[plane + (PLANES if reads else 0)]
            kind = r.choice([each for each, size in TYPES.items() if step % size == 0 and 2 * size <= step <= 16 * size])
            step //= TYPES[kind]
            name = self.fresh("p")
            base = "in" if reads else "out"
            pointer = f"__global {'const ' if reads else ''}{kind} *"
            self.lines.append(f"  {pointer}{name} = ({pointer})({base} + {plane} * {WORDS} * (uint)get_global_size(0));")
            first = self.index(step)
            self.rows.append((name, kind, step, first, reads))

    # The number of the item's first element. Some wrap on the way.
    def index(self, step):
        r = self.random
        kind = r.choice(["int", "int", "uint", "size_t", "long"])
        name = self.fresh("i")
        form = r.choice(["{s} * gid", "gid * {s}", "({s} * get_group_id(0)) * get_local_size(0) + {s} * get_local_id(0)"])
        if r.random() < 0.2:  # the same number by factors that go round 32 bits
            form = r.choice(["gid * (0x40000000u + {s}u) & 0x3fffffffu", "(gid * 0x10000u) * 0x10000u + gid * {s}u",
                             "(uint)((ulong)gid * (0x700000000ul + {s}ul))", "0u - gid * (0u - {s}u)",
                             "gid * 0x80000000u + gid * (0x80000000u + {s}u)", "(int)(gid * ({s}u - 0x20000000u) << 3) >> 3"])
        self.lines.append(f"  {kind} {name} = {form.format(s=step)};")
        if r.random() < 0.2 and kind == "uint":
            moved = self.fresh("i")
            self.lines.append(f"  uint {moved} = {name} - 2u;")
            return lambda k: f"{moved} + {k + 2}u"
        style = r.choice(["{n} + {k}", "{k} + {n}", "{n} + {k}"])
        if r.random() < 0.3:  # through names of their own
            def named(k):
                made = self.fresh("a")
                self.lines.append(f"  {kind} {made} = {name} + {k};")
                return made
            return named
        return lambda k: style.format(n=name, k=k) if k else name

    def place(self, row, k):
        name, _, _, first, _ = row
        at = first(k)
        return self.random.choice([f"{name}[{at}]", f"*({name} + ({at}))", f"({name} + {k})[{first(0)}]"])

    def value(self, kind):
        r = self.random
        if kind in ("float", "double"):
            one, other = r.choice(self.values["float"]), r.choice(self.values["float"])
            return r.choice([one, f"{one} * 0.5f", f"{one} + {r.randint(1, 9)}.0f", f"{one} - {other}"])
        one, other = r.choice(self.values["uint"]), r.choice(self.values["uint"])
        return r.choice([one, f"{one} * {r.randint(2, 99)}", f"({one} ^ {other})", f"({one} + {other} * 3)"])

    def load(self, row, k):
        kind, name = row[1], self.fresh("v")
        if kind in ("float", "double"):  # words of integers are any numbers: their bits, as small ones
            word = "uint" if kind == "float" else "ulong"
            self.lines.append(f"  float {name}; {{ {kind} t_ = {self.place(row, k)}; {word} b_ = bits_{kind}(t_);")
            self.lines.append(f"  {name} = (float)(b_ >> {shift(kind)} & 1023); }}")
            self.values["float"].append(name)
            self.lines.append(f"  sum = sum * 31 + (uint){name};")
        else:
            self.lines.append(f"  uint {name} = {self.place(row, k)};")
            self.values["uint"].append(name)
            self.lines.append(f"  sum = sum * 31 + {name};")

    def store(self, row, k):
        kind = row[1]
        if self.random.random() < 0.25 and kind not in ("float", "double"):
            self.lines.append(f"  {self.place(row, k)} {self.random.choice(['+=', '^=', '*='])} {self.value(kind)};")
        else:
            self.lines.append(f"  {self.place(row, k)} = ({kind})({self.value(kind)});")

    def order(self, step):
        r = self.random
        order = list(range(step))
        if step > 4 and r.random() < 0.4:  # neighbours that leave a gap to the next item's
            first = r.randrange(step - 2)
            order = order[first:first + r.randint(2, step - first)]
        if r.random() < 0.5:
            r.shuffle(order)
        if r.random() < 0.15:
            order.pop()
        if r.random() < 0.15:
            order.append(r.choice(order))
        return order

    def statement(self):
        r = self.random
        row = r.choice(self.rows)
        loads = row[4] or r.random() < 0.4
        what = [(row, k, loads) for k in self.order(row[2])]
        if r.random() < 0.4:  # of another row in between
            other = r.choice(self.rows)
            kind = other[4] or r.random() < 0.5
            more = [(other, k, kind) for k in self.order(other[2])]
            merged = []
            while what or more:
                merged.append((what if what and (not more or r.random() < 0.5) else more).pop(0))
            what = merged
        in_place = r.random() < 0.25
        for each, k, is_load in what:
            if is_load:
                self.load(each, k)
            else:
                if in_place:
                    self.load(each, k)
                self.store(each, k)

    def text(self):
        r = self.random
        self.declare_rows()
        for _ in range(r.randint(2, 4)):
            wraps = r.random() < 0.25
            before = {kind: list(names) for kind, names in self.values.items()}
            if wraps:
                self.lines.append("  " + r.choice(["if (gid & 1) {", "if (n > 5u) {", "if (in[gid] & 3) {",
                                                  "for (uint j_ = 0; j_ < (in[gid] & 3); ++j_) {",
                                                  "for (int j_ = 0; j_ < 2; ++j_) {"]))
            self.statement()
            if wraps:
                self.lines.append("  }")
                self.values = before
        barrier = "  barrier(CLK_GLOBAL_MEM_FENCE);" if r.random() < 0.1 else ""
        group = r.choice([16, 32, 64, 24, 7, 33])
        head = f"// N={r.choice([130, 64, 200])} GROUP={group} OUT={PLANES * WORDS + 1} IN={PLANES * WORDS} BIG=5"
        return f"""{head}
uint bits_float(float x) {{ union {{ float f; uint b; }} u; u.f = x; return u.b; }}
ulong bits_double(double x) {{ union {{ double f; ulong b; }} u; u.f = x; return u.b; }}
__kernel void t(__global uint *out, __global const uint *in, uint n, ulong big) {{
  uint gid = get_global_id(0);
  float f0 = (float)(gid & 255);
  uint sum = gid;
""" + "\n".join(self.lines + [barrier]) + f"\n  out[{PLANES * WORDS} * (uint)get_global_size(0) + gid] = sum;\n}}\n"


def shift(kind):
    return 3 if kind == "float" else 30


def make(seed):
    return Rows(seed).text()


if __name__ == "__main__":
    import sys
    print(make(int(sys.argv[1])), end="")
