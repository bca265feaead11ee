#!/usr/bin/env python3
"""lldb with kernels of the CPU: what docs/guide/debugging.md promises of gdb. Usage: lldb_test.py PROCESS_CHILD

The program is `stepped` of child_debugger.cpp, whose kernels are built with RT_CPU_DEBUG in a folder of the test.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

CHILD = sys.argv[1]
SECONDS = 120


def lldb(environment, commands, *program):
    """What lldb prints to these commands."""
    words = ["lldb", "--batch", "--no-lldbinit"]
    for command in commands:
        words += ["-o", command]
    return subprocess.run([*words, *program], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=SECONDS, errors="replace", check=False).stdout


def reason_to_skip():
    if not shutil.which("lldb"):
        return "lldb is not installed"
    if "exited with status = 0" not in lldb(dict(os.environ), ["run"], "--", "/bin/true"):
        return "lldb cannot trace a process here"
    return ""


class LldbTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.environment = {**os.environ, "RT_CPU_DEBUG": "1", "RT_CACHE_DIR": folder.name, "RT_DISABLE": "cuda,opencl",
                            "RT_CPU_THREADS": "1"}

    def stepped(self, *commands):
        return lldb(self.environment, [*commands, "kill"], "--", CHILD, "stepped")

    def test_a_breakpoint_of_a_line_has_the_variables_of_the_source(self):
        told = self.stepped("breakpoint set --file kernel.cl --line 10 --condition 'where == 5'", "run",
                            "frame variable where x factor", "print data[5]", "print where + 1", "bt 1")
        self.assertRegex(told, r"kernels::scale\(.*\) at kernel\.cl:10")
        for words in ("(int) where = 5\n", "(float) x = 8\n", "(float) factor = 3\n"):
            self.assertIn(words, told)
        self.assertRegex(told, r"\(float\) \$\d = 1\n")
        self.assertRegex(told, r"\(int\) \$\d = 6\n")
        self.assertRegex(told, r"-> 10\s+data\[where\] = x;")

    def test_a_line_is_found_by_the_short_form(self):
        told = self.stepped("b kernel.cl:7", "run", "frame variable where", "source list --name kernels::scale")
        self.assertRegex(told, r"at kernel\.cl:7")
        self.assertIn("(int) where = 0\n", told)
        self.assertRegex(told, r"5\s+__kernel void scale\(__global float\* data, float factor\) \{")

    def test_a_helper_is_found_by_a_part_of_its_name(self):
        told = self.stepped("breakpoint set --func-regex f_twice", "run", "frame variable value")
        self.assertRegex(told, r"twice\w*\(.*at kernel\.cl:[12]")
        self.assertIn("(float) value = 1\n", told)

    def test_a_step_goes_into_a_helper_and_back(self):
        told = self.stepped("b kernel.cl:7", "run", "step", "next", "frame variable value result", "bt 2", "finish")
        self.assertIn("(float) value = 1\n", told)
        self.assertIn("(float) result = 2\n", told)
        self.assertRegex(told, r"frame #0: .*twice\w*\(.*at kernel\.cl:3")
        self.assertRegex(told, r"frame #1: .*kernels::scale\(.*at kernel\.cl:7")
        self.assertRegex(told, r"stop reason = step out")

    def test_a_kernel_with_a_barrier_is_found_by_its_name(self):
        told = self.stepped("breakpoint set --name summed", "run",
                            "breakpoint set --file kernel.cl --line 18 --condition 'at == 3'", "continue",
                            "frame variable mine other", "print part[3]")
        self.assertRegex(told, r"kernels::summed\(.*at kernel\.cl:18")
        for words in ("(float) mine = 8\n", "(float) other = 8\n"):
            self.assertIn(words, told)
        self.assertRegex(told, r"\(float\) \$\d = 8\n")

    def test_lldb_attaches_to_a_program_with_kernels(self):
        with subprocess.Popen([CHILD, "awaits_debugger"], env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True) as child:
            self.assertEqual(child.stdout.readline(), "ready\n")
            told = lldb(self.environment, ["breakpoint set --file kernel.cl --line 7", "source list --name kernels::scale",
                                           "detach"], "-p", str(child.pid))
            child.stdin.close()
            self.assertEqual(child.wait(timeout=SECONDS), 0, told)
        self.assertRegex(told, r"7\s+float x = twice\(data\[where\]\);")
        self.assertRegex(told, r"Breakpoint 1: .*kernels::scale.* at kernel\.cl:7")
        self.assertRegex(told, r"Process \d+ detached")


if __name__ == "__main__":
    reason = reason_to_skip()
    if reason:
        print(f"SKIP: {reason}")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=1)
