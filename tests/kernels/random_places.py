# SPDX-License-Identifier: Apache-2.0
"""Kernels of plain C (plain_c.py --places) whose indices go round their types: large factors and steps that only the launch
tells, shifts, quotients, masks, bounds and casts of an id. Each access stands under a condition that its index is one of a few
places, so that lanes with neighbouring places are on and those between them are off, and no form may compute a place from
another lane's."""

import random

FACTORS = [0x40000000, 0x80000000, 0xC0000000, 0x20000000, 0x10000000, 0x55555556, 0x33333334, 0xFFFFFFF0, 0x08000000,
           0x9E3779B1, 0xFFFFFFFF, 0x00010000, 0x01000000, 0x7FFFFFFF, 0x3FFFFFFF, 0xAAAAAAAB, 1, 2, 3, 5, 16, 17]
SHIFTS = [0, 1, 3, 4, 5, 7, 16, 28, 29, 30, 31]
TABLES = {"uint": 64, "int": 64, "uchar": 256, "short": 128, "ulong": 32}  # elements of `in` that each item may read
WORDS = 8  # of an item in `out`


class Places:
    def __init__(self, seed):
        self.random = random.Random(f"places {seed}")
        self.lines = []

    def leaf(self, kind):
        r = self.random
        if kind == "ulong":
            return r.choice(["(ulong)gid", "(ulong)gid", "big", "(ulong)m", "(ulong)j", f"{r.choice(FACTORS)}ul",
                             f"{r.choice(FACTORS)}ul << 32", f"{r.randrange(40)}ul"])
        return r.choice(["gid", "gid", "gid", "m", "m", "q", "j", "(gid + m)", f"0x{r.choice(FACTORS):x}u",
                         f"{r.randrange(40)}u"])

    def number(self, kind, depth):
        r = self.random
        if depth == 0 or r.random() < 0.1:
            return f"({self.leaf(kind)})"
        a, b = self.number(kind, depth - 1), f"({self.leaf(kind)})"
        bits, other = (31, "ulong") if kind == "uint" else (63, "uint")
        cast = r.choice(["short", "char", "ushort", "uchar", "int", "long"])
        forms = [f"({a} + {self.number(kind, depth - 1)})", f"({a} - {self.number(kind, depth - 1)})",
                 f"({a} * {b})", f"({a} * {b})",
                 f"({a} << ({r.choice(['q', '3', '16', '30'])} & {bits}))",
                 f"({a} >> ({r.choice(['q', '1', '4', '28'])} & {bits}))",
                 f"({a} & {r.choice(['15u', '0xfffffff0u', '0x3fffffffu', 'q'])})", f"({a} | {r.choice(['16u', '7u', 'q'])})",
                 f"({a} ^ {r.choice(['16u', '0x40000000u', 'q'])})", f"({a} % {r.choice(['16u', '7u', '(q | 1u)'])})",
                 f"({a} / {r.choice(['16u', '3u', '(q | 1u)', '0x10000000u'])})", f"min({a}, {b})", f"max({a}, {b})",
                 f"({a} < {b} ? {a} : {b})", f"(({kind})({cast}){a})", f"(({kind})min((int){a}, (int)q))",
                 f"(({kind})clamp((int){a}, -5, 20))", f"(({kind})((int){a} >> 29))",
                 f"(({kind})((int){a} {r.choice('/%')} {r.choice([3, 7, 16])}))", f"(({kind}){self.number(other, depth - 1)})"]
        return r.choice(forms)

    def access(self, number):
        r = self.random
        kind, name = r.choice(["uint", "uint", "ulong"]), f"x{number}_"
        index = r.choice([kind, "int", "int", "int", "long", "short", "uint"])
        steps = ["(gid * m)", "(gid * m + 2u)", "((gid + j) * m)", "(gid << (q & 31))", "(7u - gid * m)",
                 "(m * (gid - 1u) + j)"]
        value = r.choice(steps) if r.random() < 0.3 else self.number(kind, r.randint(1, 3))
        self.lines.append(f"  {index} {name} = ({index}){value};")
        signed = index in ("int", "long", "short")
        some = f"((gid + j) & {r.choice([1, 3])}) == 0 && " if r.random() < 0.3 else ""

        def within(low, end):
            return f"{some}{name} >= {low} && {name} < {end}" if signed else f"{some}{name} < {end}"

        table = r.choice(list(TABLES))
        element = f"((__global const {table} *)in)"
        half = TABLES[table] // 2 if signed and r.random() < 0.3 else 0
        end = TABLES[table] - half
        form = r.randrange(5)
        if form == 0:  # the item's own words, by a place that others go round
            value = r.choice(["gid", "in[gid]", "j + 1"])
            self.lines.append(f"  if ({within(0, WORDS)}) out[{name} + {WORDS} * gid] = {value};")
        elif form == 1:
            self.lines.append(f"  if ({within(0, WORDS)}) own[{name}] += j + 3;")
        elif form == 2:
            self.lines.append(f"  if ({within(-half, end - 1)}) own[{number}] = own[{number}] * 3 +"
                              f" (uint)({element} + {half})[{name}] + (uint)({element} + {half})[{name} + 1];")
        else:
            self.lines.append(f"  if ({within(-half, end)}) own[{number}] += (uint)({element} + {half})[{name}];")
            if r.random() < 0.3:
                self.lines.append(f"  else own[{number}] ^= 77;")

    def text(self):
        r = self.random
        loops, leaves = r.random() < 0.3, r.random() < 0.2
        if leaves:
            self.lines.append(f"  if ((gid & {r.choice([1, 3, 7])}) == {r.randrange(2)}) return;")
        self.lines.append(f"  for (j = 0; j < {r.choice(['4', '9', '(gid & 3)', '(q & 15)'])}; ++j) {{" if loops else "  {")
        for number in range(r.randint(2, 6)):
            self.access(number)
        self.lines.append("  }")
        big = r.choice(SHIFTS) << 32 | r.choice(FACTORS)
        head = f"// N={r.choice([130, 64, 200])} GROUP={r.choice([1, 16, 48, 64, 7])} OUT={WORDS} IN=1 BIG={big:#x}"
        return f"""{head}
#ifdef PLAIN_C
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) < (b) ? (b) : (a))
#define clamp(a, b, c) min(max(a, b), c)
#endif
__kernel void t(__global uint *out, __global const uint *in, uint n, ulong big) {{
  uint gid = get_global_id(0);
  uint m = (uint)big, q = (uint)(big >> 32), j = 3;
  __global uint *own = out + {WORDS} * gid;
  for (int k = 0; k < {WORDS}; ++k) own[k] = k;
""" + "\n".join(self.lines) + "\n}\n"


def make(seed):
    return Places(seed).text()


if __name__ == "__main__":
    import sys
    print(make(int(sys.argv[1])), end="")
