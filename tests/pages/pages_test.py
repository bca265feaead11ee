#!/usr/bin/env python3
"""Runs the commands of a documentation page and compares what comes out. Usage: pages_test.py PAGE LIBRARY_FOLDER BIN_FOLDER

A block ```c NAME is a file of that name. A block ```console has commands after "$ ", each with the lines that it prints on
stdout and stderr. Numbers, times, addresses and folders may differ; "..." stands for any text in a line, or as a line of its
own for any lines. A command whose tool is missing or may not be used here is left out, and what follows from it too. Exit
status 77: no compiler.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PAGE, LIBRARIES, PROGRAMS = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
INCLUDE = pathlib.Path(__file__).resolve().parents[2] / "include"

# Where a line differs from run to run, ahead of the comparison.
SHAPES = (
    (r"/[^\s:,]*/", ""),  # folders
    (r"\b0x[0-9a-f]+", "ADDRESS"),
    (r"\b\d+(\.\d+)? (ns|us|ms|s)\b", "TIME"),
    (r"(\bT|\b|_)\d+(\.\d+)?", "NUMBER"),
    (r"[ \t]+", " "),
)


def shape(line):
    for pattern, word in SHAPES:
        line = re.sub(pattern, word, line)
    return line.strip()


def blocks(text):
    """(info string, text) of each fenced block."""
    return re.findall(r"^```(.+)\n((?:.*\n)*?)^```$", text, re.MULTILINE)


def commands(text):
    """[(command, expected lines)]"""
    found = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


def expression(lines):
    """What the output has to match as a whole."""
    parts = []
    for line in lines:
        if line == "...":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*".join(re.escape(shape(part)).replace(r"\ ", " ?") for part in line.split("...")) + r" ?\n")
    return re.compile("".join(parts))


def works(command):
    return subprocess.run(command, shell=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
                          check=False).returncode == 0


def missing_tools():
    # lldb hangs where a pipe ends before it does.
    probes = {"gdb": "gdb -batch -nx -ex run --args /bin/true | grep -q 'exited normally'",
              "lldb": "lldb --batch --no-lldbinit -o run -- /bin/true | grep 'exited with status = 0'",
              "perf": "perf record -q -e cpu-clock -o /dev/null /bin/true",
              "-fsanitize=address": "echo 'int main(void) { return 0; }' | gcc -fsanitize=address -x c - -o /dev/null"}
    return {tool for tool, probe in probes.items() if not works(probe)}


class PageTest(unittest.TestCase):
    def test_every_command_prints_what_the_page_says(self):
        if not shutil.which("gcc"):
            sys.exit(77)
        page = blocks(PAGE.read_text(encoding="utf-8"))
        self.assertTrue([info for info, _ in page if info == "console"], "the page has no commands")
        missing = missing_tools()
        left_out, ran = [], 0
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "bin").mkdir()
            (folder / "cache").mkdir(mode=0o700)
            config = folder / "bin" / "pkg-config"
            config.write_text(f"#!/bin/sh\necho -I{INCLUDE} -L{LIBRARIES} -Wl,-rpath,{LIBRARIES} -lmanyrt\n")
            config.chmod(0o755)
            environment = {**os.environ, "PATH": f"{folder}/bin:{PROGRAMS}:{os.environ['PATH']}", "RT_DISABLE": "cuda,opencl",
                           "RT_CACHE_DIR": str(folder / "cache"), "LC_ALL": "C"}
            for info, text in page:
                if info.startswith("c "):
                    (folder / info[2:]).write_text(text, encoding="utf-8")
                if info != "console":
                    continue
                for command, lines in commands(text):
                    words = command.split()
                    if missing & set(words) or ("broken_asan" in command and "-fsanitize=address" in missing):
                        left_out.append(command)
                        continue
                    with self.subTest(command):
                        result = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300,
                                                errors="replace", check=False)
                        # The shell's own word about a signal is none of the program's.
                        output = [shape(line) for line in result.stdout.splitlines()
                                  if not re.match(r"(sh: .*)?(Segmentation fault|Aborted)", line)]
                        text_of_output = "".join(line + "\n" for line in output)
                        self.assertIsNotNone(expression(lines).fullmatch(text_of_output), f"\n{result.stdout}")
                        ran += 1
        print(f"{PAGE.name}: {ran} commands ran, {len(left_out)} left out" + "".join(f"\n  {each}" for each in left_out))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
