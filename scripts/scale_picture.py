"""The picture of docs/lab/scale.md: all-reduces, with logarithmic axes, and an epoch over hosts. Points are simulated, lines
are the model. Used by scripts/scale_table.py."""
import math

WIDTH, HEIGHT, TOP, BOTTOM = 1100, 440, 64, 372
CHARTS = ((84, 420), (620, 930))  # left and right of the axes; words stand beside them
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b"]


def text(x, y, words, anchor="start", extra=""):
    return f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}' {extra}>{words}</text>"


def duration(exponent):
    for unit, name in ((0, "s"), (-3, "ms"), (-6, "us")):
        if exponent >= unit:
            return f"{10 ** (exponent - unit)} {name}"
    return f"1e{exponent} s"


class Chart:
    """Axes with a grid line for each decade, or from 0 in milliseconds; hosts are powers of two."""

    def __init__(self, sides, title, series, linear=False):
        self.left, self.right = sides
        points = [point for each in series for point in each]
        self.hosts = sorted({hosts for hosts, _ in points})
        values = [value for _, value in points]
        self.linear, self.names = linear, []
        if linear:
            step = next(each for each in (0.1, 0.2, 0.5, 1, 2, 5, 10, 100, 1000) if max(values) * 1e3 / each < 8)
            self.low, self.high = 0.0, math.ceil(max(values) * 1e3 / step) * step / 1e3
            grid = [(index * step / 1e3, f"{index * step:g} ms") for index in range(round(self.high * 1e3 / step) + 1)]
        else:
            self.low, self.high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
            grid = [(10.0**exponent, duration(exponent)) for exponent in range(self.low, self.high + 1)]
        self.parts = [text(self.left, 34, title, extra="font-size='15' font-weight='bold'"),
                      text((self.left + self.right) / 2, BOTTOM + 44, "hosts", "middle")]
        for value, words in grid:
            y = self.y_of(value)
            self.parts += [f"<path d='M{self.left} {y:.1f}H{self.right}' stroke='#e0e0e0'/>",
                           text(self.left - 8, y + 4.5, words, "end")]
        for hosts in self.hosts:
            x = self.x_of(hosts)
            self.parts += [f"<path d='M{x:.1f} {BOTTOM}v5' stroke='#333'/>",
                           text(x, BOTTOM + 20, hosts, "middle", "font-size='11'")]
        self.parts.append(f"<path d='M{self.left} {TOP}V{BOTTOM}H{self.right}' fill='none' stroke='#333'/>")

    def x_of(self, hosts):
        first, last = math.log2(self.hosts[0]), math.log2(self.hosts[-1])
        return self.left + 16 + (self.right - self.left - 32) * (math.log2(hosts) - first) / max(1.0, last - first)

    def y_of(self, value):
        height = value if self.linear else math.log10(value)
        return BOTTOM - (BOTTOM - TOP) * (height - self.low) / (self.high - self.low)

    def line(self, points, colour, dashed=False):
        path = "L".join(f"{self.x_of(hosts):.1f} {self.y_of(value):.1f}" for hosts, value in points)
        dash = " stroke-dasharray='5 4'" if dashed else ""
        self.parts.append(f"<path d='M{path}' fill='none' stroke='{colour}' stroke-width='1.8'{dash}/>")

    def dots(self, points, colour):
        self.parts += [f"<circle cx='{self.x_of(hosts):.1f}' cy='{self.y_of(value):.1f}' r='3.6' fill='{colour}'/>"
                       for hosts, value in points]

    def name(self, words, points, colour):
        self.names.append((self.y_of(points[-1][1]) + 4.5, words, colour))

    def all(self):
        """The parts, with each name beside its last point and below the one above."""
        least = 0.0
        for y, words, colour in sorted(self.names):
            y = max(y, least)
            least = y + 17
            self.parts.append(text(self.right + 10, y, words, extra=f"font-size='12' fill='{colour}'"))
        return self.parts


def draw(reduce, epoch, modelled):
    left = Chart(CHARTS[0], "all-reduce: points simulated, lines the model",
                 [each[which] for each in reduce.values() for which in ("simulated", "model")])
    for (words, each), colour in zip(reduce.items(), COLOURS):
        left.line(each["model"], colour)
        left.dots(each["simulated"], colour)
        left.name(words, each["simulated"], colour)
    right = Chart(CHARTS[1], "an epoch of digits", [*epoch.values(), modelled], linear=True)
    names = {"epoch": "epoch", "computing": "computing (measured)", "sending": "sending (simulated)"}
    for (which, points), colour in zip(epoch.items(), COLOURS):
        right.line(modelled if which == "sending" else points, colour, dashed=which == "computing")
        right.dots(points, colour)
        right.name(names[which], points, colour)
    head = (f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {HEIGHT}' width='{WIDTH}' height='{HEIGHT}' "
            "font-family='DejaVu Sans, Helvetica, Arial, sans-serif' font-size='13' fill='#333'>")
    return "\n".join([head, "<rect width='100%' height='100%' fill='white'/>", *left.all(), *right.all(), "</svg>", ""])
