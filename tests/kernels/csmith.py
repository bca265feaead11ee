#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of Debian's csmith as kernels, beside the same text as plain C (plain_c.py). Work-items begin with different values,
so that they go different ways.

    csmith.py [--forms quick,optimized,tiered,sse] [--count 20] [--first 1] [--keep FOLDER] [--seconds N] [--print]

--print writes the kernel of --first and runs nothing. Exit status: 0 all agree, 1 some do not, 77 no csmith or no C compiler is
here. `--count 1000` takes up to an hour.

What is a variable of the program in csmith's text is private memory of each work-item: the members of a record, or variables,
which functions get pointers to. Arithmetic is that of csmith's safe functions but for signed numbers, which wrap.
"""

import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile

import plain_c

IN = 8  # words of an item
SECONDS = 4  # for one program as plain C: jumps back may go round for ever
ALWAYS = ["--no-bitfields", "--no-packed-struct", "--no-argc", "--concise", "--quiet", "--no-hash-value-printf"]

HEAD = """typedef char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef uchar uint8_t;
typedef ushort uint16_t;
typedef uint uint32_t;
typedef ulong uint64_t;
ulong mixed(ulong sum, ulong x) { return (sum ^ x) * 0x9E3779B97F4A7C15UL ^ sum >> 29; }
"""
OPERATORS = {"unary_minus": "-", "add": "+", "sub": "-", "mul": "*", "div": "/", "mod": "%", "lshift": "<<", "rshift": ">>"}


def options(seed):
    """What csmith is asked for: programs small enough that compilers take a second, each with some of the language."""
    chosen = random.Random(seed)
    limits = {"funcs": (1, 5), "block-size": (2, 5), "block-depth": (2, 4), "expr-complexity": (2, 6), "struct-fields": (2, 6),
              "union-fields": (2, 4), "array-dim": (1, 3), "array-len-per-dim": (3, 8), "pointer-depth": (1, 3)}
    words = [word for name, limit in limits.items() for word in (f"--max-{name}", str(chosen.randint(*limit)))]
    # How many of ten programs do without.
    without = {"jumps": 5, "structs": 3, "unions": 5, "volatiles": 7, "consts": 5, "math64": 3, "pointers": 4,
               "embedded-assigns": 4, "comma-operators": 3, "volatile-pointers": 7}
    return words + [f"--no-{name}" for name, often in without.items() if chosen.randrange(10) < often]


def generated(seed):
    with tempfile.TemporaryDirectory() as folder:  # it leaves a file
        return subprocess.run(["csmith", "--seed", str(seed), *ALWAYS, *options(seed)], cwd=folder, stdout=subprocess.PIPE,
                              text=True, timeout=60, check=True).stdout


def safe_function(name):
    """The text of a function such as safe_add_func_int16_t_s_s, which csmith's header has with macros."""
    operation, of, first, second = re.fullmatch(r"safe_(\w+?)_func_(\w+_t)_([su])(?:_([su]))?", name).groups()
    sign = OPERATORS[operation]
    if second is None:
        return f"{of} {name}({of} x) {{ return {sign}x; }}"
    if operation in ("div", "mod"):
        bits = re.search(r"\d+", of)[0]
        least = f" || (x == ({of})(1UL << {int(bits) - 1}) && y == -1)" if first == "s" else ""
        return f"{of} {name}({of} x, {of} y) {{ return y == 0{least} ? x : x {sign} y; }}"
    if "shift" in operation:
        amount = "int" if second == "s" else "uint"
        return f"{of} {name}({of} x, {amount} y) {{ return (uint)y >= 32 ? x : x {sign} y; }}"
    return f"{of} {name}({of} x, {of} y) {{ return x {sign} y; }}"


VARIABLE = re.compile(r"\bg_\d+\b")
NEW_LINE = "\n"


class Program:
    """A program of csmith's, taken apart."""

    def __init__(self, text):
        text = re.sub(r"\b([0-9A-Fa-fxX]+U?)LL\b", r"\1L", text)
        begin, end = text.index("static long __undefined;"), text.index("int main (void)")
        body = text[begin:end].split("\n", maxsplit=1)[1]
        self.types = "\n".join(re.findall(r"^(?:struct|union) \w+ \{.*?^\};$", body, re.M | re.S))
        # Type and name, dimensions, initial value.
        self.globals = re.findall(r"^static ([^(\n]*?)\b(g_\d+)((?:\[\d+\])*) = (.*);$", body, re.M)
        self.prototypes = re.findall(r"^static (.*\bfunc_\d+\(.*\));$", body, re.M)
        functions = body[body.index(self.prototypes[-1]) + len(self.prototypes[-1]) + 1:]
        self.functions = re.sub(r"^static ", "", functions, flags=re.M)
        sums = text[end:]
        sums = sums[sums.index("func_1();") + len("func_1();"):sums.index("platform_main_end")]
        self.sums = re.sub(r"transparent_crc\((.*), \".*\", print_hash_value\);", r"sum = mixed(sum, \1);", sums)
        count = len(re.findall(r"^static [^(\n]*?\bg_\d+[^(\n]* =", body, re.M))
        if "transparent_crc" in self.sums or len(self.globals) != count:
            raise plain_c.Left("not understood")

    def differing(self, chosen):
        """Statements that give an item values of its own. Which pointers are valid depends on no number."""
        lines = []
        for kind, name, dimensions, _ in self.globals:
            number = re.fullmatch(r"(?:volatile )?u?int(8|16|32|64)_t ", kind)
            if number is None or chosen.random() < 0.3:
                continue
            at = "".join(f"[{chosen.randrange(int(size))}]" for size in re.findall(r"\d+", dimensions))
            value = f"in[gid * {IN} + {chosen.randrange(IN)}]"
            value = chosen.choice([value, value, f"({value} & 7)", "n", "(gid & 3)", "(uint)big"])
            lines.append(f"{name}{at} ^= {value};")
        return lines

    def kernel(self, chosen):
        """A kernel whose functions get the variables by one pointer to a record, or by a pointer to each."""
        if not self.globals:
            raise plain_c.Left("no variables")
        passing = ByRecord(self) if len(self.globals) > 40 or chosen.randrange(3) > 0 else ByPointers(self)
        safe = [safe_function(name) for name in sorted(set(re.findall(r"\bsafe_\w+(?=\()", self.functions)))]
        before = [HEAD, *safe, self.types, *passing.types()]
        before += [passing.declared(prototype) + ";" for prototype in self.prototypes]
        before += [passing.line(line) for line in self.functions.split("\n")]
        steps = ["int i, j, k;", "ulong sum = 1;", *self.differing(chosen), f"func_1({passing.mine()});", self.sums]
        steps = "\n  ".join([passing.variables(), *map(passing.inside, steps)])
        return f"""// N=150 GROUP={chosen.choice([16, 64])} OUT=2 IN={IN} BIG=0x1234567
{NEW_LINE.join(before)}
__kernel void t(__global uint *out, __global const uint *in, uint n, ulong big) {{
  uint gid = get_global_id(0);
  {steps}
  out[gid * 2] = (uint)sum;
  out[gid * 2 + 1] = (uint)(sum >> 32);
}}
"""


class ByPointers:
    """The variables are the kernel's, and each function gets a pointer to each."""

    def __init__(self, program):
        self.program = program
        self.parameters = ", ".join(f"{kind}(*{name}_){dimensions}" for kind, name, dimensions, _ in program.globals)
        self.passed = ", ".join(f"{name}_" for _, name, *_ in program.globals)

    def types(self):
        return []

    def variables(self):
        """At the kernel's head."""
        return "\n  ".join(f"{kind}{name}{dimensions} = {value};" for kind, name, dimensions, value in self.program.globals)

    def mine(self):
        return ", ".join(f"&{name}" for _, name, *_ in self.program.globals)

    def inside(self, text):
        """A text of the kernel's."""
        return text

    def of_function(self, text):
        return VARIABLE.sub(r"(*\g<0>_)", text)

    def declared(self, text):
        return re.sub(r"\((?=[^()]*\)$)(void\)$)?", lambda at: f"({self.parameters}" + (")" if at[1] else ", "), text)

    def line(self, text):
        """A line of a function: its head, or with calls of others."""
        if re.match(r"\w.*\bfunc_\d+\(", text):
            return self.declared(text)
        return re.sub(r"\b(func_\d+)\((\)?)", lambda at: f"{at[1]}({self.passed}{at[2] or ', '}", self.of_function(text))


class ByRecord(ByPointers):
    """The variables are members of a record of the kernel's."""

    def __init__(self, program):
        super().__init__(program)
        self.parameters, self.passed = "struct G *gp", "gp"

    def types(self):
        members = (f"  {kind}{name}{dimensions};" for kind, name, dimensions, _ in self.program.globals)
        return ["struct G {", *members, "};"]

    def variables(self):
        return self.inside(f"struct G g = {{{', '.join(value for *_, value in self.program.globals)}}};")

    def mine(self):
        return "&g"

    def inside(self, text):
        return VARIABLE.sub(r"g.\g<0>", text)

    def of_function(self, text):
        return VARIABLE.sub(r"gp->\g<0>", text)


def make(seed):
    return re.sub(r"\n\s*\n+", "\n", Program(generated(seed)).kernel(random.Random(seed)))


def sources(first, count):
    for seed in range(first, first + count):
        try:
            yield f"csmith_{seed}.cl", make(seed)
        except plain_c.Left as error:
            print(f"csmith_{seed}.cl: {error}")


def wanted(library, launch):
    """plain_c.wanted in a process that an alarm ends."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        signal.alarm(SECONDS)
        with open(writer, "wb") as stream:
            stream.write(b" ".join(b"%d" % word for word in plain_c.wanted(library, launch)))
        os._exit(0)
    os.close(writer)
    with open(reader, "rb") as stream:
        words = [int(word) for word in stream.read().split()]
    if os.waitpid(child, 0)[1] != 0:
        raise plain_c.Left("It takes too long, or it ended.")
    return words


def main():
    parser = plain_c.arguments("quick,optimized,tiered,sse")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--print", action="store_true")
    chosen = parser.parse_args()
    if shutil.which("csmith") is None:
        print("SKIP: there is no csmith.")
        return plain_c.SKIP
    if chosen.print:
        print(make(chosen.first))
        return 0
    return plain_c.compared(sources(chosen.first, chosen.count), wanted, chosen)


if __name__ == "__main__":
    sys.exit(main())
