#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pages docs/bindings/*.md: alike in their titles, and their first command names files of packages that the reader has.

scripts/test-packages.sh follows the pages on a bare Debian, which takes minutes; this looks at their form in every test run.
"""

import pathlib
import re
import unittest

PAGES = sorted((pathlib.Path(__file__).resolve().parents[2] / "docs" / "bindings").glob("*.md"))
SECTIONS = ["Install", "A program", "Objects", "Errors", "Host functions", "Versions and limits"]


class PagesTest(unittest.TestCase):
    def each(self):
        self.assertEqual([page.stem for page in PAGES], ["cpp", "fortran", "go", "lua", "python", "rust"])
        for page in PAGES:
            with self.subTest(page.stem):
                yield page.read_text(encoding="utf-8")

    def test_titles_are_alike(self):
        for text in self.each():
            outside = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
            self.assertRegex(outside.splitlines()[0], r"^# manyrt from \S+$")
            found = re.findall(r"^## (.*)$", outside, flags=re.M)
            self.assertEqual([title for title in found if title in SECTIONS], SECTIONS)

    def test_packages_of_manyrt_are_files(self):
        for text in self.each():
            block = re.search(r"^```sh install\n(.*?)^```$", text, flags=re.M | re.S)[1]
            self.assertIn("./libmanyrt0_*.deb", block)
            named = [word for word in block.split() if "manyrt" in word]
            self.assertEqual([word for word in named if not re.fullmatch(r"\./[\w-]+_\*\.deb", word)], [])
            before = text[:text.index("```sh install")]
            self.assertIn("../packaging.md#debians-packages", before)

    def test_the_program_has_commands_and_what_they_print(self):
        for text in self.each():
            for block in ("```sh run\n", "```text output\n"):
                self.assertEqual(text.count(block), 1)


if __name__ == "__main__":
    unittest.main()
