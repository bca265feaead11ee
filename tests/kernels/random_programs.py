#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels made at random, which have to give the same bits however they are built.

    random_programs.py [--count 40] [--first 1] [--devices cpu,opencl:0] [--keep FOLDER]

Each program has divergent branches and loops with break, continue and return, indices of several types, barriers and local
memory. On the CPU it is built without optimisation, as quick code and as optimised code; each of the other devices builds it
once. All run groups of several sizes. A difference prints the program's number, and --keep writes the source; `--first NUMBER
--count 1` makes the program again. Exit status: 0 all agree, 1 some do not, 77 nothing could be run.
"""

import argparse
import os
import pathlib
import random
import sys

SKIP = 77
ITEMS = 192
GROUPS = ((64, 1), (16, 4), (24, 1), (3, 1), (1, 16), (48, 2))  # sizes of groups, in two dimensions
SLOTS = 4


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
        a, b = self.uint(depth + 1), self.uint(depth + 1)
        return self.pick(f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} ^ {b})", f"({a} & {b})", f"({a} | {b})",
                         f"({a} << ({b} & 31u))", f"({a} >> {self.random.randrange(32)})", f"({a} / {b})",
                         f"({a} % {b})", f"min({a}, {b})", f"max({a}, {b})", f"rotate({a}, {b})", self.load(depth + 1),
                         f"({self.condition(depth + 1)} ? {a} : {b})", f"as_uint({self.float(depth + 1)})",
                         f"popcount({a})", f"mul_hi({a}, {b})")

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
        return f"({self.float(depth + 1)} {self.pick('<', '>', '==', '!=', '>=')} {self.float(depth + 1)})"

    # ---- Statements

    def assign(self):
        kind = self.random.random()
        if kind < 0.4:
            self.add(f"{self.pick('u0', 'u1', 'u2')} {self.pick('=', '+=', '^=', '-=', '*=', '>>=', '|=')} "
                     f"{self.uint()};".replace(">>= ", ">>= 31u & "))
        elif kind < 0.6:
            self.add(f"{self.pick('i0', 'i1')} = {self.int()} & 0x3ff;")
        elif kind < 0.8:
            self.add(f"{self.pick('f0', 'f1')} {self.pick('=', '+=', '*=', '-=')} {self.float()};")
        elif kind < 0.9:
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
        elif kind < 0.9:
            self.loop(budget)
        elif self.loops > 0 and kind < 0.97:
            self.add(f"if ({self.condition()}) {self.pick('break', 'continue')};")
        elif self.loops > 0 and kind < 0.98:
            self.add(self.pick("break;", "continue;"))
            return False
        elif not self.barriers:
            self.add(f"if ({self.condition()}) return;")
        else:
            self.assign()
        return True

    def loop(self, budget):
        self.counter += 1
        name = f"k{self.counter}"
        limit = self.pick("5", "(u0 & 7u)", "(i0 & 7)", "w", "(int)(l & 3u) + 1")
        form = self.pick("for", "for", "while", "do", "array")
        self.loops += 1
        if form == "for":
            kind = self.pick("int", "uint", "size_t", "int")
            self.add(f"for ({kind} {name} = {self.pick('0', '1', 'l & 1u')}; {name} < ({kind}){limit}; {name}++) {{")
            self.uints = self.uints + [f"(uint){name}"]
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

    def make(self):
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
        return f"""#pragma OPENCL FP_CONTRACT {'ON' if self.random.random() < 0.5 else 'OFF'}
#define ITEMS {ITEMS}u
#define ROW ((int)get_global_id(1))
kernel void k(global const uint *in, global const float *fin, global uint *out, const uint n, const int w, local uint *tile) {{
  local uint shared;
  const uint size = get_local_size(0) * get_local_size(1);
  const uint l = get_local_id(1) * get_local_size(0) + get_local_id(0);
  const uint g = (get_group_id(1) * get_num_groups(0) + get_group_id(0)) * size + l;
  uint u0 = g * 7u, u1 = in[g], u2 = n;
  int i0 = (int)get_global_id(0), i1 = w;
  float f0 = fin[g], f1 = (float)i0;
{body}
  out[g] = u0 ^ u1 * 3u ^ u2 * 5u ^ (uint)i0 ^ as_uint(f0) ^ as_uint(f1) * 9u ^ (uint)i1;
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
            out = context.zeros(ITEMS * SLOTS, "uint32")
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
