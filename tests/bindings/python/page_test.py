#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The programs of docs/bindings/python.md: each runs, and prints what stands after it on the page."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs" / "bindings" / "python.md"
BLOCK = re.compile(r"^```(\w+) (\S+)\n(.*?)^```$", re.M | re.S)


class PageTest(unittest.TestCase):
    def test_the_programs_print_what_the_page_says(self):
        blocks = {name: text for _, name, text in BLOCK.findall(PAGE.read_text(encoding="utf-8"))}
        programs = [name for name in blocks if name.endswith(".py")]
        self.assertEqual(programs, ["program.py", "capture.py", "expression.py", "waiting.py", "sharing.py", "address.py",
                                    "ranks.py", "progress.py"])
        for name in programs:
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                if "import numpy" in blocks[name] and not self.has_numpy():
                    self.skipTest("numpy is not installed")
                file = pathlib.Path(folder, name)
                file.write_text(blocks[name], encoding="utf-8")
                done = subprocess.run([sys.executable, str(file)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                      check=False, timeout=60)
                wanted = blocks["output" if name == "program.py" else file.with_suffix(".out").name]
                self.assertEqual((done.returncode, done.stdout), (0, wanted))

    @staticmethod
    def has_numpy():
        try:
            import numpy  # noqa: F401  # pylint: disable=unused-import
        except ImportError:
            return False
        return True


if __name__ == "__main__":
    unittest.main()
