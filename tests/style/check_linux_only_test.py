#!/usr/bin/env python3
"""scripts/check_linux_only.py finds what Linux alone has outside of src/base/os, and lines of its list that nothing uses."""
import importlib.util
import pathlib
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/check_linux_only.py"
SPEC = importlib.util.spec_from_file_location("check_linux_only", SCRIPT)
SUBJECT = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(SUBJECT)


class CheckTest(unittest.TestCase):
    def setUp(self):
        self.kept = SUBJECT.ELSEWHERE
        SUBJECT.ELSEWHERE = {}

    def tearDown(self):
        SUBJECT.ELSEWHERE = self.kept

    def problems(self, files):
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                path = pathlib.Path(root) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return SUBJECT.check(pathlib.Path(root))

    def test_calls_and_headers_outside_are_faults(self):
        for text in ("#include <sys/eventfd.h>\n", "#include <linux/futex.h>\n", "int x = syscall(1);\n",
                     "int f = MAP_NORESERVE;\n",
                     'auto* f = fopen("/proc/self/maps", "r");\n', "void f() { eventfd_write(1, 1); }\n"):
            self.assertEqual(len(self.problems({"ops/copy.cpp": text})), 1, text)

    def test_the_room_and_texts_of_kernels_are_free(self):
        text = "#include <sys/eventfd.h>\nint x = syscall(1);\n"
        self.assertEqual(self.problems({"base/os/x.h": text, "compiler/builtins/library/x.h": text}), [])

    def test_comments_and_other_words_are_none(self):
        text = "// syscall(1) and /proc/self\n/* eventfd(0) */ int mysyscall(int); int prctls; int clone(); // \"/proc/x\"\n"
        self.assertEqual(self.problems({"ops/copy.cpp": text}), [])

    def test_the_list_allows_what_it_says_and_no_more(self):
        SUBJECT.ELSEWHERE = {"ops/copy.cpp": ("pipe2", "why")}
        self.assertEqual(self.problems({"ops/copy.cpp": "int x = pipe2(p, 0);"}), [])
        self.assertEqual(len(self.problems({"ops/copy.cpp": "int x = pipe2(p, accept4(0));"})), 1)

    def test_a_line_that_nothing_uses_is_a_fault(self):
        SUBJECT.ELSEWHERE = {"ops/copy.cpp": ("pipe2 accept4", "why"), "ops/gone.cpp": ("pipe2", "why")}
        self.assertEqual(len(self.problems({"ops/copy.cpp": "int x = pipe2(p, 0);"})), 2)


if __name__ == "__main__":
    unittest.main()
