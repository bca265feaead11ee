#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All functions, constants, structs and statuses of rt.json are reachable, and rt.json alone is enough for ctypes."""

import ctypes
import json
import pathlib
import re
import unittest

import manyrt
import manyrt.errors
import manyrt.rt

RT_JSON = pathlib.Path(__file__).resolve().parents[3] / "bindings" / "rt.json"
SCALARS = {"void": None, "char": ctypes.c_char, "float": ctypes.c_float, "double": ctypes.c_double, "size_t": ctypes.c_size_t,
           "rtStatus_t": ctypes.c_int32, **{f"{sign}int{bits}_t": getattr(ctypes, f"c_{sign}int{bits}")
                                            for sign in ("", "u") for bits in (8, 16, 32, 64)}}


def ctypes_module(description, library):
    """Functions, structs and constants as attributes, made of rt.json alone."""
    types = dict(SCALARS)
    types.update({item["name"]: ctypes.c_void_p for item in description["handles"]})
    types.update({item["name"]: type(item["name"], (ctypes.Structure,), {}) for item in description["structs"]})

    def of(text):
        text = re.sub(r"\bconst\b", "", text).replace(" ", "")
        if text in types:
            return types[text]
        if text in ("char*", "void*"):
            return ctypes.c_char_p if text == "char*" else ctypes.c_void_p
        return ctypes.POINTER(of(text[:-1]))

    for item in description["callbacks"]:
        types[item["name"]] = ctypes.CFUNCTYPE(of(item["return"]), *(of(argument["type"]) for argument in item["arguments"]))
    for item in description["structs"]:
        types[item["name"]]._fields_ = [(field["name"], of(field["type"]) * field["count"] if "count" in field
                                         else of(field["type"])) for field in item["fields"]]
    names = {item["name"]: item["value"] for item in description["constants"]}
    for item in description["enums"]:
        names.update({value["name"]: value["value"] for value in item["values"]})
    for item in description["functions"]:
        names[item["name"]] = ctypes.CFUNCTYPE(of(item["return"]), *(of(argument["type"]) for argument in item["arguments"]))(
            (item["name"], library))
    return type("Generated", (), {name: staticmethod(value) if callable(value) else value
                                  for name, value in {**types, **names}.items()})


class InterfaceTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.description = json.loads(RT_JSON.read_text(encoding="utf-8"))

    def test_the_package_has_the_interface_of_the_repository(self):
        self.assertEqual(manyrt.__version__, self.description["version"])
        project = (RT_JSON.parent / "python" / "pyproject.toml").read_text(encoding="utf-8")
        self.assertIn(f'version = "{self.description["version"]}"', project)

    def test_every_function_is_reachable(self):
        names = [item["name"] for item in self.description["functions"]]
        self.assertEqual(manyrt.rt.functions(), names)
        self.assertGreater(len(names), 160)
        for item in self.description["functions"]:
            with self.subTest(item["name"]):
                function = getattr(manyrt.rt, item["name"])
                self.assertEqual(len(manyrt.rt.ffi.typeof(function).args), len(item["arguments"]))
                self.assertIn(item["doc"][:20], manyrt.rt.help(item["name"]))
                self.assertIn(item["name"], dir(manyrt.rt))

    def test_every_constant_has_its_value(self):
        values = {item["name"]: item["value"] for item in self.description["constants"]}
        for item in self.description["enums"]:
            values.update({value["name"]: value["value"] for value in item["values"]})
        self.assertEqual(sorted(manyrt.rt.constants()), sorted(values))
        for name, value in values.items():
            self.assertEqual(getattr(manyrt.rt, name), value)
        with self.assertRaises(AttributeError):
            manyrt.rt.rtNothing  # pylint: disable=pointless-statement

    def test_every_struct_has_the_size_of_c(self):
        for item in self.description["structs"]:
            self.assertEqual(manyrt.rt.ffi.sizeof(item["name"]), item["size"], item["name"])
            made = manyrt.rt.make(item["name"])
            if item["versioned"]:
                self.assertEqual(made.struct_size, item["size"])

    def test_every_failure_has_its_exception(self):
        statuses = next(item["values"] for item in self.description["enums"] if item["name"] == "rtStatusCode")
        failures = {item["value"]: item["name"] for item in statuses if item["value"] < 0}
        self.assertEqual({status: error.name for status, error in manyrt.errors.BY_STATUS.items()}, failures)
        for error in manyrt.errors.BY_STATUS.values():
            self.assertIs(getattr(manyrt, error.__name__), error)
            self.assertIsInstance(error("a sentence"), manyrt.Error)
            self.assertEqual(str(error("a sentence")), "a sentence")

    def test_the_low_level_module_works_alone(self):
        rt = manyrt.rt
        device, context, pointer = rt.ffi.new("rtDevice_t *"), rt.ffi.new("rtContext_t *"), rt.ffi.new("void **")
        rt.check(rt.rtDeviceGetByName(device, b"cpu"))
        rt.check(rt.rtContextCreate(context, rt.make("rtContextOptions_t", wait_policy=rt.RT_WAIT_BLOCK), device[0]))
        rt.check(rt.rtMalloc(pointer, 64, context[0]))
        rt.check(rt.rtFree(pointer[0]))
        with self.assertRaisesRegex(manyrt.InvalidValue, "rtFree"):
            rt.check(rt.rtFree(pointer[0]))
        rt.check(rt.rtContextDestroy(context[0]))

    def test_a_ctypes_module_needs_no_line_by_hand(self):
        generated = ctypes_module(self.description, ctypes.CDLL(manyrt.library_path()))
        for item in self.description["structs"]:
            self.assertEqual(ctypes.sizeof(getattr(generated, item["name"])), item["size"], item["name"])
        device, context, pointer = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        options = generated.rtContextOptions_t(struct_size=ctypes.sizeof(generated.rtContextOptions_t), label=b"generated")
        self.assertEqual(generated.rtDeviceGetByName(ctypes.byref(device), b"cpu"), generated.RT_SUCCESS)
        self.assertEqual(generated.rtContextCreate(ctypes.byref(context), ctypes.byref(options), device), generated.RT_SUCCESS)
        self.assertEqual(generated.rtMalloc(ctypes.byref(pointer), 4, context), generated.RT_SUCCESS)
        self.assertEqual(generated.rtMemset(pointer, 1, 4), generated.RT_SUCCESS)
        number = ctypes.c_int32()
        self.assertEqual(generated.rtMemcpy(ctypes.addressof(number), pointer, 4, generated.RT_MEMCPY_DEFAULT),
                         generated.RT_SUCCESS)
        self.assertEqual(number.value, 0x01010101)
        self.assertEqual(generated.rtFree(None), generated.RT_SUCCESS)
        self.assertEqual(generated.rtFree(pointer), generated.RT_SUCCESS)
        self.assertEqual(generated.rtFree(pointer), generated.RT_ERROR_INVALID_VALUE)
        self.assertEqual(generated.rtContextDestroy(context), generated.RT_SUCCESS)


if __name__ == "__main__":
    unittest.main()
