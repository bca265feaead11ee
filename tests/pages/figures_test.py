#!/usr/bin/env python3
"""The figures of README are those of the pages that they link to, which scripts make from what was measured."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def row(page, first, column=0):
    """The cells of the first row of a page whose cell `column` begins with `first`."""
    for line in (ROOT / page).read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and len(cells) > column and cells[column].startswith(first):
            return cells
    raise AssertionError(f"{page} has no row '{first}'")


def nanoseconds(text):
    number, unit = re.search(r"([\d.]+) (ns|µs|ms)", text).groups()
    return float(number) * {"ns": 1, "µs": 1e3, "ms": 1e6}[unit]


class FiguresTest(unittest.TestCase):
    def near(self, shown, measured):
        """`shown` is `measured`, rounded as README rounds it."""
        self.assertAlmostEqual(shown / measured, 1, delta=0.02)

    def test_the_mean_of_the_sixty(self):
        shown = row("README.md", "80 kernels from source on a CPU with AVX-512")
        self.near(float(shown[1]), float(row("docs/lab/sixty.md", "geometric mean of ours / better peer")[2].strip("*")))

    def test_launches_and_memory_on_a_gpu(self):
        for first, measured in (("a launch with 8 arguments, H100", "launch with 8 arguments"),
                                ("memory from a pool and back in a stream, H100", "allocate and free in a stream's order")):
            shown, figures = row("README.md", first), row("docs/lab/benchmarks-cuda.md", measured, 1)
            self.near(nanoseconds(shown[1]), nanoseconds(figures[2]))
            self.near(nanoseconds(shown[2]), nanoseconds(figures[3]))
        self.assertIn("H100", (ROOT / "docs/lab/benchmarks-cuda.md").read_text(encoding="utf-8").split("\n| goal")[0])


if __name__ == "__main__":
    unittest.main()
