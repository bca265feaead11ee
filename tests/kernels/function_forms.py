#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every mathematical function in all the forms in which the CPU backend computes it: the same bits.

    function_forms.py [--only sin,pow] [--options=-cl-mad-enable] [--few] [--keep FOLDER]

A kernel for each function has it over special values, each with each, and over random ones: as lanes of vectors, for a vector
type, beside a double, and for literals, which compilers compute. It is built without optimisation, as quick code and as
optimised code, by each compiler that is installed, and for processors with narrower vectors than this one; with --few by g++
and for the next narrower vectors alone. NaNs have to be the same bits too where the library makes them itself. Exit status: 0
all agree, 1 some do not, 77 nothing could be run.
"""

import argparse
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile

SKIP = 77
ITEMS = 4608
GROUP = 96
LITERALS = 24
AT_ONCE = 8  # functions in a program
FORMS = (("quick", "", "quick"), ("optimised", "", "optimized"), ("not optimised", "-cl-opt-disable", "tiered"))

UNARY = (
    "exp exp2 exp10 expm1 log log2 log10 log1p sin cos tan sinpi cospi tanpi asin acos atan asinpi acospi atanpi sinh cosh "
    "tanh asinh acosh atanh cbrt erf erfc rsqrt sqrt fabs floor ceil trunc rint round degrees radians sign logb tgamma "
    "lgamma half_cos half_exp half_exp2 half_exp10 half_log half_log2 half_log10 half_recip half_rsqrt half_sin half_sqrt "
    "half_tan native_cos native_exp native_exp2 native_exp10 native_log native_log2 native_log10 native_recip native_rsqrt "
    "native_sin native_sqrt native_tan")
BINARY = ("pow powr atan2 atan2pi hypot fmin fmax min max fdim fmod remainder copysign nextafter maxmag minmag step "
          "half_divide half_powr native_divide native_powr")
TERNARY = "fma mad mix clamp smoothstep"
WITH_INT = "pown rootn ldexp"
TO_INT = "ilogb isnan isinf isfinite isnormal signbit"
OF_DOUBLE = ("exp exp2 exp10 expm1 log log2 log10 log1p sin cos tan sinpi cospi asin acos atan asinpi acospi atanpi sinh cosh "
             "tanh asinh acosh atanh cbrt erf erfc pow powr atan2 atan2pi hypot "
             "fabs floor ceil trunc rint round sqrt rsqrt degrees radians sign fmin fmax min max fdim copysign maxmag minmag "
             "step fma mad mix clamp smoothstep isnan isinf isfinite isnormal signbit")
FUNCTIONS = ({name: "f" for name in UNARY.split()} | {name: "ff" for name in BINARY.split()} |
             {name: "fff" for name in TERNARY.split()} | {name: "fi" for name in WITH_INT.split()} |
             {name: "f=" for name in TO_INT.split()})
FUNCTIONS |= {name + "_double": FUNCTIONS[name].replace("f", "d") for name in OF_DOUBLE.split()}
# A NaN from the compilers' own functions has the sign and the bits that the order of operands gives.
ANY_NAN = set(TERNARY.split()) | set(
    "half_recip half_divide native_recip native_divide half_rsqrt half_sqrt native_rsqrt native_sqrt sqrt rsqrt tgamma lgamma "
    "fmod remainder fmin fmax fdim nextafter min max maxmag minmag step degrees radians round floor ceil trunc rint logb ldexp "
    "sign copysign native_powr native_tan half_powr".split())
SPECIAL = (
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff,
    0x3f000000, 0xbf000000, 0x40000000, 0xc0000000, 0x40400000, 0xc0400000, 0x40490fdb, 0x49800000, 0x4b800000, 0x4b7fffff,
    0x5f000000, 0xdf000001, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x42b17218, 0xc2cff1b5)
INTS = (0, 1, -1, 2, -2, 3, -3, 127, 128, -126, -149, 2147483647, -2147483648, 1 << 24, (1 << 24) + 1)


def to_float(bits):
    return struct.unpack("f", struct.pack("I", bits))[0]


def inputs():
    numbers = random.Random(7)
    pairs = [(a, b) for a in SPECIAL for b in SPECIAL]
    while len(pairs) < ITEMS:
        def one():
            kind = numbers.randrange(4)
            if kind == 0:
                return numbers.randrange(1 << 32)
            if kind == 1:
                return struct.unpack("I", struct.pack("f", numbers.uniform(-1.5, 1.5)))[0]
            return struct.unpack("I", struct.pack("f", numbers.uniform(-40, 40)))[0]
        pairs.append((one(), one()))
    return ([a for a, _ in pairs], [b for _, b in pairs], [numbers.choice(SPECIAL) for _ in pairs],
            [numbers.choice(INTS) if at % 2 else numbers.randrange(-40, 40) for at in range(ITEMS)])


def literal(bits):
    return f"as_float({bits}u)"


def source_of(name, values):
    """One program: the function in lanes, for a vector type, beside a double, and of literals."""
    kind = FUNCTIONS[name].replace("d", "f")
    double = FUNCTIONS[name].startswith("d")
    result = "" if kind.endswith("=") else "folded" if double else "as_int"
    call = name.removesuffix("_double")
    given = {"f": "as_float(x[i])", "f=": "as_float(x[i])", "ff": "as_float(x[i]), as_float(y[i])",
             "fi": "as_float(x[i]), n[i]", "fff": "as_float(x[i]), as_float(y[i]), as_float(z[i])"}[kind]
    twice = {"f": "v", "f=": "v", "ff": "v, (float2)(as_float(y[i]))", "fi": "v, (int2)(n[i])",
             "fff": "v, (float2)(as_float(y[i])), (float2)(as_float(z[i]))"}[kind]
    x, y, z, n = values
    picks = range(0, ITEMS, ITEMS // LITERALS)
    constant = []
    for at, i in enumerate(picks):
        words = {"f": [x[i]], "f=": [x[i]], "ff": [x[i], y[i]], "fi": [x[i]], "fff": [x[i], y[i], z[i]]}[kind]
        arguments = ", ".join(literal(word) for word in words) + (f", {n[i]}" if kind == "fi" else "")
        arguments = arguments.replace("-2147483648", "(-2147483647 - 1)")
        constant.append(f"  if (i == {i}) out[i + 3 * {ITEMS}] = {result}({call}({arguments}));")
    vector = f"{call}({twice})"
    first = f"{result}(({vector}).x)" if result else f"({vector}).x" if name == "ilogb" else f"-(int)({vector}).x"
    head = "(global const uint *x, global const uint *y, global const uint *z, global const int *n, global int *out) {\n" \
           "  const int i = get_global_id(0);\n"
    lines = "\n".join(constant)
    text = f"""kernel void lanes_{name}{head}  if (i >= {ITEMS} - 5) return;
  out[i] = {result}({call}({given}));
}}
kernel void pairs_{name}{head}  const float2 v = (float2)(as_float(x[i]));
  out[i + {ITEMS}] = {first};
}}
kernel void mixed_{name}{head}  const double d = as_float(x[i]);
  const double e = d == 0.25 ? 1.5 : d;
  out[i + 2 * {ITEMS}] = {result}({call}({given})) + (e == 1.5 && d == 0.25 ? 1 : 0);
}}
kernel void literals_{name}{head}{lines}
}}
"""
    if double:  # of the same values; NaNs are one, since the bits of a result are folded
        text = text.replace("as_float(", "(double)as_float(").replace("float2", "double2")
        return "#define folded(d) (isnan(d) ? 7 : (int)as_long(d) ^ (int)(as_long(d) >> 32))\n" + text
    return text


def compilers(folder):
    """(title, program): each compiler as it is, and gcc for narrower vectors."""
    found = [("g++", "g++")]
    command = ["g++", "-march=native", "-dM", "-E", "-x", "c++", "/dev/null"]
    flags = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    narrower = []
    if "__AVX512F__" in flags:
        narrower.append(("g++ with AVX2", "-mno-avx512f"))
    if "__AVX2__" in flags:
        narrower.append(("g++ without AVX2", "-mno-avx512f -mno-avx2"))
    for at, (title, more) in enumerate(narrower):
        path = folder / f"narrower{at}"
        path.write_text(f'#!/bin/sh\nexec g++ "$@" {more}\n', encoding="ascii")
        path.chmod(0o755)
        found.append((title, str(path)))
    if shutil.which("clang++"):
        found.append(("clang++", "clang++"))
    return found


def run(manyrt, source, names, options, values):
    """What each function gave, by name."""
    found = {}
    with manyrt.Context("cpu") as context:
        arrays = [context.array(each, "uint32") for each in values[:3]] + [context.array(values[3], "int32")]
        module = context.module(source, options)
        for name in names:
            out = context.zeros(4 * ITEMS, "int32")
            for form in ("lanes", "pairs", "mixed", "literals"):
                module[f"{form}_{name}"][(ITEMS // GROUP,), (GROUP,)](context.default_stream, *arrays, out)
            context.synchronize()
            found[name] = [word & 0xffffffff for word in out.tolist()]
    return found


def is_nan(word):
    return word & 0x7fffffff > 0x7f800000


def check(name, title, found, values, expected):
    """The first value of `found` that differs from what the lanes of the first build gave."""
    loose = name in ANY_NAN
    for part, start in (("lanes", 0), ("a vector type", ITEMS), ("beside a double", 2 * ITEMS), ("literals", 3 * ITEMS)):
        for i in range(ITEMS):
            if (start == 0 and i >= ITEMS - 5) or (part == "literals" and i % (ITEMS // LITERALS)):
                continue
            a, b = expected[ITEMS + i], found[start + i]
            if a == b or (loose and is_nan(a) and is_nan(b)):
                continue
            x, y, z, n = (each[i] for each in values)
            print(f"{name}: {title}, {part}: {b:08x} where {a:08x} was first; arguments {to_float(x).hex()} ({x:08x}), "
                  f"{to_float(y).hex()}, {to_float(z).hex()}, {n}", flush=True)
            return False
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--options", default="")
    parser.add_argument("--few", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    import manyrt
    if "cpu" not in [each.name for each in manyrt.devices()]:
        print("SKIP: there is no CPU device")
        return SKIP
    names = arguments.only.split(",") if arguments.only else list(FUNCTIONS)
    values = inputs()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        programs = compilers(pathlib.Path(folder))[:2 if arguments.few else None]
        for start in range(0, len(names), AT_ONCE):
            some = names[start:start + AT_ONCE]
            source = "".join(source_of(name, values) for name in some)
            if arguments.keep:
                arguments.keep.mkdir(parents=True, exist_ok=True)
                (arguments.keep / f"{some[0]}.cl").write_text(source, encoding="utf-8")
            expected = None
            for title, program in programs:
                os.environ["RT_CC"] = program
                for form, more, build in FORMS:
                    if title not in ("g++", "clang++") and form != "optimised" or title != "g++" and form == "not optimised":
                        continue
                    os.environ["RT_CPU_BUILD"] = build
                    found = run(manyrt, source, some, f"{arguments.options} {more}".strip(), values)
                    expected = expected or found
                    for name in some:
                        failed += not check(name, f"{title}, {form}", found[name], values, expected[name])
    print(f"{len(names)} functions by {', '.join(title for title, _ in programs)}: {failed} differences")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
