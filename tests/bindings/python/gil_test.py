#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which calls keep the GIL: the lists of the package against `blocks` in rt.json, and whether a thread keeps its turn."""

import json
import pathlib
import re
import sys
import threading
import time
import unittest

import manyrt
import manyrt.rt
from manyrt import _gil, _library

ROOT = pathlib.Path(__file__).resolve().parents[3] / "bindings"
PACKAGE = ROOT / "python" / "src" / "manyrt"
FILL = "kernel void fill(global int *x, int value) { x[get_global_id(0)] = value; }"


def called_by_the_layer():
    """The functions that the modules of the package name, besides the interface as it is."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in PACKAGE.glob("*.py")
                     if path.name not in ("_interface.py", "_gil.py", "rt.py"))
    return set(re.findall(r"\b(?:lib|hot)\.(rt[A-Z]\w+)", text)) | set(re.findall(r'_destroy = "(rt\w+)"', text))


class ListsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        functions = json.loads((ROOT / "rt.json").read_text(encoding="utf-8"))["functions"]
        cls.blocks = {item["name"]: item["blocks"] for item in functions}
        cls.called = called_by_the_layer()

    def test_what_may_block_gives_up_the_gil(self):
        self.assertEqual([name for name in _gil.KEPT if self.blocks[name] != "never"], [])

    def test_what_never_blocks_keeps_it_or_has_a_reason(self):
        never = {name for name in self.called if self.blocks[name] == "never"}
        self.assertGreater(len(never), 80)
        self.assertEqual(_gil.KEPT & set(_gil.RELEASED), set())
        self.assertEqual(sorted(never), sorted(_gil.KEPT | set(_gil.RELEASED)))
        for name, reason in _gil.RELEASED.items():
            self.assertGreater(len(reason.split()), 5, name)

    def test_the_functions_are_the_ones_of_the_lists(self):
        for name in self.called:
            with self.subTest(name):
                function = getattr(_library.lib, name)
                self.assertEqual(isinstance(function, manyrt.rt.ffi.CData), name not in _gil.KEPT)
                self.assertIsInstance(getattr(manyrt.rt, name), manyrt.rt.ffi.CData)  # the interface as it is gives it up


class TurnsTest(unittest.TestCase):
    """Another thread is always ready to run. As no thread is told to let go for a minute, it runs only if a call lets it."""

    def setUp(self):
        self.interval = sys.getswitchinterval()
        self.addCleanup(sys.setswitchinterval, self.interval)
        self.turns, self.stop = 0, False
        self.context = manyrt.Context("cpu")
        self.stream = self.context.stream()
        self.thread = threading.Thread(target=self.run_beside)
        self.thread.start()
        self.addCleanup(self.end)

    def end(self):
        self.stop = True
        self.thread.join()
        self.context.close()

    def run_beside(self):
        while not self.stop:
            self.turns += 1
            time.sleep(0)

    def turns_during(self, call):
        """How often the other thread had a turn while call() ran 200 times."""
        call()
        sys.setswitchinterval(60)
        time.sleep(0.02)  # the other thread waits with the new interval from here on
        before = self.turns
        for _ in range(200):
            call()
        turns = self.turns - before
        sys.setswitchinterval(self.interval)
        return turns

    def test_short_calls_keep_their_turn(self):
        stream, event, fence = self.stream, self.context.event(), self.context.fence()
        other, data = self.context.stream(), self.context.zeros(64, "int32")
        kernel = self.context.module(FILL)["fill"]
        step, pool = kernel[1, 64], self.context.pool()
        graph_exec = self.captured(data)
        stream.record(event)
        for name, call in (("record", lambda: stream.record(event)), ("query", stream.query), ("event", event.query),
                           ("wait", lambda: other.wait(event)), ("wait for a stream", lambda: other.wait(stream)),
                           ("launch", lambda: step(stream, data, 1)), ("graph", lambda: graph_exec.launch(stream)),
                           ("value", lambda: fence.value), ("wait for a fence", lambda: stream.wait_fence(fence, 0)),
                           ("fill", lambda: data.fill(3, stream)), ("capturing", lambda: stream.capturing),
                           ("pool", lambda: pool.stats), ("has", lambda: self.context.device.has("double")),
                           ("handles", manyrt.live_handles)):
            with self.subTest(name):
                self.assertEqual(self.turns_during(call), 0)

    def captured(self, data):
        with self.stream.capture() as graph:
            data.fill(1, self.stream)
        return graph.instantiate()

    def test_waits_give_it_up(self):
        fence = self.context.fence()

        def wait():
            with self.assertRaises(manyrt.Timeout):
                fence.wait(1, 0.001)

        self.assertGreater(self.turns_during(wait), 0)


class ArgumentsTest(unittest.TestCase):
    """Functions that keep the GIL refuse what cffi refuses."""

    def test_numbers_are_not_cut_off(self):
        with manyrt.Context("cpu") as context, context.stream() as stream, context.fence() as fence:
            for value in (2**64, -1):
                with self.assertRaises(OverflowError):
                    stream.wait_fence(fence, value)
            with self.assertRaises(TypeError):
                stream.wait_fence(fence, 1.5)
            with self.assertRaises(OverflowError):
                context.fence(2**64)

    def test_handles_have_their_type(self):
        with manyrt.Context("cpu") as context, context.stream() as stream, context.event() as event:
            with self.assertRaisesRegex(TypeError, "rtFence_st"):
                stream.wait_fence(event, 1)
            with self.assertRaisesRegex(TypeError, "rtStreamIsCapturing takes 2"):
                _library.lib.rtStreamIsCapturing(stream.handle)

    def test_a_callback_may_run_inside(self):
        threads, lock, released = [], threading.Lock(), threading.Event()

        def called(*arguments):
            with lock:  # of another thread, too, which has to get the GIL to let go of it
                threads.append(threading.get_ident())
            if arguments[1:]:
                return 0
            released.set()  # a release function has one argument, gives nothing back, and may come after the synchronisation
            return None

        native = manyrt.rt.ffi.callback("rtNativeFunction_t", called)
        release = manyrt.rt.ffi.callback("rtReleaseFunction_t", called)
        holder = threading.Thread(target=lambda: [lock.acquire(), held.set(), time.sleep(0.05), lock.release()])
        held = threading.Event()
        with manyrt.Context("cpu") as context, context.stream() as stream:
            holder.start()
            held.wait()
            status = _library.lib.rtStreamLaunchNativeWithRelease(native, manyrt.rt.ffi.NULL, release, stream.handle)
            self.assertEqual(status, 0)
            stream.synchronize()
            self.assertTrue(released.wait(20))
        holder.join()
        self.assertEqual(len(threads), 2)


if __name__ == "__main__":
    unittest.main()
