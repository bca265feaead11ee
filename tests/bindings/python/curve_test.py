#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The learning curve of the example digits_curve.py: a picture with matplotlib, and a table of text without it."""

import contextlib
import importlib.util
import io
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "bindings" / "python" / "examples"
sys.path.insert(0, str(EXAMPLES))
import digits_curve  # noqa: E402  # pylint: disable=wrong-import-position

CURVE = [(2.25, 0.25), (1.5, 0.5), (0.75, 0.875)]


class CurveTest(unittest.TestCase):
    def drawn(self, output):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            digits_curve.draw(CURVE, output)
        return printed.getvalue()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.output = pathlib.Path(folder.name, "curve.png")
        os.environ["MPLCONFIGDIR"] = folder.name  # matplotlib writes a cache

    def test_without_matplotlib_it_is_a_table(self):
        with mock.patch.dict(sys.modules, {"matplotlib": None}):
            lines = self.drawn(self.output).splitlines()
        self.assertEqual(lines[0].split(), ["1", "2.2500", "25.00%", "#" * 12])
        self.assertEqual(len(lines), 3)
        self.assertFalse(self.output.exists())

    @unittest.skipIf(importlib.util.find_spec("matplotlib") is None, "matplotlib (python3-matplotlib) is not installed")
    def test_with_matplotlib_it_is_a_picture(self):
        self.assertIn(str(self.output), self.drawn(self.output))
        picture = self.output.read_bytes()
        self.assertEqual(picture[:8], b"\x89PNG\r\n\x1a\n")
        self.assertGreater(int.from_bytes(picture[16:20], "big"), 300)  # its width in pixels


if __name__ == "__main__":
    unittest.main()
