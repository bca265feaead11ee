#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Python functions that the library calls: order, exceptions in them, failed streams, captured calls, log lines."""

import os
import subprocess
import sys
import threading
import time
import unittest
import weakref

import manyrt


def soon(condition):
    """Whether it holds within five seconds: a thread of the library lets go of a function when its call is over."""
    end = time.monotonic() + 5
    while not condition() and time.monotonic() < end:
        time.sleep(0.001)
    return condition()


class CallbacksTest(unittest.TestCase):
    def setUp(self):
        self.context = manyrt.Context("cpu")
        self.addCleanup(self.context.close)
        self.stream = self.context.stream()
        self.reported = []
        self.addCleanup(setattr, threading, "excepthook", threading.excepthook)
        threading.excepthook = self.reported.append

    def test_functions_run_in_order_after_the_work(self):
        seen, data = [], self.context.zeros(1000)
        for value in range(100):
            data.fill(value, self.stream)
            self.stream.call(lambda value=value: seen.append((value, data.host()[999])))
        self.stream.synchronize()
        self.assertEqual(seen, [(value, float(value)) for value in range(100)])

    def test_an_exception_is_reported_and_the_work_goes_on(self):
        def fail():
            raise ValueError("told to")

        self.stream.call(fail)
        data = self.context.zeros(1)
        data.fill(1.0, self.stream)
        self.stream.synchronize()
        self.assertEqual(data.tolist(), [1.0])
        self.assertEqual([(args.exc_type, str(args.exc_value)) for args in self.reported], [(ValueError, "told to")])

    def test_even_system_exit_in_a_function_does_not_end_the_process(self):
        def leave():
            raise SystemExit(3)

        self.stream.call(leave)
        self.stream.synchronize()
        self.assertEqual(self.reported[0].exc_type, SystemExit)

    def test_a_failed_stream_calls_on_failure_with_the_status(self):
        seen = []
        with self.context.fence() as doomed:
            self.stream.wait_fence(doomed, 1)
            self.stream.call(lambda: seen.append("called"), seen.append)
            self.stream.call(lambda: seen.append("called"))
        with self.assertRaises(manyrt.InvalidHandle):
            self.stream.synchronize()
        self.assertEqual(seen, [manyrt.InvalidHandle.status])

    def test_waiting_for_the_own_stream_is_busy(self):
        self.stream.call(self.stream.synchronize)
        self.stream.synchronize()
        self.assertEqual(self.reported[0].exc_type, manyrt.Busy)

    def test_calls_are_legal_inside_and_after_the_stream_was_closed(self):
        seen, gate = [], self.context.fence()
        self.stream.wait_fence(gate, 1)
        done = self.context.fence()

        def body():
            seen.append(self.context.array([1, 2, 3]).tolist())
            done.signal(1)

        self.stream.call(body)
        self.stream.close()
        gate.signal(1)
        done.wait(1, 10)
        self.assertEqual(seen, [[1, 2, 3]])

    def test_a_captured_function_is_called_at_each_launch(self):
        seen = []
        with self.stream.capture() as graph:
            self.stream.call(lambda: seen.append(1))
        self.assertEqual(seen, [])
        with graph.instantiate() as exec_:
            for _ in range(3):
                exec_.launch(self.stream)
            self.stream.synchronize()
        self.assertEqual(seen, [1, 1, 1])

    def test_a_captured_function_is_forgotten_with_the_last_exec(self):
        class Counter:
            def __call__(self):
                pass

        counter = Counter()
        gone = weakref.ref(counter)
        with self.stream.capture() as graph:
            self.stream.call(counter)
        executable = graph.instantiate()
        graph.close()
        del counter
        executable.launch(self.stream)
        self.stream.synchronize()
        self.assertIsNotNone(gone(), "it can be launched again")
        executable.close()
        self.assertTrue(soon(lambda: gone() is None))

    def test_functions_are_forgotten_after_their_call(self):
        self.assertTrue(soon(lambda: not manyrt._callbacks._functions), "those of the tests before")
        for _ in range(50):
            self.stream.call(lambda: None)
        self.stream.synchronize()
        self.assertTrue(soon(lambda: not manyrt._callbacks._functions))
        with self.assertRaises(manyrt.InvalidHandle):
            closed = self.context.stream()
            closed.close()
            closed.call(lambda: None)
        self.assertEqual(len(manyrt._callbacks._functions), 0)

    def test_a_log_function_that_replaces_itself_is_refused_and_stays(self):
        program = """
import manyrt
lines = []
def note(level, line):
    lines.append(line)
    try:
        manyrt.set_log(None)
        print("not refused")
    except manyrt.Busy:
        pass
manyrt.set_log(note)
with manyrt.Context("cpu") as context:
    context.zeros(4)
    context.module("kernel void k(global int* x) { x[0] = 1; }")
manyrt.set_log(None)
print(any("RT_POOL" in line for line in lines), any("not kept" in line for line in lines))
"""
        # Two settings that are not used: each is a line of the log, the second one after the function's attempt.
        environment = {**os.environ, "RT_POOL": "no value", "RT_CACHE_DIR": "/dev/null/no_folder"}
        done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout.split(), ["True", "True"], done.stderr)

    def test_log_lines_come_to_python(self):
        lines = []
        manyrt.set_log(lambda level, line: lines.append((level, line)), "debug")
        try:
            with manyrt.Context("cpu") as context:
                context.zeros(4)
        finally:
            manyrt.set_log(None)
        for level, line in lines:
            self.assertIsInstance(line, str)
            self.assertGreater(level, 0)
        with self.assertRaisesRegex(manyrt.InvalidValue, "loud"):
            manyrt.set_log(None, "loud")


if __name__ == "__main__":
    unittest.main()
