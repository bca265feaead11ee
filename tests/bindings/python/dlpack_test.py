#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""DLPack with numpy, with PyTorch where it is found, and with this package itself: no copy, owners that live long enough."""

import gc
import time
import unittest
import weakref

import manyrt
from manyrt import dlpack

try:
    import numpy
except ImportError:
    numpy = None
try:
    import torch
except ImportError:
    torch = None


def soon(condition):
    """Whether it holds within five seconds: a thread of the library tells when the last use of memory is over."""
    end = time.monotonic() + 5
    while not condition() and time.monotonic() < end:
        time.sleep(0.001)
        gc.collect()
    return condition()


class DlpackTest(unittest.TestCase):
    def setUp(self):
        gc.collect()
        self.assertTrue(soon(lambda: not dlpack._imported))  # of the test before
        self.context = manyrt.Context("cpu")
        self.addCleanup(self.context.close)
        self.exports = len(dlpack._exported)

    def assert_same_memory(self, first, second):
        self.assertEqual(first.address, second.address)

    def test_a_round_trip_within_the_package(self):
        made = self.context.array([[1, 2], [3, 4]], "int32")
        again = self.context.from_dlpack(made[1:])
        self.assertEqual((again.tolist(), again.dtype.name), ([[3, 4]], "int32"))
        self.assert_same_memory(made[1:], again)
        self.assertEqual(len(dlpack._exported), self.exports + 1)
        again.close()
        self.wait_for_exports()

    def wait_for_exports(self):
        gc.collect()
        self.context.synchronize()
        self.assertTrue(soon(lambda: len(dlpack._exported) == self.exports))

    def test_a_capsule_that_no_consumer_takes_releases_the_memory(self):
        before = manyrt.live_handles("allocation")
        made = self.context.zeros(4)
        capsule = made.__dlpack__()
        made.close()
        self.assertEqual(manyrt.live_handles("allocation"), before + 1)
        del capsule
        gc.collect()
        self.assertTrue(soon(lambda: manyrt.live_handles("allocation") == before))
        self.assertEqual(len(dlpack._exported), self.exports)

    def test_a_capsule_is_used_once(self):
        made = self.context.zeros(4)
        capsule = made.__dlpack__()

        class Source:
            def __dlpack__(self):
                return capsule

            def __dlpack_device__(self):
                return (1, 0)

        first = self.context.from_dlpack(Source())
        with self.assertRaisesRegex(BufferError, "used once"):
            self.context.from_dlpack(Source())
        self.assertEqual(first.tolist(), [0.0] * 4)

    def test_devices(self):
        self.assertEqual(self.context.zeros(4).__dlpack_device__(), (1, 0))
        with manyrt.Context("null:0") as null:
            with self.assertRaisesRegex(BufferError, "null:0"):
                null.zeros(4).__dlpack__()
            with self.assertRaisesRegex(BufferError, "null:0"):
                null.from_dlpack(self.context.zeros(4))
        made = self.context.zeros(4)
        for arguments in ({"stream": 1}, {"copy": True}, {"dl_device": (2, 0)}):
            with self.assertRaises(BufferError):
                made.__dlpack__(**arguments)

    @unittest.skipIf(numpy is None, "numpy is not installed")
    def test_numpy_reads_and_writes_the_same_memory(self):
        made = self.context.array(numpy.arange(6, dtype=numpy.float64).reshape(2, 3))
        view = numpy.from_dlpack(made)
        self.assertEqual(view.ctypes.data, made.address)
        made.fill(7.0)
        self.assertEqual(view.tolist(), [[7.0] * 3] * 2)
        made.close()
        self.assertEqual(view.sum(), 42.0)
        del view
        self.wait_for_exports()

    @unittest.skipIf(numpy is None, "numpy is not installed")
    def test_numpy_arrays_come_in_and_stay_alive_while_work_uses_them(self):
        class Tracked(numpy.ndarray):
            pass

        source = numpy.arange(8, dtype=numpy.float32).view(Tracked)
        base, address = weakref.ref(source), source.ctypes.data
        made = self.context.from_dlpack(source)
        self.assertEqual(made.address, address)
        gate, stream = self.context.fence(), self.context.stream()
        target = self.context.zeros(8)
        stream.wait_fence(gate, 1)
        target.copy_from(made, stream)
        made.close()
        del made, source
        gc.collect()
        self.assertIsNotNone(base())
        gate.signal(1)
        self.assertEqual(target.tolist(stream), [float(i) for i in range(8)])
        self.context.synchronize()
        gc.collect()
        self.assertTrue(soon(lambda: base() is None))

    @unittest.skipIf(numpy is None, "numpy is not installed")
    def test_tensors_that_do_not_fit_are_refused(self):
        with self.assertRaisesRegex(BufferError, "C-contiguous"):
            self.context.from_dlpack(numpy.zeros((4, 4), numpy.float32).T[1:])
        with self.assertRaises(BufferError):
            self.context.from_dlpack(numpy.zeros(4, numpy.complex64))
        self.assertEqual(self.context.from_dlpack(numpy.zeros((0, 3))).tolist(), [])

    @unittest.skipIf(torch is None, "PyTorch is not installed")
    def test_pytorch_shares_memory_both_ways(self):
        tensor = torch.arange(6, dtype=torch.float32).reshape(2, 3)
        made = self.context.from_dlpack(tensor)
        self.assertEqual(made.address, tensor.data_ptr())
        made.fill(5.0)
        self.assertEqual(tensor.tolist(), [[5.0] * 3] * 2)
        back = torch.from_dlpack(made)
        self.assertEqual(back.data_ptr(), made.address)
        made.close()
        back += 1
        self.assertEqual(tensor.tolist(), [[6.0] * 3] * 2)


if __name__ == "__main__":
    unittest.main()
