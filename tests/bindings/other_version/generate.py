#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the source of a library of the next major version, from rt.json: rtGetVersion says so, and every other function says
that it was called, and fails.

    generate.py --json rt.json --output other.c

Programs that were linked with libmanyrt load it by its name, because it has all functions. See check.py.
"""

import argparse
import json
import pathlib

VERSION = """
int32_t rtGetVersion(uint32_t *version) {{
  *version = {number};
  return 0;
}}
int32_t rtGetLastErrorMessage(char *buffer, size_t size, size_t *needed) {{
  if (size != 0) buffer[0] = '\\0';
  if (needed != NULL) *needed = 1;
  return 0;
}}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=pathlib.Path, required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    args = parser.parse_args()
    description = json.loads(args.json.read_text(encoding="utf-8"))
    major = int(description["version"].split(".")[0])
    internal = next(value["value"] for enum in description["enums"] for value in enum["values"]
                    if value["name"] == "RT_ERROR_INTERNAL")
    lines = ["/* Made by tests/bindings/other_version/generate.py. */", "#include <stddef.h>", "#include <stdint.h>",
             "#include <stdio.h>", VERSION.format(number=(major + 1) * 10000 + 203)]
    for function in description["functions"]:
        name = function["name"]
        if name in ("rtGetVersion", "rtGetLastErrorMessage"):
            continue
        if function["return"] == "rtStatus_t":
            lines.append(f'int32_t {name}(void) {{ fputs("{name} was called\\n", stderr); return {internal}; }}')
        else:  # the name and the meaning of a status
            lines.append(f'const char *{name}(void) {{ return "a status"; }}')
    args.output.write_text("\n".join([*lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
