#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Streams, events and fences: order, waiting with a limit, asyncio, threads, and what the host calls cost a busy program."""

import asyncio
import gc
import threading
import time
import unittest

import manyrt
import manyrt.rt


class StreamsTest(unittest.TestCase):
    def setUp(self):
        self.context = manyrt.Context("cpu")
        self.addCleanup(self.context.close)
        self.stream = self.context.stream()
        self.gate = self.context.fence()
        self.addCleanup(self.gate.close)

    def test_waiting_with_a_limit(self):
        self.stream.wait_fence(self.gate, 1)
        event = self.stream.record()
        for wait in (self.stream.synchronize, event.synchronize, lambda timeout: self.gate.wait(1, timeout)):
            with self.assertRaises(manyrt.Timeout) as caught:
                wait(timeout=0.01)
            self.assertIsInstance(caught.exception, TimeoutError)
            self.assertEqual((caught.exception.name, caught.exception.status), ("RT_ERROR_TIMEOUT", -15))
        self.gate.signal(1)
        self.stream.synchronize(10)
        event.synchronize()
        self.gate.wait(1)
        self.assertEqual(self.gate.value, 1)
        with self.assertRaises(manyrt.InvalidValue):
            self.gate.signal(0)

    def test_streams_wait_for_streams_and_signal_fences(self):
        other = self.context.stream()
        self.stream.wait_fence(self.gate, 1)
        other.wait(self.stream)
        other.signal_fence(self.gate, 2)
        self.assertFalse(other.query())
        self.gate.signal(1)
        self.gate.wait(2, 10)
        other.synchronize()
        self.assertTrue(other.query())

    def test_an_event_loop_goes_on_while_it_awaits(self):
        async def main():
            self.stream.wait_fence(self.gate, 1)
            event, seen = self.stream.record(), []

            async def waiter(name, what):
                await what
                seen.append(name)

            tasks = [asyncio.ensure_future(waiter(name, what)) for name, what in
                     (("event", event), ("stream", self.stream), ("fence", self.gate.reached(1)))]
            for _ in range(20):
                await asyncio.sleep(0.001)
            self.assertEqual(seen, [])
            self.gate.signal(1)
            await asyncio.wait_for(asyncio.gather(*tasks), 10)
            self.assertEqual(sorted(seen), ["event", "fence", "stream"])

        asyncio.run(main())

    def test_awaiting_can_be_cancelled(self):
        async def main():
            self.stream.wait_fence(self.gate, 1)
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(self.stream, 0.02)

        asyncio.run(main())
        self.gate.signal(1)
        self.stream.synchronize()

    def test_the_failure_of_a_stream_is_raised_once(self):
        with self.context.fence() as doomed:
            self.stream.wait_fence(doomed, 1)
        with self.assertRaises(manyrt.InvalidHandle):
            self.stream.synchronize()
        self.stream.synchronize()

    def test_other_threads_run_while_one_waits(self):
        self.stream.wait_fence(self.gate, 1)
        threading.Timer(0.05, lambda: self.gate.signal(1)).start()
        self.stream.synchronize(20)  # with the GIL held, the timer could not signal

    def test_elapsed_time_needs_complete_events(self):
        start = self.stream.record()
        self.stream.wait_fence(self.gate, 1)
        stop = self.stream.record()
        with self.assertRaises(manyrt.Busy):
            stop.seconds_since(start)
        with self.assertRaises(manyrt.Busy):
            stop.timestamp()
        before = time.monotonic()
        self.gate.signal(1)
        stop.synchronize()
        self.assertGreaterEqual(stop.seconds_since(start), 0)
        seconds, error = stop.timestamp()
        self.assertGreaterEqual(seconds + error, before - 1e-6)  # as numbers of 64 bits
        self.assertLessEqual(seconds - error, time.monotonic() + 1e-6)
        with self.assertRaises(manyrt.InvalidValue):
            stop.seconds_since(self.context.event())

    def test_a_thread_that_ends_with_a_context_current_harms_no_other(self):
        seen = []

        def body():
            with self.context.current():
                seen.append(self.context.zeros(3).tolist())
            block = self.context.current()
            block.__enter__()  # and never left
            seen.append(threading.get_ident())

        thread = threading.Thread(target=body)
        thread.start()
        thread.join()
        self.assertEqual(seen[0], [0.0] * 3)
        self.assertEqual(self.context.zeros(2).tolist(), [0.0] * 2)
        current = manyrt.rt.ffi.new("rtContext_t *")
        manyrt.rt.check(manyrt.rt.rtContextGetCurrent(current))
        self.assertEqual(current[0], manyrt.rt.ffi.NULL)  # this thread's

    def test_objects_go_with_their_last_reference(self):
        gc.collect()
        before = manyrt.live_handles()
        stream = self.context.stream()
        event = stream.record()
        self.assertEqual(manyrt.live_handles(), before + 2)
        del stream, event
        gc.collect()
        self.assertEqual(manyrt.live_handles(), before)

    def test_devices(self):
        device = manyrt.Device("cpu")
        self.assertEqual(device, manyrt.devices("cpu")[0])
        self.assertEqual((device.name, device.backend, device.kind), ("cpu", "cpu", "cpu"))
        self.assertGreater(device.memory_info[1], 0)
        self.assertTrue(device.has("kernels"))
        self.assertEqual(self.context.default_stream.handle, self.context.default_stream.handle)
        with self.assertRaises(manyrt.NotFound):
            manyrt.Device("cpu:99x")
        self.assertTrue(manyrt.backend_info("cpu")["available"])
        with manyrt.Context.primary("cpu") as primary:
            self.assertEqual(primary.zeros(1).tolist(), [0.0])
        self.assertEqual(manyrt.Context.primary("cpu").zeros(1).tolist(), [0.0])


if __name__ == "__main__":
    unittest.main()
