"""The built-in functions of OpenCL C 1.2 as a table, written down from the specification's sections 6.2.3, 6.2.4 and 6.12.

Every name with every type, width, mixed form and address space that the specification gives it. The table is independent of the
library's own list (src/compiler/builtins/library/prototypes.cl): a line that is missing there is found by a call from here.

In a row the letters are types:
  g  gentype          s  its scalar              i  int with gentype's components    j  int
  u  unsigned gentype S  signed gentype          r  what a comparison gives     w  integers of twice the size
A star is a pointer to what follows it, in each address space that the specification allows.
"""
from typing import Iterator, List, NamedTuple, Sequence, Tuple

WIDTHS = (1, 2, 3, 4, 8, 16)
VECTORS = WIDTHS[1:]
SIGNED = ("char", "short", "int", "long")
UNSIGNED = ("uchar", "ushort", "uint", "ulong")
INTEGERS = ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong")
FLOATING = ("float", "double")
NUMBERS = INTEGERS + FLOATING
BYTES = {"char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "long": 8, "ulong": 8, "float": 4, "double": 8}
SPACES = ("global", "local", "private")


class Row(NamedTuple):
    """One signature of some names."""

    section: str
    names: Tuple[str, ...]
    result: str
    arguments: Tuple[str, ...]
    types: Tuple[str, ...]
    widths: Tuple[int, ...]


class Form(NamedTuple):
    """One function that the specification has: name, types with their widths, and where a pointer points."""

    section: str
    name: str
    result: str
    arguments: Tuple[str, ...]
    space: str  # of the pointer argument, if there is one
    type: str  # gentype's scalar
    width: int
    letters: Tuple[str, ...]  # of the arguments, as the row has them

    def title(self) -> str:
        """As a message names it: fract(float4, local float4 *)."""
        words = [f"{self.space} {word[1:]} *" if word[0] == "*" else word for word in self.arguments]
        return f"{self.name}({', '.join(words)})"


def rows(section: str, types: Sequence[str], widths: Sequence[int], text: str) -> List[Row]:
    """Rows from lines of "result arguments: names"."""
    found = []
    for line in text.strip().splitlines():
        head, names = line.split(":")
        result, *arguments = head.split()
        found.append(Row(section, tuple(names.split()), result, tuple(arguments), tuple(types), tuple(widths)))
    return found


MATH = rows("6.12.2", FLOATING, WIDTHS, """
g g: acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh cospi erf erfc exp exp2 exp10 expm1 fabs floor
g g: lgamma log log2 log10 log1p logb rint round rsqrt sin sinh sinpi sqrt tan tanh tanpi tgamma trunc
g g g: atan2 atan2pi copysign fdim fmax fmin fmod hypot maxmag minmag nextafter pow powr remainder
g g g g: fma mad
g g i: ldexp pown rootn
i g: ilogb
g u: nan
g g *g: fract modf sincos
g g *i: frexp lgamma_r
g g g *i: remquo
""") + rows("6.12.2", FLOATING, VECTORS, """
g g s: fmax fmin
g g j: ldexp
""") + rows("6.12.2", ("float",), WIDTHS, """
g g: half_cos half_exp half_exp2 half_exp10 half_log half_log2 half_log10 half_recip half_rsqrt half_sin half_sqrt half_tan
g g: native_cos native_exp native_exp2 native_exp10 native_log native_log2 native_log10 native_recip native_rsqrt
g g: native_sin native_sqrt native_tan
g g g: half_divide half_powr native_divide native_powr
""")

INTEGER = rows("6.12.3", INTEGERS, WIDTHS, """
u g: abs
u g g: abs_diff
g g: clz popcount
g g g: add_sat hadd rhadd max min mul_hi rotate sub_sat
g g g g: clamp mad_hi mad_sat
""") + rows("6.12.3", INTEGERS, VECTORS, """
g g s: max min
g g s s: clamp
""") + rows("6.12.3", ("char", "uchar", "short", "ushort", "int", "uint"), WIDTHS, """
w g u: upsample
""") + rows("6.12.3", ("int", "uint"), WIDTHS, """
g g g g: mad24
g g g: mul24
""")

COMMON = rows("6.12.4", FLOATING, WIDTHS, """
g g g g: clamp mix smoothstep
g g g: max min step
g g: degrees radians sign
""") + rows("6.12.4", FLOATING, VECTORS, """
g g s s: clamp
g g s: max min
g g g s: mix
g s g: step
g s s g: smoothstep
""")

GEOMETRIC = rows("6.12.5", FLOATING, (3, 4), """
g g g: cross
""") + rows("6.12.5", FLOATING, (1, 2, 3, 4), """
s g g: dot distance
s g: length
g g: normalize
""") + rows("6.12.5", ("float",), (1, 2, 3, 4), """
s g g: fast_distance
s g: fast_length
g g: fast_normalize
""")

RELATIONAL = rows("6.12.6", FLOATING, WIDTHS, """
r g g: isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater isordered isunordered
r g: isfinite isinf isnan isnormal signbit
""") + rows("6.12.6", SIGNED, WIDTHS, """
j g: any all
""") + rows("6.12.6", NUMBERS, WIDTHS, """
g g g g: bitselect
g g g S: select
g g g u: select
""")


def components(scalar: str, width: int) -> str:
    """The name of a vector type, or of the scalar type."""
    return scalar if width == 1 else f"{scalar}{width}"


def split(name: str) -> Tuple[str, int]:
    """The scalar type and the width of a type's name: int16 is 16 ints."""
    for width in (16, 8, 4, 3, 2):
        if name.endswith(str(width)) and name[:-len(str(width))] in BYTES:
            return name[:-len(str(width))], width
    return name, 1


def signed_of(scalar: str) -> str:
    return SIGNED[{1: 0, 2: 1, 4: 2, 8: 3}[BYTES[scalar]]]


def unsigned_of(scalar: str) -> str:
    return "u" + signed_of(scalar)


def wide_of(scalar: str) -> str:
    order = UNSIGNED if scalar in UNSIGNED else SIGNED
    return order[order.index(scalar) + 1]


def spelled(letter: str, scalar: str, width: int) -> str:
    """The type that a letter of a row means for one gentype."""
    if letter[0] == "*":
        return "*" + spelled(letter[1:], scalar, width)
    if letter == "r":
        return "int" if width == 1 else components(signed_of(scalar), width)
    if letter in "sj":
        return "int" if letter == "j" else scalar
    element = {"g": scalar, "i": "int", "u": None, "S": None, "w": None}[letter]
    if element is None:
        element = {"u": unsigned_of, "S": signed_of, "w": wide_of}[letter](scalar)
    return components(element, width)


def forms(table: Sequence[Row]) -> Iterator[Form]:
    """Every function of the rows."""
    for row in table:
        for name in row.names:
            for scalar in row.types:
                for width in row.widths:
                    arguments = tuple(spelled(letter, scalar, width) for letter in row.arguments)
                    pointer = any(letter[0] == "*" for letter in row.arguments)
                    for space in SPACES if pointer else ("",):
                        yield Form(row.section, name, spelled(row.result, scalar, width), arguments, space, scalar, width,
                                   row.arguments)


# Section 7.4: the largest error in units in the last place. 0.5 is correctly rounded, 0 exact; -: the specification has none.
# It has none for degrees and radians, either, which get two roundings here.
_LIMITS = """
acos 4 4|acosh 4 4|acospi 5 5|asin 4 4|asinh 4 4|asinpi 5 5|atan 5 5|atan2 6 6|atanh 5 5|atanpi 5 5|atan2pi 6 6|cbrt 2 2
ceil 0.5 0.5|copysign 0 0|cos 4 4|cosh 4 4|cospi 4 4|erf 16 16|erfc 16 16|exp 3 3|exp2 3 3|exp10 3 3|expm1 3 3|fabs 0 0
fdim 0.5 0.5|floor 0.5 0.5|fma 0.5 0.5|fmax 0 0|fmin 0 0|fmod 0 0|fract 0.5 0.5|fract.whole 0 0|frexp 0 0|frexp.exponent 0 0
hypot 4 4|ilogb 0 0|ldexp 0.5 0.5|lgamma - -|lgamma_r - -|lgamma_r.sign 0 0|log 3 3|log2 3 3|log10 3 3|log1p 2 2|logb 0 0
mad - -|maxmag 0 0|minmag 0 0|modf 0 0|modf.whole 0 0|nan 0 0|nextafter 0 0|pow 16 16|pown 16 16|powr 16 16|remainder 0 0
remquo 0 0|remquo.quotient 0 0|rint 0.5 0.5|rootn 16 16|round 0.5 0.5|rsqrt 2 2|sin 4 4|sincos 4 4|sincos.cosine 4 4
sinh 4 4|sinpi 4 4|sqrt 3 0.5|tan 5 5|tanh 5 5|tanpi 6 6|tgamma 16 16|trunc 0.5 0.5
degrees 2 2|radians 2 2|x + y 0.5 0.5|x - y 0.5 0.5|x * y 0.5 0.5|x / y 2.5 0.5|1 / x 2.5 0.5
"""
LIMITS = {}
for _entry in _LIMITS.replace("\n", "|").split("|"):
    if _entry:
        _name, _single, _double = _entry.rsplit(" ", 2)
        LIMITS[_name] = {_type: None if _text == "-" else float(_text)
                         for _type, _text in (("float", _single), ("double", _double))}


def limit(name: str, scalar: str):
    """Of a result of a math function; half_ functions have 10 bits, native_ ones what the device likes."""
    if name.startswith("half_"):
        return 8192.0
    if name.startswith("native_"):
        return None
    return LIMITS[name][scalar]
