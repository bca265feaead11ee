"""Kernels with barriers made at random: random_programs.py --barriers runs them.

Barriers stand in loops, ifs, switches and helpers, in each other, beside control that parts the items of a group. What decides
about barriers is the same for all items, though a compiler may not see that; after the last barrier of a turn items go their
ways. Values, arrays, records and pointers to them live across. Some items end early. What a kernel writes depends on its number
alone.
"""

import random

import random_jumps

ITEMS = 192
GROUPS = ((64, 1), (16, 4), (24, 1), (3, 1), (1, 1), (3, 16))  # sizes of groups, in two dimensions
WAIT = "barrier(CLK_LOCAL_MEM_FENCE);"
HELPERS = f"""typedef struct {{ uint m; uint2 t; }} S;
uint walked(uint x, uint *y) {{
  for (uint k = 0; k < 3; ++k) {{
    if (x & 1) {{ *y += k; continue; }}
    x = x * 3 + *y;
    if (k == (x & 3)) return x;
  }}
  return x ^ *y;
}}
uint summed(local uint *t, uint l, uint z, uint x) {{
  uint r = x;
  t[l] = x;
  {WAIT}
  for (uint k = 0; k < 2; ++k) {{ r += t[(l + k) % z]; {WAIT} }}
  return r;
}}
void turned(local uint *t, uint l, uint z, uint *y, S s) {{
  s.m += *y;
  t[l] = s.m;
  {WAIT}
  *y = t[z - 1 - l] + s.t.y;
  {WAIT}
}}
int odd(local uint *one, uint x) {{
  {WAIT}
  uint r = *one + x;
  {WAIT}
  return (r & 1) != 0;
}}
"""


class Kernel:
    """The source of one kernel, from a seed."""

    def __init__(self, seed):
        self.random = random.Random(f"barriers {seed}")
        self.seed, self.budget = seed, self.random.randint(10, 30)
        self.others = random.Random(f"barrier jumps {seed}")  # so that all else is what a seed has always made
        self.loops, self.counters = 0, []  # counters of loops around, which are the same for all items
        self.text = self.make()

    def pick(self, *choices):
        return self.random.choice(choices)

    def chance(self, share):
        return self.random.random() < share

    # --- values: alike in all items of a group, and each item's own

    def alike(self):
        return self.pick("u0", "u1", "u2", "(u0 ^ u1)", "(u2 + 3u)", f"in[{self.random.randrange(8)}]", "*one",
                         "(uint)get_group_id(0)", "(in[u1 & 7] >> 3)", *self.counters)

    def own(self):
        return self.pick("a", "b", "c", "l", "i", "p[l & 3]", f"p[{self.random.randrange(4)}]", self.alike(), "in[i]",
                         "w.x", "w.y", "(uint)n8", "q[1]", "(odd_one ? 3u : a)", "s.m", "*r", "t[l]")

    def alike_sum(self):
        return f"({self.alike()} {self.pick('+', '^', '*', '&', '/')} {self.pick('1u', '3u', '7u', f'({self.alike()} | 1u)')})"

    def own_sum(self):
        operator = self.pick("+", "^", "*", "&", "-", "|", ">", "/", "%")
        return f"({self.own()} {operator} ({self.own()} {'| 1u' if operator in '/%' else self.pick('+ 0u', '| 1u', '+ 1u')}))"

    def test(self, value):
        bits = f"(({value} >> {self.random.randrange(4)}) & {self.pick(1, 3, 7)})"
        return f"{bits} {self.pick('==', '!=', '>', '<')} {self.random.randrange(3)}"

    # --- statements. `waits`: barriers may stand here, since all items come; `around`: loops and switches, and whether each waits

    def block(self, waits, around):
        return " ".join(self.statement(waits, around) for _ in range(self.random.randint(1, 3)))

    def statement(self, waits, around):
        self.budget -= 1
        kind = self.random.random() * (1 if self.budget > 0 else 0.4)
        if kind < 0.16:
            place = self.pick("a", "b", "c", "p[l & 3]", "p[1]", "w.x", "w.y", "n8", f"q[{self.pick(0, 1)}]", "s.m", "*r")
            return f"{place} = {self.own_sum()};"
        if kind < 0.24:
            if waits:  # else what is the same for all items would not stay so
                return f"{self.pick('u0', 'u1', 'u2')} = {self.alike_sum()};"
            return f"{self.pick('a', 'b', 'w.y', 'p[2]')} += {self.own_sum()};"
        if kind < 0.29:
            return self.pick("w = w.yx;", f"odd_one = {self.test(self.own())};", f"q = {self.test(self.own())} ? p : p + 2;",
                             "q = p + 1;", "s.t = w; w += s.t;", f"r = {self.test(self.own())} ? &a : &s.m;",
                             "{ uint x = a; a = b; b = x; }", f"o[i * 4 + 1] += {self.own()};",
                             "{ S x = s; x.m ^= a; s = x; }")
        if kind < 0.40:
            return self.exchange(around) if waits else f"c ^= {self.own_sum()};"
        if kind < 0.52:
            return self.branch(waits, around)
        if kind < 0.68:
            return self.loop(waits, around)
        if kind < 0.80:
            return self.switch(waits, around)
        if kind < 0.94 and around:
            return self.jump(waits, around)
        if kind < 0.97:
            if around:
                return "b += 3u;"
            return f"if ({self.test(self.own())} && {self.test(self.own())}) {{ o[i * 4] = a; return; }}"
        return f"a = walked(a, &{self.pick('b', 's.m', 'p[2]')});"

    def exchange(self, around):
        value = self.pick("a", "b", "c")
        return self.pick(
            f"t[l] = {self.own_sum()}; {WAIT} {value} += t[{self.pick('z - 1 - l', '(l + 1) % z', '0', 'l')}]; {WAIT}",
            WAIT,
            f"{WAIT} if (l == {self.random.randrange(3)} % z) *one = {self.own_sum()}; {WAIT}",
            f"{value} += summed(t, l, z, {self.own()});",
            f"turned(t, l, z, &{self.pick('a', 's.m', 'p[3]')}, s);",
            f"if (odd(one, {self.alike()})) {{ {self.block(True, around)} }}")

    def branch(self, waits, around):
        together = waits and self.chance(0.7)
        text = f"if ({self.test(self.alike() if together else self.own())}) {{ {self.block(together, around)} }}"
        return text + (f" else {{ {self.block(together, around)} }}" if self.chance(0.5) else "")

    def loop(self, waits, around):
        together = waits and self.chance(0.75)
        self.loops += 1
        k, end = f"k{self.loops}", f"e{self.loops}"
        bound = self.pick("2", "3", "3") if together or self.chance(0.5) else f"({self.own()} & 3)"
        if together:
            self.counters.append(k)
        body = self.block(together, around + [("loop", together)])
        if together:
            self.counters.remove(k)
        if together and self.chance(0.3):  # all items are past the turn's last barrier
            body += f" {WAIT} if ({self.test(self.own())}) continue; c += {self.own()};"
        head = f"{{ uint {end} = {bound}, {k} = 0; "
        return head + self.pick(f"for (; {k} < {end}; ++{k}) {{ {body} }} }}", f"while ({k}++ < {end}) {{ {body} }} }}",
                                f"do {{ {body} }} while (++{k} < {end}); }}",
                                f"for (;; {k} += 1) {{ if ({k} >= {end}) break; {body} }} }}")

    def switch(self, waits, around):
        together = waits and self.chance(0.7)
        labels = ["case 0: ", "case 1: ", "case 2: ", "case 3: ", "default: "]
        self.random.shuffle(labels)
        text = f"switch ({self.alike() if together else self.own()} & 3) {{ "
        for label in labels[:self.random.randint(1, 4)]:
            text += f"{label}{{ {self.block(together, around + [('switch', together)])} }} "
            text += "break; " if self.chance(0.55) else ""
        return text + "}"

    def jump(self, waits, around):
        loops = [each for each in around if each[0] == "loop"]
        word, (_, together) = self.pick(("break", around[-1]), *([("continue", loops[-1])] if loops else []))
        if together and not waits:
            return "b += 3u;"
        value = self.alike() if together else self.own()
        return f"if ({self.test(value)}) {{ {self.pick('', f'c += {self.own()}; ')}{word}; }}"

    def jumps(self):
        """Gotos, and cases inside of inner statements, which all items take together; barriers stand between them."""
        own, self.random = self.random, self.others

        def statement():
            value = self.pick("a", "b", "c")
            return self.pick(f"{value} ^= {self.own_sum()};", f"{self.pick('u0', 'u1', 'u2')} = {self.alike_sum()};",
                             f"{value} += summed(t, l, z, {self.own()});")

        def meeting():
            value = self.pick("a", "b", "c")
            text = statement()
            if self.chance(0.4):
                return text
            other = self.pick("z - 1 - l", "(l + 1) % z")
            return f"{{ {text} {WAIT} t[l] = {value}; {WAIT} {value} += t[{other}]; {WAIT} }}"

        self.loops += 1
        lines = random_jumps.Jumps(self.others, f"{self.loops}", meeting, lambda: self.test(self.alike()), False,
                                   statement).text()
        self.random = own
        return ["  " + line for line in lines]

    def make(self):
        lines = []
        while self.budget > 0:
            lines.append("  " + self.statement(True, []))
            if self.others.random() < 0.06:
                lines += self.jumps()
        body = "\n".join(lines)
        return f"""
kernel void k{self.seed}(global const uint *in, global const float *fin, global uint *o, const uint n, const int c0,
    local uint *t) {{
  local uint shared[1], *one = shared;
  const uint z = get_local_size(0) * get_local_size(1), l = get_local_id(1) * get_local_size(0) + get_local_id(0);
  const uint i = get_group_id(0) * z + l;
  uint a = in[i], b = l, c = 1, p[4] = {{1, a, 3, l}}, *q = p, *r = &b, u0 = n, u1 = in[0], u2 = 5;
  S s = {{a, (uint2)(1, l)}};
  uint2 w = (uint2)(i, 7);
  char n8 = l;
  bool odd_one = l & 1;
  o[i * 4 + 1] = 0;
  t[l] = a;
  if (l == 0) *one = 6;
  {WAIT}
{body}
  {WAIT}
  o[i * 4] = a + b * 3 + c * 5 + p[0] * 7 + p[1] + p[2] + p[3] + *q + *r + w.x + w.y + n8 + odd_one + u0 + u1 + u2;
  o[i * 4 + 2] = s.m + s.t.x * 3 + s.t.y;
  o[i * 4 + 3] = t[l];
}}
"""


def launches(_seed, without=(), _exact=False):
    """Grid and group of each launch of a kernel; None for those that are left out."""
    return [None if group in without else ((ITEMS // (group[0] * group[1]), 1), group) for group in GROUPS]


def source(seeds, _exact=False):
    """One program with the kernels of all these seeds, which are called k and the seed."""
    return HELPERS + "".join(Kernel(seed).text for seed in seeds)
