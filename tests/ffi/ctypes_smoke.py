#!/usr/bin/env python3
"""Calls libmanyrt from Python through ctypes, with every declaration taken from bindings/rt.json.

Shows that the description is enough for a foreign-function interface: all symbols exist, all structs have the size that C
gives them, and memory, streams, events, fences, host functions, a host kernel and modules work on the CPU.
Usage: ctypes_smoke.py libmanyrt.so rt.json host_module.so
"""

import ctypes
import json
import pathlib
import sys
import unittest

SCALARS = {
    "void": None, "char": ctypes.c_char, "float": ctypes.c_float, "size_t": ctypes.c_size_t, "int32_t": ctypes.c_int32,
    "int64_t": ctypes.c_int64, "uint8_t": ctypes.c_uint8, "uint32_t": ctypes.c_uint32, "uint64_t": ctypes.c_uint64,
    "rtStatus_t": ctypes.c_int32,
}


class RtError(Exception):
    """A status below 0, with the library's sentence."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class Binding:
    """The library as rt.json describes it: types, constants, and one method for each function."""

    def __init__(self, library, description):
        self.description = description
        self.types = dict(SCALARS)
        self.constants = {item["name"]: item["value"] for item in description["constants"]}
        for enum in description["enums"]:
            self.constants.update({item["name"]: item["value"] for item in enum["values"]})
        for handle in description["handles"]:
            self.types[handle["name"]] = ctypes.c_void_p
        for name in [struct["name"] for struct in description["structs"]]:
            self.types[name] = type(name, (ctypes.Structure,), {})
        for callback in description["callbacks"]:
            arguments = [self.type_of(argument["type"]) for argument in callback["arguments"]]
            self.types[callback["name"]] = ctypes.CFUNCTYPE(self.type_of(callback["return"]), *arguments)
        for struct in description["structs"]:
            self.types[struct["name"]]._fields_ = [(field["name"], self.field_type(field)) for field in struct["fields"]]
        self.library = ctypes.CDLL(str(library))
        self.functions = {}
        for function in description["functions"]:
            symbol = getattr(self.library, function["name"])
            symbol.restype = self.type_of(function["return"])
            symbol.argtypes = [self.type_of(argument["type"]) for argument in function["arguments"]]
            self.functions[function["name"]] = symbol

    def type_of(self, text):
        """The ctypes type for a C type of rt.json. Pointers to anything but char and void keep their target."""
        text = text.replace("const ", "").replace("*const", "*").strip()
        if text in self.types:
            return self.types[text]
        if text == "char *":
            return ctypes.c_char_p
        if text == "void *":
            return ctypes.c_void_p
        return ctypes.POINTER(self.type_of(text[:-1].strip()))

    def field_type(self, field):
        base = self.type_of(field["type"])
        return base * field["count"] if "count" in field else base

    def make(self, struct, **fields):
        """A struct with struct_size set, as its initialiser macro makes it."""
        value = self.types[struct]()
        if hasattr(value, "struct_size"):
            value.struct_size = ctypes.sizeof(value)
        for name, field in fields.items():
            setattr(value, name, field)
        return value

    def message(self):
        buffer = ctypes.create_string_buffer(1024)
        self.functions["rtGetLastErrorMessage"](buffer, len(buffer), None)
        return buffer.value.decode()

    def __getattr__(self, name):
        function = self.functions[name]

        def call(*arguments):
            result = function(*arguments)
            if function.restype is ctypes.c_int32 and result < 0:
                raise RtError(result, self.message())
            return result

        return call


class CtypesTest(unittest.TestCase):
    library = None
    json = None
    module = None

    @classmethod
    def setUpClass(cls):
        cls.rt = Binding(cls.library, json.loads(pathlib.Path(cls.json).read_text(encoding="utf-8")))
        cls.device = ctypes.c_void_p()
        cls.rt.rtDeviceGet(ctypes.byref(cls.device), cls.rt.constants["RT_BACKEND_CPU"], 0)
        cls.context = ctypes.c_void_p()
        cls.rt.rtContextCreate(ctypes.byref(cls.context), None, cls.device)

    @classmethod
    def tearDownClass(cls):
        cls.rt.rtContextDestroy(cls.context)
        count = ctypes.c_uint64()
        cls.rt.rtGetLiveHandleCount(ctypes.byref(count), cls.rt.constants["RT_HANDLE_ALL"])
        assert count.value == 0, f"{count.value} handles are alive at the end"

    def stream(self):
        stream = ctypes.c_void_p()
        self.rt.rtStreamCreate(ctypes.byref(stream), None, self.context)
        self.addCleanup(self.rt.rtStreamDestroy, stream)
        return stream

    def memory(self, size):
        pointer = ctypes.c_void_p()
        self.rt.rtMalloc(ctypes.byref(pointer), size, self.context)
        self.addCleanup(self.rt.rtFree, pointer)
        return pointer

    def test_version_is_that_of_the_description(self):
        version = ctypes.c_uint32()
        self.rt.rtGetVersion(ctypes.byref(version))
        parts = [version.value // 10000, version.value // 100 % 100, version.value % 100]
        self.assertEqual(".".join(map(str, parts)), self.rt.description["version"])

    def test_structs_have_the_layout_of_c(self):
        for struct in self.rt.description["structs"]:
            kind = self.rt.types[struct["name"]]
            self.assertEqual(ctypes.sizeof(kind), struct["size"], struct["name"])
            self.assertEqual(ctypes.alignment(kind), struct["alignment"], struct["name"])
            for field in struct["fields"]:
                self.assertEqual(getattr(kind, field["name"]).offset, field["offset"], f"{struct['name']}.{field['name']}")

    def test_properties_name_the_device(self):
        properties = self.rt.make("rtDeviceProperties_t")
        self.rt.rtDeviceGetProperties(ctypes.byref(properties), self.device)
        self.assertEqual(properties.struct_size, ctypes.sizeof(properties))
        self.assertEqual(properties.kind, self.rt.constants["RT_DEVICE_KIND_CPU"])
        self.assertTrue(properties.id.startswith(b"cpu"))
        self.assertGreater(properties.memory_bytes, 0)

    def test_copies_there_and_back(self):
        stream, size = self.stream(), 1 << 16
        source = (ctypes.c_uint8 * size)(*[i * 7 & 255 for i in range(size)])
        target = (ctypes.c_uint8 * size)()
        pointer, default = self.memory(size), self.rt.constants["RT_MEMCPY_DEFAULT"]
        self.rt.rtMemcpyAsync(pointer, source, size, default, stream)
        self.rt.rtMemcpyAsync(target, pointer, size, default, stream)
        self.rt.rtStreamSynchronize(stream)
        self.assertEqual(bytes(source), bytes(target))
        self.rt.rtMemset(pointer, 0x5A, size)
        self.rt.rtMemcpy(target, pointer, size, self.rt.constants["RT_MEMCPY_DEVICE_TO_HOST"])
        self.assertEqual(bytes(target), b"\x5a" * size)

    def test_events_measure_and_order(self):
        first, second = self.stream(), self.stream()
        start, end = ctypes.c_void_p(), ctypes.c_void_p()
        for event in (start, end):
            self.rt.rtEventCreate(ctypes.byref(event), None, self.context)
            self.addCleanup(self.rt.rtEventDestroy, event)
        pointer = self.memory(1 << 20)
        self.rt.rtEventRecord(start, first)
        self.rt.rtMemsetAsync(pointer, 1, 1 << 20, first)
        self.rt.rtEventRecord(end, first)
        self.rt.rtStreamWaitEvent(end, second)
        self.rt.rtStreamSynchronize(second)
        self.assertEqual(self.rt.rtEventQuery(end), self.rt.constants["RT_SUCCESS"])
        milliseconds = ctypes.c_float()
        self.rt.rtEventElapsedTime(ctypes.byref(milliseconds), start, end)
        self.assertGreaterEqual(milliseconds.value, 0)

    def test_a_fence_holds_a_host_function_back(self):
        stream, fence, calls = self.stream(), ctypes.c_void_p(), []
        self.rt.rtFenceCreate(ctypes.byref(fence), 0, self.context)
        self.addCleanup(self.rt.rtFenceDestroy, fence)
        function = self.rt.types["rtHostFunction_t"](lambda user, status: calls.append((user, status)))
        self.rt.rtStreamWaitFence(fence, 1, stream)
        self.rt.rtLaunchHostFunction(function, 42, stream)
        self.assertEqual(self.rt.rtStreamQuery(stream), self.rt.constants["RT_NOT_READY"])
        self.assertEqual(calls, [])
        self.rt.rtFenceSignal(1, fence)
        self.rt.rtStreamSynchronize(stream)
        self.assertEqual(calls, [(42, self.rt.constants["RT_SUCCESS"])])

    def test_a_python_function_is_a_kernel(self):
        stream, count = self.stream(), 4096

        def body(group, args):
            data = ctypes.cast(args[0], ctypes.POINTER(ctypes.c_void_p))[0]
            values = ctypes.cast(data, ctypes.POINTER(ctypes.c_uint32))
            factor = ctypes.cast(args[1], ctypes.POINTER(ctypes.c_uint32))[0]
            width = group[0].group_size[0]
            for i in range(group[0].group_id[0] * width, (group[0].group_id[0] + 1) * width):
                values[i] = i * factor

        function = self.rt.types["rtHostKernelFunction_t"](body)
        arguments = (self.rt.types["rtHostArg_t"] * 2)()
        arguments[0].size, arguments[0].kind = 8, self.rt.constants["RT_ARG_POINTER"]
        arguments[1].size, arguments[1].kind = 4, self.rt.constants["RT_ARG_VALUE"]
        host = self.rt.make("rtHostKernel_t", arg_count=2, function=function, args=arguments, name=b"scale")
        kernel = ctypes.c_void_p()
        self.rt.rtKernelCreateFromHost(ctypes.byref(kernel), ctypes.byref(host), self.context)
        self.addCleanup(self.rt.rtKernelDestroy, kernel)
        name = ctypes.create_string_buffer(16)
        self.rt.rtKernelGetName(name, len(name), None, kernel)
        self.assertEqual(name.value, b"scale")

        pointer, factor = self.memory(4 * count), ctypes.c_uint32(3)
        args = (ctypes.c_void_p * 2)(ctypes.addressof(pointer), ctypes.addressof(factor))
        self.rt.rtLaunchKernel(kernel, count // 256, 1, 1, 256, 1, 1, 0, stream, args, self.rt.constants["RT_ARGS_ALL"])
        self.rt.rtStreamSynchronize(stream)
        result = (ctypes.c_uint32 * count)()
        self.rt.rtMemcpy(result, pointer, 4 * count, self.rt.constants["RT_MEMCPY_DEFAULT"])
        self.assertEqual(list(result), [3 * i for i in range(count)])

    def run_iota(self, module, base):
        """Launches the module's kernel iota(out, count, base) and looks at what it wrote."""
        kernel, again, count, stream = ctypes.c_void_p(), ctypes.c_void_p(), 1000, self.stream()
        self.rt.rtModuleGetKernel(ctypes.byref(kernel), b"iota", module)
        self.rt.rtModuleGetKernelByIndex(ctypes.byref(again), 0, module)
        self.assertEqual(kernel.value, again.value)
        info = self.rt.make("rtKernelArgInfo_t")
        self.rt.rtKernelGetArgInfo(ctypes.byref(info), 1, kernel)
        self.assertEqual((info.name, info.type_name, info.size), (b"count", b"uint", 4))
        pointer, words = self.memory(4 * count), (ctypes.c_uint32(count), ctypes.c_uint32(base))
        args = (ctypes.c_void_p * 3)(ctypes.addressof(pointer), ctypes.addressof(words[0]), ctypes.addressof(words[1]))
        self.rt.rtLaunchKernel(kernel, 16, 1, 1, 64, 1, 1, 0, stream, args, 3)
        self.rt.rtStreamSynchronize(stream)
        result = (ctypes.c_uint32 * count)()
        self.rt.rtMemcpy(result, pointer, 4 * count, self.rt.constants["RT_MEMCPY_DEFAULT"])
        self.assertEqual(list(result), [base + i for i in range(count)])

    def test_a_module_of_a_shared_object_runs(self):
        module = ctypes.c_void_p()
        options = self.rt.make("rtModuleOptions_t", format=self.rt.constants["RT_IMAGE_HOST_OBJECT"], name=b"smoke")
        self.rt.rtModuleLoadFile(ctypes.byref(module), self.module.encode(), ctypes.byref(options), self.context)
        self.addCleanup(self.rt.rtModuleDestroy, module)
        self.run_iota(module, 5)
        address, size = ctypes.c_void_p(), ctypes.c_uint64()
        self.rt.rtModuleGetGlobal(ctypes.byref(address), ctypes.byref(size), b"counter", module)
        self.assertEqual((size.value, ctypes.c_int64.from_address(address.value).value), (8, 42))

    def test_a_module_of_a_source_runs(self):
        source = b"""#include "base.h"
__kernel void iota(__global uint *out, uint count, uint base) {
  uint i = get_global_id(0);
  if (i < count) out[i] = base + i + BASE;
}
"""
        names, texts = (ctypes.c_char_p * 1)(b"base.h"), (ctypes.c_char_p * 1)(b"#define BASE 0u\n")
        options = self.rt.make("rtModuleOptions_t", build_options=b"-cl-mad-enable", name=b"smoke.cl", header_count=1,
                               header_names=names, headers=texts)
        module = ctypes.c_void_p()
        self.rt.rtModuleLoadData(ctypes.byref(module), source, len(source), ctypes.byref(options), self.context)
        self.addCleanup(self.rt.rtModuleDestroy, module)
        self.run_iota(module, 9)
        with self.assertRaises(RtError) as caught:
            self.rt.rtModuleCreateFromSource(ctypes.byref(module), b"__kernel void broken( {", None, self.context)
        self.assertEqual(caught.exception.status, self.rt.constants["RT_ERROR_BUILD_FAILED"])

    def test_a_failure_has_a_status_and_a_sentence(self):
        with self.assertRaises(RtError) as caught:
            self.rt.rtStreamSynchronize(ctypes.c_void_p(0x1234567890))
        self.assertEqual(caught.exception.status, self.rt.constants["RT_ERROR_INVALID_HANDLE"])
        self.assertIn("stream", str(caught.exception))
        self.rt.functions["rtGetErrorName"].restype = ctypes.c_char_p
        self.assertEqual(self.rt.functions["rtGetErrorName"](-2), b"RT_ERROR_INVALID_HANDLE")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    CtypesTest.module = sys.argv.pop(3)
    CtypesTest.json = sys.argv.pop(2)
    CtypesTest.library = sys.argv.pop(1)
    unittest.main(verbosity=2)
