#!/usr/bin/env python3
"""`manyrt doctor` and `manyrt bench`: what is found, what is missing, what is broken.

Usage: doctor_test.py MANYRT FOLDER [SIMULATED_CUDA]
"""
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import unittest
import xml.etree.ElementTree

MANYRT, FOLDER = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
SIMULATED_CUDA = sys.argv[3] if len(sys.argv) > 3 else None
CPU_ALONE = {"RT_DISABLE": "cuda,opencl"}
SHORT = ("--bytes", "65536", "--seconds", "0.001")


def environment(**more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RT_", "XDG_"))}
    return {**kept, "RT_CACHE_DIR": str(FOLDER / "cache"), **CPU_ALONE, **more}


def manyrt(*arguments, **more):
    return subprocess.run([MANYRT, *map(str, arguments)], capture_output=True, text=True, timeout=200, check=False, cwd=FOLDER,
                          env=environment(**more))


class DoctorTest(unittest.TestCase):
    def setUp(self):
        shutil.rmtree(FOLDER)
        FOLDER.mkdir()

    def findings(self, *arguments, code=0, **more):
        result = manyrt("doctor", "--json", *arguments, **more)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        told = json.loads(result.stdout)
        self.assertEqual(told["problems"], sum(each["level"] == "problem" for each in told["findings"]))
        return told["findings"]

    def one(self, findings, words):
        found = [each for each in findings if words in each["text"]]
        self.assertEqual(len(found), 1, (words, findings))
        return found[0]

    def test_a_machine_that_works_has_no_problem(self):
        findings = self.findings()
        for words in ("default device cpu", "cpu: copies of 1.0 MiB", "computes what the host does", "temporary files: ",
                      "open files: "):
            self.assertEqual(self.one(findings, words)["level"], "ok")
        self.assertIn("--version" if shutil.which("g++") is None else "for the CPU: ", json.dumps(findings))
        cache = next(each for each in findings if each["part"] == "cache")
        self.assertEqual(cache["level"], "ok")
        self.assertTrue((FOLDER / "cache").is_dir())
        result = manyrt("doctor")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for part in ("library", "cpu", "cuda", "opencl", "compilers", "cache", "limits"):
            self.assertRegex(result.stdout, rf"(?m)^{part}$")
        self.assertTrue(result.stdout.startswith("manyrt "))
        self.assertIn("All that is here works", result.stdout)

    def test_backends_that_are_not_there_are_notes_unless_they_are_named(self):
        findings = self.findings(RT_DISABLE="cuda", RT_OPENCL="/nowhere/libOpenCL.so", code=1)
        self.assertEqual(self.one(findings, "RT_DISABLE")["level"], "note")
        named = self.one(findings, "/nowhere/libOpenCL.so cannot be opened")
        self.assertEqual((named["level"], named["advice"]), ("problem", "set RT_OPENCL to the library, or remove it"))

    def test_advice_names_packages_of_the_distribution(self):
        nothing = {"RT_CC": "", "PATH": "/nowhere"}
        for text, advice in (("ID=debian\nPRETTY_NAME=\"Debian 12\"\n", "apt install g++"),
                             ("ID=ubuntu\nID_LIKE=debian\n", "apt install g++"),
                             ("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", "dnf install gcc-c++"),
                             ("ID=fedora\n", "dnf install gcc-c++"),
                             ("ID='opensuse-leap'\nID_LIKE='suse opensuse'\n", "zypper install gcc-c++"),
                             ("ID=arch\n", "pacman -S gcc"),
                             ("ID=alpine\n", "apk add g++"),
                             ("ID=plan9\n", "the package that has g++ or clang++"),
                             ("damaged \0 file", "the package that has")):
            (FOLDER / "os-release").write_text(text)
            findings = self.findings("--os-release", FOLDER / "os-release", **nothing)
            compiler = next(each for each in findings if each["part"] == "compilers" and "C++" in each["text"])
            self.assertEqual(compiler["level"], "note")
            self.assertIn(advice, compiler["advice"], text)
            kernel = self.one(findings, "kernels are built from source only with a compiler")
            self.assertIn(advice, kernel["advice"])
            self.assertEqual(self.one(findings, "a host kernel computes what the host does")["level"], "ok")
        self.assertIn("an unknown distribution", manyrt("doctor", "--os-release", FOLDER / "absent", **nothing).stdout)

    def test_what_is_named_and_does_not_work_is_a_problem(self):
        broken = FOLDER / "broken"
        broken.write_text("#!/bin/sh\nexit 1\n")
        broken.chmod(0o755)
        for more, words in (({"RT_CC": "/nowhere/g++"}, "/nowhere/g++"), ({"RT_CC": str(broken)},
                                                                          "does not run with --version"),
                            ({"RT_NVRTC": "/nowhere/nvrtc.so"}, "/nowhere/nvrtc.so"), ({"RT_DEVICE": "cuda:77"},
                                                                                       "RT_DEVICE=cuda:77"),
                            ({"TMPDIR": "/nowhere"}, "temporary files: /nowhere: No such file"),
                            ({"RT_CACHE_DIR": "relative"}, "must be an absolute path")):
            problems = [each for each in self.findings(code=1, **more) if each["level"] == "problem"]
            self.assertTrue(any(words in each["text"] for each in problems), (more, problems))
            self.assertTrue(all(each["advice"] for each in problems if words in each["text"]), problems)
            text = manyrt("doctor", **more)
            self.assertEqual(text.returncode, 1)
            self.assertRegex(text.stdout, r"\n\d+ problems?[ ,.]")

    def test_each_device_is_tested_and_a_driver_that_fails_is_a_problem(self):
        if SIMULATED_CUDA is None:
            self.skipTest("no simulated CUDA")
        cuda = {"RT_DISABLE": "opencl", "RT_CUDART": SIMULATED_CUDA, "RT_CUDA_LAUNCH": "plain", "SIMULATED_CUDA_DEVICES": "2"}
        findings = self.findings(RT_NVRTC=SIMULATED_CUDA, **cuda)
        for device in ("cuda:0", "cuda:1"):
            self.assertEqual(self.one(findings, f"{device}: copies of 1.0 MiB")["level"], "ok")
            self.assertEqual(self.one(findings, f"{device}: a kernel from source")["level"], "ok")
        findings = self.findings(RT_NVRTC="/nowhere/nvrtc.so", code=1, **cuda)
        missing = [each for each in findings if "cuda:0: kernels are built from source only with a compiler" in each["text"]]
        self.assertEqual([each["level"] for each in missing], ["note"])

    def test_the_cache_and_its_rights(self):
        cache = FOLDER / "cache"
        cache.mkdir(mode=0o755)
        cache.chmod(0o755)
        problem = self.one(self.findings(code=1), "has mode 755")
        self.assertEqual(problem["level"], "problem")
        self.assertIn("mode 700", problem["advice"])
        cache.chmod(0o700)
        self.assertEqual(self.one(self.findings(), f"{cache}: ")["level"], "ok")
        self.assertEqual(self.one(self.findings(RT_CACHE_DIR="off"), "off by RT_CACHE_DIR")["level"], "note")


class BenchTest(unittest.TestCase):
    FIGURES = ["8 bytes to the device", "8 bytes to the host", "copy to the device", "copy to the host", "copy on the device",
               "launch of a kernel", "launch and wait", "kernel: memory", "kernel: arithmetic"]

    def test_a_processor_has_all_figures_beside_what_is_expected(self):
        result = manyrt("bench", "--json", *SHORT)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        told = json.loads(result.stdout)
        self.assertEqual(told["bytes"], 65536)
        self.assertEqual([each["id"] for each in told["devices"]], ["cpu"])
        figures = {each["what"]: each for each in told["devices"][0]["figures"]}
        self.assertEqual(list(figures), self.FIGURES)
        for figure in figures.values():
            self.assertGreater(figure["value"], 0)
            if "expected" in figure:
                parts = (figure["expected"], figure["value"])
                self.assertAlmostEqual(figure["reached"],
                                       parts[0] / parts[1] if figure["unit"] == "seconds" else parts[1] / parts[0])
        self.assertIn("memcpy", figures["copy on the device"]["expected_from"])
        self.assertEqual(told["pairs"], [])
        text = manyrt("bench", *SHORT)
        self.assertEqual((text.returncode, text.stderr), (0, ""))
        for words in self.FIGURES:
            self.assertRegex(text.stdout, rf"(?m)^{words} +\d")

    def test_pairs_of_devices(self):
        info = json.loads(manyrt("info", "--json", RT_DISABLE="cuda").stdout)
        names = [device["id"] for each in info["backends"] for device in each["devices"]]
        if len(names) < 2:
            self.skipTest("one device")
        told = json.loads(manyrt("bench", "--json", *SHORT, RT_DISABLE="cuda").stdout)
        pairs = {(each["from"], each["to"]) for each in told["pairs"]}
        self.assertEqual(pairs, {(one, other) for one in names for other in names if one != other})
        text = manyrt("bench", *SHORT, RT_DISABLE="cuda").stdout
        self.assertRegex(text, r"(?m)^opencl:0 to cpu +\d")

    def test_the_picture_is_whole_and_no_text_leaves_it(self):
        result = manyrt("bench", "--svg", *SHORT, RT_DISABLE="cuda")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        svg = xml.etree.ElementTree.fromstring(result.stdout)
        width, height = float(svg.get("width")), float(svg.get("height"))
        texts = list(svg.iter("{http://www.w3.org/2000/svg}text"))
        self.assertGreaterEqual({text.text for text in texts}, set(self.FIGURES))
        for text in texts:
            x, y, size = float(text.get("x")), float(text.get("y")), float(text.get("font-size", 11))
            long = len(text.text) * size * 0.6
            x -= {"end": long, "middle": long / 2}.get(text.get("text-anchor"), 0)
            self.assertTrue(0 <= x and x + long <= width + 12 and size <= y <= height, text.text)

    def test_devices_of_every_kind_are_measured(self):
        if SIMULATED_CUDA is None:
            self.skipTest("no simulated CUDA")
        cuda = {"RT_DISABLE": "opencl", "RT_CUDART": SIMULATED_CUDA, "RT_CUDA_LAUNCH": "plain", "SIMULATED_CUDA_DEVICES": "2"}
        told = json.loads(manyrt("bench", "--json", *SHORT, RT_NVRTC=SIMULATED_CUDA, **cuda).stdout)
        self.assertEqual({each["id"] for each in told["devices"]}, {"cpu", "cuda:0", "cuda:1"})
        for device in told["devices"]:
            self.assertEqual([each["what"] for each in device["figures"]], self.FIGURES, device["id"])
        self.assertEqual(len(told["pairs"]), 6)

    def test_without_a_compiler_it_says_what_is_missing(self):
        nothing = {"PATH": "/nowhere", "RT_CACHE_DIR": "off"}
        told = json.loads(manyrt("bench", "--json", *SHORT, **nothing).stdout)["devices"][0]
        self.assertEqual([each["what"] for each in told["figures"]], self.FIGURES[:-2])
        self.assertIn("C++ compiler", told["missing"][0])
        self.assertIn("not measured: ", manyrt("bench", *SHORT, **nothing).stdout)

    def test_wrong_use_is_one_sentence(self):
        for arguments, words in ((("--device", "toaster"), "toaster"), (("--device", "cpu", "--device", "cpu"), "named twice"),
                                 (("--bytes", str(1 << 36), "--device", "cpu"), "bytes")):
            # The address space is limited, else the last one takes what there is.
            result = subprocess.run(["sh", "-c", 'ulimit -v 40000000; exec "$@"', "sh", MANYRT, "bench", *arguments],
                                    capture_output=True,
                                    text=True, timeout=120, check=False, env=environment())
            self.assertEqual((result.returncode, result.stdout), (1, ""), arguments)
            self.assertRegex(result.stderr, r"^manyrt: [^\n]*\n$")
            self.assertIn(words, result.stderr)

    def test_progress_is_shown_on_terminals_alone_and_goes_away(self):
        master, slave = pty.openpty()
        with subprocess.Popen([MANYRT, "bench", *SHORT], stdout=subprocess.PIPE, stderr=slave,
                              env=environment(TERM="xterm")) as process:
            os.close(slave)
            out = process.stdout.read().decode()
            shown = b""
            try:
                while chunk := os.read(master, 4096):
                    shown += chunk
            except OSError:
                pass
        os.close(master)
        self.assertEqual(process.returncode, 0)
        self.assertNotIn("\r", out)
        steps = re.findall(r"\[(#*)\.*\] (\d+)/(\d+) ", shown.decode())
        self.assertEqual([int(step) for _, step, _ in steps], list(range(1, len(steps) + 1)))
        self.assertEqual(int(steps[-1][2]), len(steps))
        self.assertTrue(shown.endswith(b"\r\033[K"))


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    unittest.main(argv=sys.argv[:1])
