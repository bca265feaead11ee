#!/usr/bin/env python3
"""The line of the manyrt command: mistyped words, help, completion, narrow terminals.

Usage: words_test.py MANYRT SOURCE_ROOT FOLDER
"""
import fcntl
import os
import pathlib
import pty
import re
import shutil
import struct
import subprocess
import sys
import termios
import unittest

MANYRT, ROOT, FOLDER = (pathlib.Path(each).resolve() for each in sys.argv[1:4])
COMMANDS = ("info", "doctor", "bench", "graph", "run", "memory", "trace", "cc", "cache", "completion")
QUIET = {"RT_DISABLE": "cuda,opencl"}


def environment(**more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RT_") and name not in ("COLUMNS",
                                                                                                             "NO_COLOR")}
    return {**kept, "RT_CACHE_DIR": str(FOLDER / "cache"), **QUIET, **more}


def manyrt(*arguments, **more):
    return subprocess.run([MANYRT, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False, cwd=FOLDER,
                          env=environment(**more))


def on_terminal(*arguments, columns=80, **more):
    """What a terminal of that width shows of both streams, and the exit status."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen([MANYRT, *map(str, arguments)], cwd=FOLDER, stdin=slave, stdout=slave, stderr=slave,
                          env=environment(TERM="xterm", **more)) as process:
        os.close(slave)
        text = b""
        try:
            while chunk := os.read(master, 4096):
                text += chunk
        except OSError:  # the other end is closed
            pass
    os.close(master)
    return process.returncode, text.decode().replace("\r\n", "\n")


def plain(text):
    return re.sub("\033\\[[0-9;]*[mK]", "", text)


class WordsTest(unittest.TestCase):
    def test_without_a_command_it_prints_its_help(self):
        result = manyrt()
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(result.stdout, manyrt("--help").stdout)
        for command in COMMANDS:
            self.assertRegex(result.stdout, rf"(?m)^  {command} {{3,}}\S")
            self.assertEqual(manyrt(command, "--help").returncode, 0)

    def test_mistyped_words_are_answered_with_the_nearest_one(self):
        for arguments, sentence in (
                (("docter",), "There is no command \"docter\": did you mean \"doctor\"?"),
                (("bnech",), "There is no command \"bnech\": did you mean \"bench\"?"),
                (("cache", "lst"), "There is no command \"cache lst\": did you mean \"list\"?"),
                (("cache", "toaster"), "There is no command \"cache toaster\": manyrt cache --help has them all."),
                (("info", "--jsno"), "\"--jsno\" is no option of manyrt info: did you mean \"--json\"?"),
                (("graph", "--sgv"), "\"--sgv\" is no option of manyrt graph: did you mean \"--svg\"?"),
                (("run", "--exepct", "x=y"), "\"--exepct\" is no option of manyrt run: did you mean \"--expect\"?"),
                (("cc", "--tagret=cpu", "x.cl"), "\"--tagret\" is no option of manyrt cc: did you mean \"--target\"?"),
                (("info", "--colour"), "\"--colour\" is no option of manyrt info: manyrt info --help has them all.")):
            result = manyrt(*arguments)
            self.assertEqual((result.stdout, result.stderr), ("", f"manyrt: {sentence}\n"), arguments)
            self.assertNotEqual(result.returncode, 0)

    def test_values_are_no_mistyped_words(self):
        for arguments in (("run", "absent.json", "--device", "cpu"), ("graph", "--device=cpu", "absent.json"),
                          ("cc", "absent.cl", "-Iinclude", "-D", "NAME", "-cl-mad-enable")):
            self.assertIn("absent", manyrt(*arguments).stderr)

    def test_options_that_are_out_of_range_are_refused(self):
        for arguments in (("run", "x.json", "--repeat", "0"), ("run", "x.json", "--repeat", "many"), ("run", "x.json",
                                                                                                      "--seed", "1"),
                          ("run", "x.json", "--tolerance", "1"), ("bench", "--bytes", "1"), ("bench", "--seconds", "0"),
                          ("bench", "--svg", "--json"), ("completion",)):
            result = manyrt(*arguments)
            self.assertGreaterEqual(result.returncode, 100, arguments)
            self.assertTrue(result.stderr)

    def test_forty_columns_are_enough(self):
        graph = FOLDER / "graph.json"
        graph.write_text('{"format": "manyrt-graph", "version": 1, "nodes": [{"kind": "empty"}]}')
        for arguments in ((), ("--help",), ("cc", "--help"), ("run", "--help"), ("bench", "--help"), ("docter",), ("info",),
                          ("doctor",), ("bench", "--device", "cpu", "--bytes", "65536", "--seconds", "0.001"), ("cache",
                                                                                                                "list"),
                          ("graph", graph), ("cc", "--list"), ("run", "absent.json")):
            _, text = on_terminal(*arguments, columns=40)
            self.assertTrue(text)
            lines = [line for piece in plain(text).split("\n") for line in piece.split("\r")]
            for line in lines:
                # A word that is longer than a line, such as a path, stays whole.
                self.assertTrue(len(line) <= 40 or len(line.split()) <= 2, (arguments, line))

    def test_a_pipe_has_whole_lines_and_no_colours(self):
        for arguments in (("info",), ("doctor",), ("cc", "--help")):
            result = manyrt(*arguments, COLUMNS="40", TERM="xterm")
            self.assertNotIn("\033", result.stdout + result.stderr)
            self.assertTrue(any(len(line) > 60 for line in result.stdout.split("\n")), arguments)

    def test_colours_are_on_terminals_that_want_them(self):
        for more, coloured in (({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)):
            merged = {"TERM": "xterm", **more}
            master, slave = pty.openpty()
            with subprocess.Popen([MANYRT, "doctor"], stdout=slave, stderr=subprocess.DEVNULL,
                                  env=environment(**merged)) as process:
                os.close(slave)
                text = b""
                try:
                    while chunk := os.read(master, 4096):
                        text += chunk
                except OSError:
                    pass
            os.close(master)
            self.assertEqual(process.returncode, 0)
            self.assertEqual(b"\033[1;32mok" in text, coloured, more)

    def test_every_command_fails_where_its_output_cannot_be_written(self):
        for arguments in ((), ("--help",), ("doctor",), ("cache",), ("cache", "list", "--json"), ("completion", "bash"),
                          ("completion", "--candidates", "--", ""), ("cc", "--list"),
                          ("bench", "--device", "cpu", "--bytes", "65536", "--seconds", "0.001")):
            with open("/dev/full", "w", encoding="utf-8") as full:
                result = subprocess.run([MANYRT, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, timeout=120,
                                        check=False, env=environment())
            self.assertIn(result.returncode, (1, 2), arguments)
            self.assertIn("The output could not be written", result.stderr)


class CompletionTest(unittest.TestCase):
    def offered(self, *words, **more):
        result = manyrt("completion", "--candidates", "--", *words, **more)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout.split()

    def test_the_command_knows_what_may_come(self):
        self.assertEqual(sorted(self.offered("")), sorted(COMMANDS))
        self.assertEqual(sorted(self.offered("c")), ["cache", "cc", "completion"])
        self.assertEqual(self.offered("cache", ""), ["list", "size", "clear"])
        self.assertEqual(self.offered("completion", "z"), ["zsh"])
        self.assertEqual(self.offered("run", "--re"), ["--repeat"])
        self.assertEqual(self.offered("run", ""), [":files"])
        self.assertEqual(self.offered("run", "net.json", "--device", ""), ["cpu"])
        self.assertEqual(self.offered("run", "--device=c"), ["--device=cpu"])
        self.assertEqual(self.offered("cc", "--emit", "p"), ["ptx"])
        self.assertIn("opencl", self.offered("cc", "--target", "open"))
        self.assertEqual(self.offered("toaster", "--nosuch"), [])

    def test_scripts_are_the_installed_files(self):
        for shell, name in (("bash", "manyrt.bash"), ("zsh", "_manyrt"), ("fish", "manyrt.fish")):
            self.assertEqual(manyrt("completion", shell).stdout, (ROOT / "tools/completion" / name).read_text())
        result = manyrt("completion", "tcsh")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertEqual(result.stderr,
                         "manyrt: There is no completion for the shell \"tcsh\": there are bash, zsh and fish.\n")

    def shell(self, name, *arguments, typed=None):
        if shutil.which(name) is None:
            self.skipTest(f"no {name}")
        path = f"{MANYRT.parent}:{os.environ['PATH']}"
        return subprocess.run([name, *arguments], input=typed, capture_output=True, text=True, timeout=60, check=False,
                              cwd=FOLDER,
                              env=environment(PATH=path, HOME=str(FOLDER), TERM="dumb"))

    def test_bash_completes(self):
        for line, expected in (("manyrt do", "doctor"), ("manyrt cache cl", "clear"), ("manyrt run --device cp", "cpu"),
                               ("manyrt run --device=cp", "cpu"), ("manyrt cc --target cpu:na", "native")):
            script = (f"source {ROOT}/tools/completion/manyrt.bash; COMP_LINE='{line}' COMP_POINT={len(line)}; "
                      "_manyrt 2>/dev/null; "
                      "printf '%s\\n' \"${COMPREPLY[@]}\"")
            result = self.shell("bash", "--norc", "-c", script)
            self.assertEqual(result.stdout.split(), [expected], (line, result.stderr))

    def test_zsh_completes(self):
        # compadd is where candidates arrive; the line editor itself needs a terminal.
        script = (f"compdef() {{ : }}; source {ROOT}/tools/completion/_manyrt; "
                  "compadd() { shift; print -l -- $@ }; _files() { print files }; "
                  "words=(manyrt cache cl) CURRENT=3; _manyrt; words=(manyrt run x) CURRENT=3; _manyrt")
        result = self.shell("zsh", "-f", "-c", script)
        self.assertEqual(result.stdout.split(), ["clear", "files"], result.stderr)

    def test_fish_completes(self):
        for line, expected in (("manyrt do", "doctor"), ("manyrt cache cl", "clear"), ("manyrt run --device cp", "cpu")):
            result = self.shell("fish", "--no-config", "-c",
                                f"source {ROOT}/tools/completion/manyrt.fish; complete -C '{line}'")
            self.assertEqual(result.stdout.split(), [expected], (line, result.stderr))


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    unittest.main(argv=sys.argv[:1])
