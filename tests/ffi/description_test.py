#!/usr/bin/env python3
"""Checks what bindings/rt.json says of arguments and fields, and that generate.py refuses a header that leaves it out.

Usage: description_test.py generate.py rt.json rt.h
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest


class DescriptionTest(unittest.TestCase):
    generator = json_file = header = None

    @classmethod
    def setUpClass(cls):
        cls.rt = json.loads(pathlib.Path(cls.json_file).read_text(encoding="utf-8"))
        cls.functions = {function["name"]: function for function in cls.rt["functions"]}
        cls.structs = {struct["name"]: struct for struct in cls.rt["structs"]}

    def argument(self, function, name):
        return next(entry for entry in self.functions[function]["arguments"] if entry["name"] == name)

    def field(self, struct, name):
        return next(entry for entry in self.structs[struct]["fields"] if entry["name"] == name)

    def test_every_enum_of_the_header_is_there(self):
        text = pathlib.Path(self.header).read_text(encoding="utf-8")
        names = [line.split()[1] for line in text.splitlines() if line.startswith("enum ")]
        self.assertEqual([enum["name"] for enum in self.rt["enums"]], names)
        self.assertIn("rtGraphAccess", names)

    def test_integers_say_what_they_are(self):
        self.assertEqual(self.argument("rtMemcpy", "kind")["enum"], "rtMemcpyKind")
        self.assertEqual(self.argument("rtDeviceGetStatus", "status")["enum"], "rtStatusCode")
        self.assertEqual(self.field("rtDeviceProperties_t", "memory_tier")["enum"], "rtMemoryTier")
        self.assertEqual(self.field("rtEventOptions_t", "flags")["flags"], "rtEventFlags")
        self.assertIsNone(self.field("rtStreamOptions_t", "flags")["flags"])
        self.assertEqual(self.field("rtGraphArg_t", "access")["flags"], "rtGraphAccess")
        self.assertTrue(self.argument("rtDeviceCanAccessPeer", "can")["boolean"])
        self.assertNotIn("enum", self.argument("rtMemset", "value"))

    def test_communicators_are_described_beside(self):
        comm = json.loads(pathlib.Path(self.json_file).with_name("rt_comm.json").read_text(encoding="utf-8"))
        self.assertEqual((comm["base"], comm["version"]), ("rt.json", self.rt["version"]))
        functions = {function["name"]: {entry["name"]: entry for entry in function["arguments"]}
                     for function in comm["functions"]}
        gather = functions["rtCommAllGather"]
        self.assertEqual((gather["receive"]["length"], gather["receive"]["elements"]), ("count * size", "type"))
        self.assertEqual((gather["send"]["length"], gather["type"]["enum"]), ("count", "rtCommType"))
        self.assertEqual(functions["rtCommReduce"]["reduction"]["enum"], "rtCommReduction")
        self.assertTrue(functions["rtCommReduce"]["receive"]["nullable"])
        contexts = functions["rtCommCreateAll"]["contexts"]
        self.assertEqual((contexts["nullable"], contexts["element_nullable"]), (False, True))
        self.assertEqual(functions["rtCommCreate"]["comm"]["destroy"], "rtCommDestroy")

    def test_enums_that_are_named_exist(self):
        enums = {enum["name"] for enum in self.rt["enums"]}
        entries = [entry for function in self.rt["functions"] for entry in function["arguments"]]
        entries += [entry for struct in self.rt["structs"] for entry in struct["fields"]]
        named = {entry[key] for entry in entries for key in ("enum", "flags") if entry.get(key)}
        self.assertGreater(len(named), 15)
        self.assertLessEqual(named, enums)

    def test_lengths_name_their_argument_or_field(self):
        self.assertEqual(self.argument("rtLaunchKernel", "args")["length"], "arg_count")
        self.assertEqual(self.argument("rtGraphGetEdges", "to")["length"], "capacity")
        self.assertEqual(self.argument("rtMemFillAsync", "dst")["length"], "pattern_size * count")
        self.assertEqual(self.argument("rtGraphLoad", "data")["length"], "size")
        self.assertEqual(self.field("rtModuleOptions_t", "headers")["length"], "header_count")
        buffer = self.argument("rtGetLastErrorMessage", "buffer")
        self.assertEqual((buffer["text"], buffer["length"]), (True, "size"))
        for kind, owners in (("arguments", self.rt["functions"]), ("fields", self.rt["structs"])):
            for owner in owners:
                names = {entry["name"] for entry in owner[kind]}
                for entry in owner[kind]:
                    self.assertLessEqual(set(entry.get("length", "").split(" * ")) - {""}, names, owner["name"])

    def test_handles_say_whose_they_are(self):
        handles = {handle["name"]: handle["destroy"] for handle in self.rt["handles"]}
        self.assertEqual(handles["rtStream_t"], "rtStreamDestroy")
        self.assertIsNone(handles["rtGraphNode_t"])
        for function in self.rt["functions"]:
            for entry in function["arguments"]:
                if entry["direction"] != "in" and entry["type"][:-2] in handles:
                    self.assertIn(entry["ownership"], ("caller", "parent", "borrowed"), function["name"])
        self.assertEqual(self.argument("rtStreamCreate", "stream")["destroy"], "rtStreamDestroy")
        self.assertEqual(self.argument("rtMalloc", "pointer")["destroy"], "rtFree")
        self.assertEqual(self.argument("rtContextGetDefaultStream", "stream")["ownership"], "borrowed")
        self.assertEqual(self.argument("rtGraphAddFillNode", "node")["ownership"], "parent")

    def test_callbacks_say_when_and_where_they_run(self):
        callbacks = {callback["name"]: callback for callback in self.rt["callbacks"]}
        self.assertEqual(callbacks["rtHostFunction_t"]["thread"], "library")
        self.assertEqual(callbacks["rtReleaseFunction_t"]["notes"]["called"], "once")
        self.assertIsNone(callbacks["rtHostKernelFunction_t"]["user"])
        self.assertEqual(self.argument("rtLaunchHostFunction", "function")["user"], "user")
        self.assertEqual(self.field("rtGraphHostParams_t", "function")["release"], "release")

    def test_fields_have_the_values_of_the_initialisers(self):
        self.assertEqual(self.field("rtGraphKernelParams_t", "grid")["initial"], [1, 1, 1])
        self.assertIsNone(self.field("rtGraphKernelParams_t", "kernel")["initial"])
        self.assertEqual(self.field("rtStreamOptions_t", "priority")["initial"], 0)
        label = self.field("rtStreamOptions_t", "label")
        self.assertEqual(len(label["initial"]), label["count"])

    def test_fields_and_arguments_that_may_be_null_say_so(self):
        self.assertEqual(self.field("rtGraphOperand_t", "buffer")["nullable"], "pointer is meant")
        self.assertEqual(self.field("rtGraphOperand_t", "pointer")["nullable"], "buffer is given")
        self.assertEqual(self.field("rtGraphArg_t", "value")["nullable"], "kind is another")
        for name in ("base", "context", "device"):
            self.assertEqual(self.field("rtPointerAttributes_t", name)["nullable"], "the memory is unknown")
        self.assertIs(self.argument("rtLaunchKernel", "stream")["nullable"], True)
        self.assertIs(self.argument("rtMalloc", "pointer")["nullable"], False)  # the address in it may be NULL

    def test_a_comment_that_leaves_something_out_is_refused(self):
        text = pathlib.Path(self.header).read_text(encoding="utf-8")
        for old, new, word in (("RT_MEMCPY_*", "RT_MEMCOPY_*", "there is no enum"),
                               ("receives the stream, which the caller destroys", "receives the stream", "whose stream is"),
                               ("the owner; may be NULL if the memory is unknown", "the owner; NULL if unknown",
                                "speaks of NULL"),
                               ("passed to callback; may be NULL", "passed to callback; NULL: none", "speaks of NULL"),
                               (" *  thread: library\n", "", "thread"),
                               ("first byte to write, size bytes;", "first byte to write;", "how long dst is"),
                               ("/**< 0 or RT_EVENT_DISABLE_TIMING */", "/**< options */", "name the flags")):
            self.assertIn(old, text)
            with tempfile.TemporaryDirectory() as folder:
                header = pathlib.Path(folder, "rt.h")
                header.write_text(text.replace(old, new), encoding="utf-8")
                done = subprocess.run([sys.executable, self.generator, "--header", header, "--output", folder], check=False,
                                      capture_output=True, text=True)
            self.assertEqual(done.returncode, 1, old)
            self.assertIn(word, done.stderr)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    DescriptionTest.header = sys.argv.pop(3)
    DescriptionTest.json_file = sys.argv.pop(2)
    DescriptionTest.generator = sys.argv.pop(1)
    unittest.main(verbosity=1)
