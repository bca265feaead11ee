"""Kernels over planes made at random: random_programs.py --planes runs them.

Each has an item for each place of a plane, or of a space's first layer: it reads its own place, neighbours, places across and
what lies mirrored, under conditions about borders, and writes a place of its own in each of two results. Sizes, types of
elements and of indices, which dimension counts the rows, and offsets of the ids differ. Some walk through the layers of a
space, with what they keep of the layers before. What a kernel writes depends on nothing but its number. With exact=True it
depends on no device either, as in random_kernels.py.
"""

import random

GROUPS = ((8, 8), (16, 16), (5, 7), (64, 1), (1, 64), (32, 4), (9, 3), (256, 1), (1, 1))
SIZES = ((1, 40), (5, 70), (8, 64), (16, 31), (33, 16), (40, 17), (64, 8), (100, 3), (7, 7), (21, 24), (128, 1))
MOST = 768  # words of each of the two results


class Plane:
    """The source of one kernel, from a seed."""

    def __init__(self, seed, exact=False):
        self.random = random.Random(f"plane {seed}")
        self.seed, self.exact = seed, exact
        self.element = self.pick("uint", "int", "float", "uchar", "short", "ushort", "ulong")
        self.is_float = self.element == "float"
        most = MOST // 2 if self.element == "ulong" else MOST  # of the 1024 words that there are to read
        self.width, self.height = self.pick(*(size for size in SIZES if size[0] * size[1] <= most))
        self.layers = min(5, most // (self.width * self.height)) if self.random.random() < 0.3 else 1
        self.places = {name: self.pick("y * w + x", "x * h + y") for name in ("o", "p")}
        self.across = self.random.random() < 0.3  # the rows are dimension 0
        self.is_deep = self.random.random() < 0.3  # dimension 2 is in the place of 1
        self.more = self.pick(0, 0, 0, 1, 2)  # what is added to the ids
        self.depth, self.counter = 0, 0
        self.lines = []
        self.text = self.make()

    def pick(self, *choices):
        return self.random.choice(choices)

    def add(self, text):
        self.lines.append("  " * (self.depth + 2) + text)

    def grid(self, group):
        sizes = (self.height, self.width) if self.across else (self.width, self.height)
        return self.shape(-(-size // one) for size, one in zip(sizes, group))

    def shape(self, sizes):
        first, second = sizes
        return (first, 1, second) if self.is_deep else (first, second)

    def place(self):
        return self.pick("y * w + x", "x * h + y", "y * w + x", "x * h + y", "(w - 1 - x) * h + y", "y * w + (w - 1 - x)",
                         "(h - 1 - y) * w + x", "x * h + (h - 1 - y)", "x", "y", "min(y * w + x + 1, w * h - 1)",
                         "(x * h + y) / 2", "x * h + y / 2", "max(x * h + y, h) - h", "(y * w + x * 3) % (w * h)")

    def load(self):
        return f"{self.pick('a', 'b')}[{self.place()}]"

    def value(self, depth=0):
        kind = self.random.random()
        if depth > 2 or kind < 0.4:
            own = (f"({self.element})x", f"({self.element})y", f"({self.element}){self.random.randrange(9)}", "t", "t")
            return self.load() if self.random.random() < 0.7 else self.pick(*own)
        a, b = self.value(depth + 1), self.value(depth + 1)
        if kind < 0.85:
            return self.of(a, self.pick("+", "-", "*"), b)
        return f"({self.condition()} ? {a} : {b})"

    def of(self, a, operation, b):
        """Signed numbers do not overflow: they are computed as unsigned ones."""
        if self.element in ("uint", "ulong", "float"):
            return f"({a} {operation} {b})"
        return f"({self.element})((uint){a} {operation} (uint){b})"

    def condition(self):
        bound = self.random.randrange(9)
        return self.pick("x == 0", "y == 0", "x == w - 1", "y + 1 == h", "x < w / 2", f"y > {bound}", "x > 1 && x + 2 < w",
                         "x == y", "x < y", "((x ^ y) & 1) != 0", f"x != {bound}", "!(x == 2)", f"x <= 3 || y + 2 >= h",
                         f"{self.load()} > ({self.element}){bound}", "w > 10 && x == 3", "(uint)x - 3u < (uint)w",
                         f"x >= 4 && a[x] > ({self.element})3", f"y != {bound}", f"x + {bound} < w", f"{bound} + y > h",
                         f"get_global_id(0) + {bound} >= {self.random.randrange(40)}")

    def store(self):
        name = self.pick("o", "p")
        self.add(f"{name}[{self.places[name]}] {self.pick('=', '=', '+=', '^=')} {self.word(self.value())};")

    def word(self, value):
        if not self.is_float:
            return f"(uint)({value})"
        return f"bits({value})" if self.exact else f"as_uint({value})"

    def block(self, budget):
        self.depth += 1
        for _ in range(self.random.randrange(1, 3)):
            self.statement(budget)
        self.depth -= 1

    def statement(self, budget):
        kind = self.random.random()
        if budget == 0 or kind < 0.35:
            self.store()
        elif kind < 0.5:
            name = self.pick("o", "p")
            self.add(f"t = {self.of('t', '+', f'({self.element})({name}[{self.places[name]}] & 255u)')};")
        elif kind < 0.65:
            self.add(f"t = {self.value()};")
        elif kind < 0.85:
            self.add(f"if ({self.condition()}) {{")
            self.block(budget - 1)
            if self.random.random() < 0.6:
                self.add("} else {")
                self.block(budget - 1)
            self.add("}")
        elif kind < 0.95:
            self.counter += 1
            name = f"k{self.counter}"
            end = self.pick("3", "w", "h", "(I)4", "x % 5")
            step = self.pick(self.load(), f"a[{name} * w + x]" if end == "h" else self.load(),
                             f"b[y * w + {name}]" if end == "w" else self.load())
            more = self.of(self.of("t", "*", f"({self.element})3"), "+", step)
            self.add(f"for (I {name} = 0; {name} < {end}; ++{name}) t = {more};")
        elif self.random.random() < 0.4:
            self.add(f"if ({self.condition()}) return;")
        else:
            self.store()

    def walk(self):
        """Through the layers, with values of those before."""
        self.add(f"{self.element} below = a[y * w + x], here = b[x * h + y];")
        self.add("I at = y * w + x;")
        self.add(f"for (I z = 1; z < {self.layers}; ++z) {{")
        self.depth += 1
        self.add("at += w * h;")
        self.add(f"const {self.element} above = {self.pick('a', 'b')}[at];")
        if self.random.random() < 0.5:
            self.add(f"if ({self.condition()}) here = {self.value()};")
        side = self.pick("below", "a[at - 1]" if self.more else "below", "b[at - w * h + (y > 0 ? 0 : 1)]")
        self.add(f"t = {self.of(self.of('below', '+', self.of('above', '*', 'here')), '+', side)};")
        self.add(f"{self.pick('o', 'o', 'p')}[at] = {self.word('t')};")
        self.add("below = here;")
        self.add("here = above;")
        self.depth -= 1
        self.add("}")

    def make(self):
        if self.layers > 1:
            self.places = dict.fromkeys("op", "y * w + x")
        index = self.pick("int", "uint", "ulong", "long")
        last = "2" if self.is_deep else "1"
        ids = (last, "0") if self.across else ("0", last)
        restrict = self.pick("", "restrict ")
        for _ in range(self.random.randrange(1, 6)):
            self.statement(3)
        if self.layers > 1:
            self.walk()
        self.store()
        body = "\n".join(self.lines).replace("(I", f"({index}").replace("I at", f"{index} at")
        # An id with an offset leaves the first rows and columns alone, as kernels over the inside of a plane do.
        more = f" + {self.more}" if self.more else ""
        ends, stays = self.pick(("if (x >= w || y >= h) return;", "{"), ("", "if (x < w && y < h) {"),
                                ("if (x + 1 > w) return;", "if (y < h) {"), ("if (x > w - 1 || y > h - 1) return;", "{"))
        contraction = "ON" if self.random.random() < 0.5 and not self.exact else "OFF"
        return f"""
kernel void k{self.seed}(global const uint *in, global const float *fin, global uint *{restrict}o, const uint n, const int c,
    local uint *tile) {{
#pragma OPENCL FP_CONTRACT {contraction}
  const {index} w = n * {self.width // 5} + {self.width % 5}, h = {self.height};
  global const {self.element} *{restrict}a = (global const {self.element} *){"fin" if self.is_float else "in"}, *b = a + 17;
  global uint *p = o + {MOST};
  const {index} x = ({index})get_global_id({ids[0]}){more};
  const {index} y = get_global_id({ids[1]}){more};
  {ends}
  {stays}
    {self.element} t = ({self.element})c;
{body}
  }}
}}
"""


def launches(seed, without=(), exact=False):
    """Grid and group of each launch of a kernel; None for those that are left out."""
    plane = Plane(seed, exact)
    return [None if group in without else (plane.grid(group), plane.shape(group)) for group in GROUPS]


def source(seeds, exact=False):
    """One program with the kernels of all these seeds, which are called k and the seed."""
    head = "uint bits(float x) { return isnan(x) ? 0x7fc00000u : as_uint(x); }\n" if exact else ""
    return head + "".join(Plane(seed, exact).text for seed in seeds)
