#!/usr/bin/env python3
"""Puts the C++ blocks of a page together, each with the lines that it has there: extract_code.py PAGE OUTPUT."""
import pathlib
import re
import sys

page, output = map(pathlib.Path, sys.argv[1:])
text = page.read_text(encoding="utf-8")
parts = []
for block in re.finditer(r"^```cpp\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
    line = text.count("\n", 0, block.start(1)) + 1
    parts.append(f'#line {line} "{page.name}"\n{block.group(1)}')
if not parts:
    sys.exit(f"{page} has no block of C++.")
output.write_text("\n".join(parts), encoding="utf-8")
