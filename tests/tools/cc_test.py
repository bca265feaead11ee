#!/usr/bin/env python3
"""`manyrt cc`: images, messages, dependencies, exit codes, and what it says of wrong use. Usage: cc_test.py MANYRT FOLDER"""
import json
import os
import pathlib
import platform
import pty
import re
import shutil
import subprocess
import sys
import unittest

MANYRT, FOLDER = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
SOURCE = """#include "scale.h"
__kernel void scale(__global float* out, __global const float* in, uint count) {
  const uint i = get_global_id(0);
  if (i < count) out[i] = in[i] * SCALE;
}
"""
BAD = """__kernel void f(__global float* out) {
  out[0] = nothing;
\tout[1] = missing(3);
}
"""


def manyrt(*arguments, cwd=None, **environment):
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("RT_")}
    return subprocess.run([str(MANYRT), *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False,
                          cwd=cwd or FOLDER, env={**inherited, "RT_CACHE_DIR": str(FOLDER / "cache"), **environment})


def cc(*arguments, **environment):
    return manyrt("cc", *arguments, **environment)


class CcTest(unittest.TestCase):
    def setUp(self):
        for path in FOLDER.iterdir():
            if path.name != "cache":
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        (FOLDER / "inc").mkdir()
        (FOLDER / "inc/scale.h").write_text("#ifndef SCALE\n#define SCALE 2.0f\n#endif\n")
        (FOLDER / "scale.cl").write_text(SOURCE)
        (FOLDER / "bad.cl").write_text(BAD)

    def assertSentence(self, result, words, code=2):
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertRegex(result.stderr, r"^manyrt: [^\n]*\.\n$")
        self.assertIn(words, result.stderr)
        self.assertEqual(result.stdout, "")

    def assertDone(self, result):
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)

    def test_an_image_is_written_and_nothing_is_said(self):
        result = cc("scale.cl", "-I", "inc", "-o", "scale.rtm")
        self.assertDone(result)
        self.assertEqual(result.stdout, "")
        image = (FOLDER / "scale.rtm").read_bytes()
        self.assertEqual(image[:8], b"\x8dRTM\r\n\x1a\n")
        self.assertIn(b"get_global_id", image)
        self.assertNotIn(bytes(FOLDER), image)
        self.assertEqual([path.name for path in FOLDER.glob("scale.*")].count("scale.rtm"), 1)
        self.assertFalse(list(FOLDER.glob("*.tmp")))

    def test_without_a_name_the_image_is_named_after_the_source(self):
        self.assertDone(cc("scale.cl", "-Iinc"))
        self.assertTrue((FOLDER / "scale.rtm").exists())

    def test_one_image_has_all_targets_and_the_same_bytes_each_time(self):
        arguments = ("scale.cl", "-Iinc", "--target", "cpu:x86-64-v2,avx2,avx512" if os.uname().machine == "x86_64" else "cpu",
                     "--target", "cpu", "--target", "opencl", "--json")
        first = cc(*arguments, "-o", "first.rtm")
        self.assertDone(first)
        self.assertDone(cc(*arguments, "-o", "second.rtm", RT_CACHE_DIR="off"))
        told = json.loads(first.stdout)
        self.assertEqual(told["output"], "first.rtm")
        self.assertIn("opencl:offsets", told["targets"])
        self.assertEqual(told["bytes"], (FOLDER / "first.rtm").stat().st_size)
        self.assertEqual((FOLDER / "first.rtm").read_bytes(), (FOLDER / "second.rtm").read_bytes())

    def test_the_source_is_left_out_if_asked(self):
        self.assertDone(cc("scale.cl", "-Iinc", "--no-source", "-o", "scale.rtm"))
        self.assertNotIn(b"get_global_id", (FOLDER / "scale.rtm").read_bytes())

    def test_macros_are_defined_and_removed(self):
        result = cc("scale.cl", "-Iinc", "-D", "SCALE=3.5f", "--emit", "opencl")
        self.assertDone(result)
        self.assertIn("in[i] * 3.5f", result.stdout)
        self.assertDone(cc("scale.cl", "-Iinc", "-DSCALE=3.5f", "-USCALE", "--emit", "opencl", "-o", "text.cl"))
        self.assertIn("in[i] * 2.0f", (FOLDER / "text.cl").read_text())
        spaced = cc("scale.cl", "-Iinc", "-D", "SCALE=(1.0f + 'a')", "--emit", "opencl")
        self.assertIn("(1.0f + 'a')", spaced.stdout, spaced.stderr)

    def test_errors_are_those_of_a_compiler(self):
        result = cc("bad.cl", "-o", "bad.rtm")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertEqual(result.stderr.splitlines()[0:3], ["bad.cl:2:12: error: The name \"nothing\" is undeclared.",
                                                           "    out[0] = nothing;", "             ^"])
        self.assertIn("bad.cl:3:11: error: ", result.stderr)
        self.assertNotIn("\033", result.stderr)
        self.assertFalse((FOLDER / "bad.rtm").exists())

    def test_a_terminal_has_colours_unless_they_are_not_wanted(self):
        for variables, coloured in (({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)):
            master, slave = pty.openpty()
            with subprocess.Popen([MANYRT, "cc", "bad.cl"], cwd=FOLDER, stderr=slave, stdout=subprocess.DEVNULL,
                                  env={**os.environ, "TERM": "xterm", **variables}) as process:
                os.close(slave)
                text = b""
                try:
                    while chunk := os.read(master, 4096):
                        text += chunk
                except OSError:  # the other end is closed
                    pass
            os.close(master)
            self.assertEqual(process.returncode, 1)
            self.assertIn(b"bad.cl:2:12:", text)
            self.assertEqual(b"\033[1;31merror:" in text, coloured, variables)

    def test_json_has_each_message(self):
        result = cc("bad.cl", "--json")
        self.assertEqual((result.returncode, result.stderr), (1, ""))
        told = json.loads(result.stdout)
        self.assertIsNone(told["output"])
        first = told["messages"][0]
        self.assertEqual((first["kind"], first["file"], first["line"], first["column"]), ("error", "bad.cl", 2, 12))
        self.assertEqual(first["shown"], "    out[0] = nothing;\n             ^\n")
        wrong = cc("scale.cl", "--target", "vulkan", "--json")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("vulkan", json.loads(wrong.stdout)["failure"])

    def test_warnings_are_shown_and_can_be_errors_or_nothing(self):
        (FOLDER / "warns.cl").write_text("#warning this is old\n__kernel void f(__global int* o) { *o = 1; }\n")
        result = cc("warns.cl")
        self.assertEqual(result.returncode, 0)
        self.assertIn("warns.cl:1:", result.stderr)
        self.assertIn("warning: ", result.stderr)
        self.assertEqual(cc("warns.cl", "-Werror").returncode, 1)
        self.assertDone(cc("warns.cl", "-w"))

    def test_warnings_can_be_asked_for_and_unknown_ones_are_told(self):
        (FOLDER / "half.cl").write_text("__kernel void f(__global float* o) { *o *= 0.5; }\n")
        self.assertDone(cc("half.cl"))
        result = cc("half.cl", "-Wdouble-literals")
        self.assertEqual(result.returncode, 0)
        self.assertIn("half.cl:1:44: warning: The number 0.5 is a double", result.stderr)
        self.assertEqual(cc("half.cl", "-Wdouble-literals", "-Werror").returncode, 1)
        result = cc("half.cl", "-Wdouble-literal")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn('did you mean "-Wdouble-literals"?', result.stderr)

    def test_dependencies_are_a_rule_of_make(self):
        result = cc("scale.cl", "-Iinc", "-M", "-o", "out.rtm")
        self.assertDone(result)
        self.assertEqual(result.stdout, "out.rtm: \\\n  scale.cl \\\n  inc/scale.h\n")
        self.assertFalse((FOLDER / "out.rtm").exists())
        self.assertDone(cc("scale.cl", "-Iinc", "-o", "out.rtm", "--depfile", "out.d"))
        self.assertEqual((FOLDER / "out.d").read_text(), result.stdout)

    def test_make_builds_again_only_if_a_file_has_changed(self):
        if shutil.which("make") is None:
            self.skipTest("no make")
        (FOLDER / "a folder").mkdir()
        (FOLDER / "a folder/scale.h").write_text("#define SCALE 2.0f\n")
        (FOLDER / "Makefile").write_text(f"scale.rtm: scale.cl\n\t{MANYRT} cc scale.cl -I 'a folder' -o $@ --depfile $@.d\n"
                                         "-include scale.rtm.d\n")
        environment = {**os.environ, "RT_CACHE_DIR": "off"}

        def make():
            return subprocess.run(["make"], cwd=FOLDER, capture_output=True, text=True, timeout=120, check=True,
                                  env=environment).stdout

        self.assertIn("cc scale.cl", make())
        self.assertIn("up to date", make())
        os.utime(FOLDER / "a folder/scale.h", (2e9, 2e9))
        self.assertIn("cc scale.cl", make())

    def test_an_embedded_image_is_the_image(self):
        self.assertDone(cc("scale.cl", "-Iinc", "-o", "scale.rtm", "--embed", "2 scale-s.h"))
        text = (FOLDER / "2 scale-s.h").read_text()
        self.assertIn("static const unsigned char _2_scale_s_image[", text)
        numbers = bytes(int(number) for number in re.search(r"\{(.*)\};", text, re.DOTALL)[1].split(","))
        self.assertEqual(numbers, (FOLDER / "scale.rtm").read_bytes())
        compiler = shutil.which("cc") or shutil.which("gcc")
        if compiler is None:
            return
        (FOLDER / "use.c").write_text("#include \"2 scale-s.h\"\nint main(void) { return _2_scale_s_image_size == "
                                      f"{len(numbers)} && _2_scale_s_image[1] == 'R' ? 0 : 1; }}\n")
        strict = ["-std=c99", "-Wall", "-Wextra", "-pedantic-errors", "-Werror"]
        subprocess.run([compiler, *strict, "use.c", "-o", "use"], cwd=FOLDER, check=True)
        subprocess.run([FOLDER / "use"], check=True)
        self.assertDone(cc("scale.cl", "-Iinc", "--embed", "alone.h"))
        self.assertTrue((FOLDER / "alone.h").exists())

    def test_text_of_each_form_is_printed(self):
        for form, words in (("cpp", "rtHostModule"), ("asm", "rtHostModule"), ("ir", "function \"scale\""),
                            ("opencl", "__kernel void")):
            result = cc("scale.cl", "-Iinc", "--emit", form)
            self.assertDone(result)
            self.assertIn(words, result.stdout)
        self.assertIn("would be one output", json.loads(cc("scale.cl", "-Iinc", "--emit", "ir", "--json").stdout)["failure"])
        self.assertIn("would be one output", json.loads(cc("scale.cl", "-Iinc", "-M", "--json").stdout)["failure"])
        self.assertSentence(cc("scale.cl", "--emit", "spirv"), "there are cpp, asm, ptx, opencl, ir")
        self.assertSentence(cc("scale.cl", "-Iinc", "--emit", "asm", "--target", "opencl"), "one target of its kind")

    def test_several_files_are_one_program(self):
        (FOLDER / "a.cl").write_text("int twice(int x);\n__kernel void f(__global int* o) { *o = twice(2); }\n")
        (FOLDER / "b.cl").write_text("int twice(int x) { return x + wrong; }\n")
        result = cc("a.cl", "b.cl", "-o", "both.rtm")
        self.assertEqual(result.returncode, 1)
        self.assertIn("b.cl:1:31: error: ", result.stderr)
        (FOLDER / "b.cl").write_text("int twice(int x) { return x + x; }\n")
        self.assertDone(cc("a.cl", "b.cl", "-o", "both.rtm"))

    def test_wrong_use_is_one_sentence(self):
        for arguments, words in (((), "no source to compile"),
                                 (("scale.cl", "-Iinc", "--target", "vulkan"), "there are cpu, cpu:LEVEL"),
                                 (("scale.cl", "-Iinc", "--target", "cpu:z80"), "levels of processors are native"),
                                 (("absent.cl",), "absent.cl: it cannot be opened"),
                                 (("inc",), "inc: it cannot be read"),
                                 (("scale.cl", "-Iinc", "-o", "no/x.rtm"), "The folder \"no\" of the output"),
                                 (("scale.cl", "-Iinc", "-o", "scale.cl/x.rtm"), "is not a folder"),
                                 (("scale.cl", "-Iinc", "-o", "inc"), "is a folder"),
                                 (("scale.cl", "-Iinc", "-o", "scale.cl"), "is one of the sources"),
                                 (("scale.cl", "-Iinc", "-cl-nonsense"), "-cl-mad-enable"),
                                 (("kernel.cu",), "CUDA C++")):
            self.assertSentence(cc(*arguments), words)
        self.assertEqual((FOLDER / "scale.cl").read_text(), SOURCE)
        self.assertEqual(cc("--nosuch").returncode, 2)

    def test_a_compiler_that_is_missing_is_told(self):
        self.assertSentence(cc("scale.cl", "-Iinc", RT_CC="/nonexistent/g++"), "RT_CC")
        self.assertSentence(cc("scale.cl", "-Iinc", "--target", "cuda:sm_80", RT_NVRTC="/nonexistent/nvrtc"), "RT_NVRTC")
        self.assertDone(cc("scale.cl", "-Iinc", "--target", "opencl", "-o", "cl.rtm", RT_CC="/nonexistent/g++"))
        result = cc("--list", RT_CC="/nonexistent/g++", RT_NVRTC="/nonexistent/nvrtc")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stdout, r"(?m)^cpu:native +not available: RT_CC")
        self.assertRegex(result.stdout, r"(?m)^cuda:ptx +not available: RT_NVRTC")
        listed = {each["target"]: each for each in json.loads(cc("--list", "--json").stdout)}
        self.assertTrue(listed["opencl"]["available"])

    def test_code_that_needs_a_new_c_library_is_told(self):
        library, version = platform.libc_ver()
        compiler = shutil.which("g++")
        if library != "glibc" or tuple(map(int, version.split("."))) < (2, 35) or compiler is None:
            self.skipTest("no function of a C library that is new enough")
        (FOLDER / "new.h").write_text("extern \"C\" double fmaximum(double, double);\n"
                                      "__attribute__((used)) static double (*new_function)(double, double) = fmaximum;\n")
        wrapper = FOLDER / "g++"
        wrapper.write_text(f"#!/bin/sh\ncase \" $* \" in *\" -c \"*) set -- \"$@\" -include {FOLDER}/new.h;; esac\n"
                           f"exec {compiler} \"$@\"\n")
        wrapper.chmod(0o755)
        result = cc("scale.cl", "-Iinc", RT_CC=str(wrapper))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, "warning: The code for cpu:native needs glibc 2.35 or newer, for fmaximum: an older "
                                        "system builds images for older ones.\n")

    def test_output_that_cannot_be_written_is_told_and_leaves_the_old_file(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        self.assertSentence(cc("scale.cl", "-Iinc", "-o", "/dev/full"), "cannot be written")
        with open("/dev/full", "w", encoding="utf-8") as full:
            result = subprocess.run([MANYRT, "cc", "scale.cl", "-Iinc", "--emit", "opencl"], cwd=FOLDER, stdout=full,
                                    stderr=subprocess.PIPE, text=True, timeout=60, check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("The output could not be written", result.stderr)


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    unittest.main(argv=sys.argv[:1])
