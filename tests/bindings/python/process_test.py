#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whole processes: the end of the interpreter, fork, two copies of the library, and libraries that do not fit."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

LIBRARY = pathlib.Path(os.environ["MANYRT_LIBRARY"]).resolve()


def run(code, **environment):
    return subprocess.run([sys.executable, "-c", code], env={**os.environ, **environment}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False, timeout=100)


class ProcessTest(unittest.TestCase):
    def succeeds(self, code, **environment):
        done = run(code, **environment)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_the_end_of_the_interpreter_with_everything_open(self):
        out = self.succeeds("""
import manyrt
context = manyrt.Context("cpu")
stream, gate = context.stream(), context.fence()
data = context.zeros(1 << 16, kind="host")
view, capsule = data.host(), data.__dlpack__()
stream.call(lambda: print("called", flush=True))
stream.wait_fence(gate, 1)
stream.call(lambda: print("wrong", flush=True), lambda status: print("failed", status, flush=True))
manyrt.set_log(lambda level, line: None, "debug")
""")
        self.assertIn("called", out)
        self.assertIn("failed -2", out)
        self.assertNotIn("wrong", out)

    def test_a_fence_that_outlives_its_context_does_not_disturb_the_end(self):
        out = self.succeeds("""
import manyrt
first, second = manyrt.Context("cpu"), manyrt.Context("cpu")
stale = [first.fence() for _ in range(4)]
first.close()
stream, gate = second.stream(), second.fence()
stream.wait_fence(gate, 1)
stream.call(print, lambda status: print("failed", status, flush=True))
""")
        self.assertEqual(out.strip(), "failed -2")

    def test_daemon_threads_that_wait_do_not_hold_up_the_end(self):
        began = time.monotonic()
        self.succeeds("""
import manyrt, threading, time
context = manyrt.Context("cpu")
stream, gate = context.stream(), context.fence()
stream.wait_fence(gate, 1)
def wait():
    try:
        stream.synchronize()
    except manyrt.Error:
        pass
threading.Thread(target=wait, daemon=True).start()
time.sleep(0.1)
""")
        self.assertLess(time.monotonic() - began, 60)

    def test_use_after_the_library_has_ended_is_an_error(self):
        out = self.succeeds("""
import atexit
def late():
    try:
        context.zeros(4)
    except manyrt.ShutDown as error:
        print("ended:", error.name)
    context.close()
atexit.register(late)  # before the package's own: runs after it
import manyrt
context = manyrt.Context("cpu")
""")
        self.assertIn("ended: RT_ERROR_SHUT_DOWN", out)

    def test_a_child_that_is_forked_after_the_first_use_is_told_and_ends_well(self):
        out = self.succeeds("""
import manyrt, os, sys
context = manyrt.Context("cpu")
data = context.zeros(4)
child = os.fork()
if child == 0:
    try:
        context.zeros(4)
    except manyrt.Forked as error:
        print("child:", error, flush=True)
    data.close()
    sys.exit(7)
_, status = os.waitpid(child, 0)
print("child ended with", os.waitstatus_to_exitcode(status), data.tolist())
""")
        self.assertIn("child: ", out)
        self.assertIn("child ended with 7 [0.0, 0.0, 0.0, 0.0]", out)

    def test_a_child_that_is_forked_before_the_first_use_works(self):
        out = self.succeeds("""
import manyrt, os, sys
child = os.fork()
context = manyrt.Context("cpu")
os.write(1, f"{'parent' if child else 'child'} {context.zeros(2).tolist()}\\n".encode())  # one write: both share the pipe
if child == 0:
    sys.exit(0)
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status))
""")
        self.assertIn("child [0.0, 0.0]", out)
        self.assertIn("parent [0.0, 0.0]", out)

    def test_control_c_ends_every_wait(self):
        for wait in ("stream.synchronize()", "stream.synchronize(90)", "event.synchronize()", "gate.wait(1)",
                     "gate.wait(1, 90)", "context.synchronize()", "context.device.synchronize()", "data.tolist(stream)",
                     "data.copy_from([1, 2, 3])", "data.fill(1)", "asyncio.run(asleep())"):
            with self.subTest(wait=wait):
                out = self.succeeds(f"""
import asyncio, manyrt, os, signal, threading
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background may have been started without it
context = manyrt.Context("cpu")
stream, gate, data = context.stream(), context.fence(), context.zeros(3)
stream.wait_fence(gate, 1)
context.default_stream.wait_fence(gate, 1)
event = stream.record()
async def asleep():
    await event
threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    {wait}
except KeyboardInterrupt:
    print("interrupted")
gate.signal(1)
""")
                self.assertIn("interrupted", out)

    def test_two_copies_of_the_library_in_one_process(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "libmanyrt.so.0"
            shutil.copyfile(LIBRARY, copy)
            out = self.succeeds(f"""
import ctypes, manyrt
other = ctypes.CDLL({str(copy)!r}, mode=ctypes.RTLD_LOCAL)
device, context, pointer = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
for status in (other.rtDeviceGetByName(ctypes.byref(device), b"cpu"),
               other.rtContextCreate(ctypes.byref(context), None, device),
               other.rtMalloc(ctypes.byref(pointer), ctypes.c_size_t(64), context)):
    assert status == 0, status
with manyrt.Context("cpu") as own, own.stream() as stream:
    data = own.array([1, 2, 3], "float32")
    kernel = own.module("kernel void f(global float *x) {{ x[get_global_id(0)] *= 2; }}")["f"]
    kernel[1, 3](stream, data)
    print(data.tolist(stream), manyrt.live_handles("context"))
assert other.rtMemset(pointer, 0, ctypes.c_size_t(64)) == 0
assert other.rtFree(pointer) == 0
assert other.rtContextDestroy(context) == 0
""")
            self.assertIn("[2.0, 4.0, 6.0] 1", out)

    def test_the_garbage_collector_may_run_while_cffi_builds_a_type(self):
        self.succeeds("""
import gc, manyrt
ffi = manyrt.rt.ffi
context = manyrt.Context("cpu")
source = context.zeros(4)
context.from_dlpack(source).close()
gc.disable()
collections, start = [0], manyrt.live_handles()
gc.callbacks.append(lambda phase, info: collections.__setitem__(0, collections[0] + info.get("collected", 0)))
for size in range(1, 300):
    stale = size % 2  # destroys that work, and destroys that fail because the context went first
    own = manyrt.Context("cpu")
    garbage = [own, own.stream(), own.event(), own.fence(), own.pool(), own.zeros(4), own.from_dlpack(source),
               source.__dlpack__()]
    if stale:
        manyrt.rt.check(manyrt.rt.rtContextDestroy(own.handle))
    garbage.append(garbage)
    del garbage, own
    before = collections[0]
    gc.set_threshold(1)
    gc.enable()
    built = ffi.typeof(f"struct DLManagedTensor *(*)(uint16_t(*)[{size}], rtDeviceProperties_t[{size}])")
    gc.disable()
    assert built.args == (ffi.typeof(f"uint16_t(*)[{size}]"), ffi.typeof("rtDeviceProperties_t *")), built.args
    assert built.result is ffi.typeof("DLManagedTensor *"), built
    assert collections[0] > before, "no collection ran inside"
gc.collect()
context.synchronize()
print(start, manyrt.live_handles())
""")

    def test_the_symbols_of_the_library_stay_local(self):
        self.succeeds("""
import ctypes, manyrt
try:
    ctypes.CDLL(None).rtGetVersion
except AttributeError:
    raise SystemExit(0)
raise SystemExit("rtGetVersion is visible to the whole process")
""")

    def test_a_library_of_something_else_is_refused(self):
        done = run("import manyrt", MANYRT_LIBRARY="libc.so.6")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("LibraryError", done.stdout)
        self.assertIn("is not libmanyrt", done.stdout)


if __name__ == "__main__":
    unittest.main()
