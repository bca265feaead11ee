# SPDX-License-Identifier: Apache-2.0
"""A device for random_programs.py through ctypes alone, so that any Python runs it. MANYRT_LIBRARY is the library's path.
KERNEL_IR is that of the program kernel_ir, which interprets kernels as one more device: "ir", or with its passes "ir:all",
which also holds the analysis of divergence against the run; "ir:lanes0" to "ir:lanes2" have lanes along that dimension."""

import ctypes
import os
import pathlib
import subprocess
import tempfile

SUCCESS = 0
MEMCPY_DEFAULT = ctypes.c_int32(0)


class Error(Exception):
    """A call that failed, with the library's message."""


class Device:
    """A context on a device with its default stream. Ends with the process."""

    def __init__(self, name):
        self.library = ctypes.CDLL(os.environ.get("MANYRT_LIBRARY", "libmanyrt.so.0"))
        device, self.context, self.stream = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        self.call("rtDeviceGetByName", ctypes.byref(device), name.encode())
        self.call("rtContextCreate", ctypes.byref(self.context), None, device)
        self.call("rtContextGetDefaultStream", ctypes.byref(self.stream), self.context)

    def call(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        if code != SUCCESS:
            needed = ctypes.c_size_t()
            self.library.rtGetLastErrorMessage(None, ctypes.c_size_t(0), ctypes.byref(needed))
            text = ctypes.create_string_buffer(max(1, needed.value))
            self.library.rtGetLastErrorMessage(text, ctypes.c_size_t(len(text)), None)
            raise Error(f"{name} gave {code}: {text.value.decode(errors='replace')}")

    def module(self, source, options):
        module = ctypes.c_void_p()
        self.call("rtModuleCreateFromSource", ctypes.byref(module), source.encode(), options.encode(), self.context)
        return module

    def destroy(self, module):
        self.call("rtModuleDestroy", module)

    def run(self, module, name, grid, group, arguments, out_words):
        """Arguments are arrays of ctypes, which the kernel reads, None for the words that it writes (zeros before), or single
        values of ctypes (a size_t is the bytes of local memory). Returns the words."""
        return self.launched(module, name, grid, group, arguments, (ctypes.c_uint32 * out_words)())

    def changed(self, module, name, grid, group, arguments):
        """The same, of a kernel that writes to its first argument, an array of words, which stays as it is."""
        return self.launched(module, name, grid, group, (None, *arguments[1:]),
            type(arguments[0]).from_buffer_copy(arguments[0]))

    def launched(self, module, name, grid, group, arguments, out):
        kernel = ctypes.c_void_p()
        self.call("rtModuleGetKernel", ctypes.byref(kernel), name.encode(), module)
        allocated = []
        try:
            written = self.uploaded(out, allocated)
            values = [written if argument is None else
                      self.uploaded(argument, allocated) if isinstance(argument, ctypes.Array) else argument
                      for argument in arguments]
            places = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
            sizes = [ctypes.c_uint32(size) for size in (*grid, 1)[:3] + (*group, 1)[:3]]
            self.call("rtLaunchKernel", kernel, *sizes, ctypes.c_uint32(0), self.stream, places, ctypes.c_uint32(len(values)))
            self.copy(out, written, out)
            self.call("rtStreamSynchronize", self.stream)
        finally:
            for pointer in allocated:
                self.call("rtFree", pointer)
        return list(out)

    def uploaded(self, data, allocated):
        pointer = ctypes.c_void_p()
        self.call("rtMalloc", ctypes.byref(pointer), ctypes.c_size_t(ctypes.sizeof(data)), self.context)
        allocated.append(pointer)
        self.copy(pointer, data, data)
        return pointer

    def copy(self, to, source, sized):
        self.call("rtMemcpyAsync", to, source, ctypes.c_size_t(ctypes.sizeof(sized)), MEMCPY_DEFAULT, self.stream)


class Interpreter:
    """The same without a device: each launch is a process that interprets the kernel's IR."""

    def __init__(self, passes):
        self.program = os.environ.get("KERNEL_IR", "")
        self.passes = ("--pass", passes, "--divergence", "--accesses") if passes else ("--accesses",)
        if passes in ("lanes0", "lanes1", "lanes2"):
            self.passes = ("--vectors", "64", "--along", passes[-1], "--pass", "all")
        if not os.access(self.program, os.X_OK):
            raise Error("KERNEL_IR names no program")
        self.folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with

    def asked(self, *words):
        ran = subprocess.run([self.program, *self.passes, *words], capture_output=True, text=True, check=False)
        if ran.returncode != 0:
            raise Error(f"the IR: {ran.stderr.strip()[:400]} (exit status {ran.returncode})")

    def module(self, source, options):
        path = pathlib.Path(self.folder.name) / "kernel.cl"
        path.write_text(source, encoding="utf-8")
        module = (str(path), *options.split())
        self.asked("--again", *module)
        return module

    def destroy(self, module):
        pathlib.Path(module[0]).unlink()

    def run(self, module, name, grid, group, arguments, out_words):
        return self.launched(module, name, grid, group, arguments, (ctypes.c_uint32 * out_words)())

    def changed(self, module, name, grid, group, arguments):
        return self.launched(module, name, grid, group, (None, *arguments[1:]), arguments[0])

    def launched(self, module, name, grid, group, arguments, out):
        words, written = [], pathlib.Path(self.folder.name) / "out"
        for number, argument in enumerate(arguments):
            if argument is None or isinstance(argument, ctypes.Array):
                path = written if argument is None else pathlib.Path(self.folder.name) / f"in{number}"
                path.write_bytes(bytes(out if argument is None else argument))
                words.append(f"buffer:{path}")
            else:
                words.append(f"value:{bytes(argument).hex()}")
        sizes = [",".join(str(size) for size in (*of, 1)[:3]) for of in (grid, group)]
        self.asked("--run", name, *sizes, *words, "--", *module)
        return list((ctypes.c_uint32 * len(out)).from_buffer_copy(written.read_bytes()))


def opened(name):
    kind, _, passes = name.partition(":")
    return Interpreter(passes) if kind == "ir" else Device(name)
