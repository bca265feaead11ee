#!/usr/bin/env python3
"""`manyrt info` and the command's own failures. Usage: info_test.py MANYRT FOLDER

What it says where a device, a driver or a library is missing or damaged, and that nothing but its own text is on its streams.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

MANYRT, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
SWITCHES = ("RT_DEVICE", "RT_DISABLE", "RT_LOG", "RT_OPENCL", "RT_CUDART", "LD_LIBRARY_PATH")


def manyrt(*arguments, **environment):
    inherited = {name: value for name, value in os.environ.items() if name not in SWITCHES}
    return subprocess.run([MANYRT, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False,
                          env={**inherited, **environment})


def backend(name, **environment):
    info = json.loads(manyrt("info", "--json", **environment).stdout)
    return next(each for each in info["backends"] if each["name"] == name)


class InfoTest(unittest.TestCase):
    def test_a_default_device_that_is_absent_does_not_keep_it_from_listing_the_others(self):
        result = manyrt("info", RT_DEVICE="cuda:77", RT_DISABLE="cuda,opencl")
        self.assertEqual(result.returncode, 0, result.stderr)
        first = result.stdout.splitlines()[0]
        self.assertIn("no default device: rtDeviceGetByName: RT_DEVICE=cuda:77 cannot be used: ", first)
        self.assertIn("cpu: 1 device", result.stdout)
        result = manyrt("info", "--json", RT_DEVICE="toaster")
        self.assertEqual(result.returncode, 0, result.stderr)
        info = json.loads(result.stdout)
        self.assertIsNone(info["default_device"])
        self.assertIn("\"toaster\" names no device", info["default_device_reason"])

    def test_a_name_that_no_device_has_is_answered_with_those_that_there_are(self):
        for name, words in (("toaster", "there are cpu, and \"null:0\" for tests"), ("null:77", "the backend has"),
                            ("cpu:3", "the backend has 1, cpu")):
            result = manyrt("info", "--json", RT_DEVICE=name, RT_DISABLE="cuda,opencl")
            self.assertIn(words, json.loads(result.stdout)["default_device_reason"])

    def test_output_that_cannot_be_written_is_a_failure(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        for arguments in (["info"], ["info", "--json"], ["--version"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                result = subprocess.run([MANYRT, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60,
                                        check=False)
            self.assertEqual(result.returncode, 1, arguments)
            self.assertRegex(result.stderr, r"^manyrt: The output could not be written(: No space left on device)?\.\n$")

    def test_a_command_that_is_mistyped_is_suggested(self):
        for typed, meant in (("inof", "info"), ("rnu", "run"), ("grahp", "graph"), ("memry", "memory")):
            result = manyrt(typed)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn(f"There is no command \"{typed}\": did you mean \"{meant}\"?", result.stderr)
        self.assertIn("There is no command \"toast\": manyrt --help has them all.", manyrt("toast").stderr)
        self.assertNotIn("There is no command", manyrt("info", "--nosuch").stderr)

    def test_null_devices_are_listed_only_when_asked_for(self):
        self.assertNotIn("null", manyrt("info", RT_DISABLE="cuda,opencl").stdout)
        self.assertNotIn("null", [b["name"] for b in json.loads(manyrt("info", "--json").stdout)["backends"]])
        self.assertIn("null:0", manyrt("info", "--null").stdout)
        self.assertIn("null", [b["name"] for b in json.loads(manyrt("info", "--json", "--null").stdout)["backends"]])

    def test_what_a_driver_does_not_tell_is_absent(self):
        optional = {"clock_mhz", "cache_line_bytes", "l1_bytes", "l2_bytes", "l3_bytes", "uuid", "pci_bus_id"}
        info = json.loads(manyrt("info", "--json", "--null", RT_DISABLE="cuda").stdout)
        devices = [device for each in info["backends"] for device in each["devices"]]
        self.assertIn("null:0", [device["id"] for device in devices])
        for device in devices:
            for key in optional & device.keys():
                self.assertNotIn(device[key], (0, ""), (device["id"], key))
        text = manyrt("info", "--null", RT_DISABLE="cuda").stdout
        self.assertNotRegex(text, r"\b(L[123]|line) 0 B|\b0 MHz")
        null = next(device for device in devices if device["id"] == "null:0")
        self.assertEqual(optional & null.keys(), {"cache_line_bytes", "uuid"})
        self.assertNotRegex(text[text.index("  null:0"):], "L[123]|PCI|MHz")

    def test_the_version_is_printed(self):
        result = manyrt("--version")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"^manyrt \d+\.\d+\.\d+\n$")

    def test_failures_are_sentences_without_expressions_of_the_program(self):
        damaged = FOLDER / "damaged.json"
        damaged.write_text("{")
        whole = FOLDER / "whole.json"
        whole.write_text(json.dumps({"format": "manyrt-graph", "version": 1, "nodes": [{"kind": "empty"}]}))
        for arguments in (("graph", damaged), ("graph", FOLDER / "absent.json"), ("graph", whole, "--device", "toaster"),
                          ("run", whole, "--device", "toaster")):
            result = manyrt(*arguments)
            self.assertNotEqual(result.returncode, 0, arguments)
            self.assertRegex(result.stderr, r"^manyrt: [^\n]*\n$")
            self.assertIsNone(re.search(r"&|->|::|nullptr|\.c_str|what\(\)|\[json", result.stderr), result.stderr)

    def test_a_loader_that_is_there_and_fails_to_load_says_why(self):
        broken = FOLDER / "broken"
        broken.mkdir(parents=True, exist_ok=True)
        for name in ("libOpenCL.so.1", "libcudart.so.13", "libcudart.so.12"):
            (broken / name).write_text("This is no shared object, and it is longer than the header of one. " * 9)
        toolkit = any(pathlib.Path("/usr/local/cuda/lib64").glob("libcudart.so.1[23]"))  # which is tried last, by its path
        for name in ("opencl",) if toolkit else ("opencl", "cuda"):
            reason = backend(name, LD_LIBRARY_PATH=str(broken))["reason"]
            self.assertIn("cannot be opened: ", reason)
            self.assertIn("invalid ELF header", reason)
            self.assertNotIn("not installed", reason)

    def test_a_variable_that_names_no_library_is_quoted(self):
        self.assertEqual(backend("opencl", RT_OPENCL="/nowhere/libOpenCL.so")["reason"],
                         "RT_OPENCL=/nowhere/libOpenCL.so cannot be opened: there is no such file.")
        self.assertEqual(backend("cuda", RT_CUDART="libnowhere.so")["reason"],
                         "RT_CUDART=libnowhere.so cannot be opened: there is no such file.")

    def test_remarks_of_hwloc_are_lines_of_the_log_and_not_of_standard_error(self):
        result = manyrt("info", RT_DISABLE="cuda,opencl", HWLOC_COMPONENTS="nosuch")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        logged = manyrt("info", RT_DISABLE="cuda,opencl", HWLOC_COMPONENTS="nosuch", RT_LOG="info").stderr
        self.assertIn("manyrt: info: hwloc, asked about the processor, says: ", logged)
        self.assertIn("nosuch", logged)


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    unittest.main(argv=sys.argv[:1])
