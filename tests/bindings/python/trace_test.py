#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Timelines, ranges and marks from Python, and a profiler in Python on the callback."""

import json
import pathlib
import tempfile
import unittest

import manyrt


class TraceTest(unittest.TestCase):
    def setUp(self):
        self.context = manyrt.Context("cpu")
        self.addCleanup(self.context.close)
        self.stream = self.context.stream()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "trace.json"

    def test_a_timeline_has_the_work_and_the_ranges_of_its_block(self):
        data = self.context.zeros(1000)
        data.fill(1.0, self.stream)
        self.stream.synchronize()
        with manyrt.trace(self.file):
            with manyrt.trace_range("step \u00e9"):
                data.fill(2.0, self.stream)
                manyrt.trace_mark("submitted")
                self.stream.synchronize()
        events = json.loads(self.file.read_text(encoding="utf-8"))
        self.assertEqual([event["name"] for event in events if event.get("cat") == "range"], ["step \u00e9"])
        self.assertEqual([event["name"] for event in events if event.get("cat") == "mark"], ["submitted"])
        self.assertEqual(len([event for event in events if event.get("cat") == "fill"]), 1)

    def test_bad_input(self):
        with self.assertRaises(manyrt.IO):
            manyrt.start_trace("/nonexistent/folder/trace.json")
        with self.assertRaises(manyrt.InvalidValue):
            manyrt.stop_trace()
        with manyrt.trace(self.file), self.assertRaises(manyrt.Busy):
            manyrt.start_trace(self.file)
        with self.assertRaises(ValueError), manyrt.trace_range("ends with the exception"):
            raise ValueError
        with self.assertRaises(manyrt.InvalidValue):
            manyrt.errors.check(manyrt.rt.rtTraceRangePop())

    def test_a_profiler_in_python(self):
        counts = {}

        @manyrt.rt.ffi.callback("rtTraceCallback_t")
        def receive(record, _):
            if record.type == manyrt.rt.RT_TRACE_RECORD_EXIT:
                name = manyrt.rt.ffi.string(record.name).decode()
                counts[name] = counts.get(name, 0) + 1

        data = self.context.zeros(1000)
        manyrt.errors.check(manyrt.rt.rtTraceSetCallback(receive, manyrt.rt.ffi.NULL, manyrt.rt.RT_TRACE_CALLS))
        for _ in range(10):
            data.fill(2.0, self.stream)
        self.stream.synchronize()
        manyrt.errors.check(manyrt.rt.rtTraceSetCallback(manyrt.rt.ffi.NULL, manyrt.rt.ffi.NULL, 0))
        self.assertEqual(counts["rtMemFillAsync"], 10)


if __name__ == "__main__":
    unittest.main()
