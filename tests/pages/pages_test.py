#!/usr/bin/env python3
"""Runs the commands of a documentation page and compares what comes out.
Usage: pages_test.py PAGE LIBRARY_FOLDER BIN_FOLDER [--write]

A block ```LANGUAGE NAME is a file of that name; several blocks of one name are parts of one file, in their order. Headers of
the page ten-minutes.md beside the page are there, too. A block ```console has commands after "$ ", each with the lines that it
prints on stdout and stderr. Times, addresses and folders may differ, in a block ```console numbers-vary all numbers; "..."
stands for any text in a line, or as a line of its own for any lines. A command whose tool is missing or may not be used here
is left out, and what follows from it too. Exit status 77: no compiler. --write puts what came out into the page, for blocks
without "...".
"""
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

PAGE, LIBRARIES, PROGRAMS = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
WRITE = "--write" in sys.argv
ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(.+)\n((?:.*\n)*?)^```$", re.MULTILINE)
MAX_LINES = {ROOT / "docs" / "guide": 250, ROOT: 200}  # by folder: guides, README

# Where a line differs from run to run, ahead of the comparison.
SHAPES = (
    (r"/[^\s:,]*/", ""),  # folders
    (r"\b0x[0-9a-f]+", "ADDRESS"),
    (r"\b\d+(\.\d+)? (ns|us|ms|s)\b", "TIME"),
)
NUMBERS = (r"(\bT|\b|_)\d+(\.\d+)?", "NUMBER")
SPACES = (r"[ \t]+", " ")


def shape(line, numbers_vary):
    for pattern, word in (*SHAPES, *((NUMBERS,) if numbers_vary else ()), SPACES):
        line = re.sub(pattern, word, line)
    return line.strip()


def commands(text):
    """[(command, expected lines)]; a line that ends with a backslash goes on in the next one."""
    found, open_line = [], False
    for line in text.splitlines():
        if open_line:
            found[-1][0] += "\n" + line
        elif line.startswith("$ "):
            found.append([line[2:], []])
        else:
            found[-1][1].append(line)
        open_line = (open_line or line.startswith("$ ")) and line.endswith("\\")
    return found


def expression(lines, numbers_vary):
    """What the output has to match as a whole."""
    parts = []
    for line in lines:
        if line == "...":
            parts.append(r"(?:.*\n)*?")
        else:
            words = (re.escape(shape(part, numbers_vary)).replace(r"\ ", " ?") for part in line.split("..."))
            parts.append(" ?.* ?".join(words) + r" ?\n")
    return re.compile("".join(parts))


def works(command):
    return subprocess.run(command, shell=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
                          check=False).returncode == 0


def missing_tools(text):
    # lldb hangs where a pipe ends before it does.
    probes = {"gdb": "gdb -batch -nx -ex run --args /bin/true | grep -q 'exited normally'",
              "lldb": "lldb --batch --no-lldbinit -o run -- /bin/true | grep 'exited with status = 0'",
              "perf": "perf record -q -e cpu-clock -o /dev/null /bin/true",
              "python3": "python3 -c 'import _cffi_backend'",
              "g++": "g++ --version",
              "-fsanitize=address": "echo 'int main(void) { return 0; }' | gcc -fsanitize=address -x c - -o /dev/null"}
    return {tool for tool, probe in probes.items() if tool in text and not works(probe)}


def write_files(page, folder):
    """The files of a page, and the headers of the first guide."""
    first = PAGE.with_name("ten-minutes.md")
    headers = [(info, text) for info, text in (BLOCK.findall(first.read_text(encoding="utf-8")) if first.exists() else ())
               if info.endswith(".h")]
    for blocks in (headers, page):
        files = {}
        for info, text in blocks:
            name = info.partition(" ")[2]
            if "." in name:
                files[name] = files.get(name, "") + text
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")


def prepare(folder):
    """A pkg-config for the build tree, and the variables of the commands."""
    (folder / "bin").mkdir()
    (folder / "cache").mkdir(mode=0o700)
    config = folder / "bin" / "pkg-config"
    config.write_text(f"#!/bin/sh\necho -I{ROOT}/include -I{ROOT}/bindings/cpp -L{LIBRARIES} -Wl,-rpath,{LIBRARIES}"
                      " -lmanyrt$(case \"$*\" in *manyrt-comm*) echo \\ -lmanyrt-comm;; esac)\n")
    config.chmod(0o755)
    with socket.socket() as free:  # for ranks that meet
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    return {**os.environ, "PATH": f"{folder}/bin:{PROGRAMS}:{os.environ['PATH']}", "RT_DISABLE": "cuda,opencl",
            "RT_CACHE_DIR": str(folder / "cache"), "RT_COMM_PORT": port, "LC_ALL": "C",
            "PYTHONPATH": f"{ROOT}/bindings/python/src", "PYTHONDONTWRITEBYTECODE": "1",
            "MANYRT_LIBRARY": str(LIBRARIES / "libmanyrt.so.0")}


class PageTest(unittest.TestCase):
    def test_the_page_is_short(self):
        if PAGE.parent in MAX_LINES:
            self.assertLessEqual(len(PAGE.read_text(encoding="utf-8").splitlines()), MAX_LINES[PAGE.parent])

    def test_every_command_prints_what_the_page_says(self):
        if not shutil.which("gcc"):
            sys.exit(77)
        text_of_page = PAGE.read_text(encoding="utf-8")
        page = BLOCK.findall(text_of_page)
        self.assertTrue([info for info, _ in page if info.startswith("console")], "the page has no commands")
        missing = missing_tools(text_of_page)
        left_out, ran = [], 0
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            environment = prepare(folder)
            write_files(page, folder)
            for info, text in page:
                if not info.startswith("console"):
                    continue
                numbers_vary, shown = info == "console numbers-vary", []
                for command, lines in commands(text):
                    words = command.split()
                    if missing & set(words) or ("broken_asan" in command and "-fsanitize=address" in missing):
                        left_out.append(command)
                        continue
                    with self.subTest(command):
                        expected = expression(lines, numbers_vary)
                        # On a busy machine lldb may see the crash before the launch is over. Then its batch mode leaves the
                        # commands for a crash out.
                        for _ in range(3 if "lldb" in words else 1):
                            result = subprocess.run(["sh", "-c", command], cwd=folder, env=environment,
                                                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                                    text=True, timeout=300, errors="replace", check=False)
                            # The shell's own word about a signal is none of the program's.
                            output = [line for line in result.stdout.splitlines()
                                      if not re.match(r"(sh: .*)?(Segmentation fault|Aborted)", line)]
                            text_of_output = "".join(shape(line, numbers_vary) + "\n" for line in output)
                            if expected.fullmatch(text_of_output):
                                break
                        shown += ["$ " + command, *output]
                        ran += 1
                        if not WRITE:
                            self.assertIsNotNone(expected.fullmatch(text_of_output), f"\n{result.stdout}")
                if WRITE and "..." not in text:
                    text_of_page = text_of_page.replace(f"```{info}\n{text}```", "\n".join([f"```{info}", *shown, "```"]))
        if WRITE:
            PAGE.write_text(text_of_page, encoding="utf-8")
        print(f"{PAGE.name}: {ran} commands ran, {len(left_out)} left out" + "".join(f"\n  {each}" for each in left_out))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
