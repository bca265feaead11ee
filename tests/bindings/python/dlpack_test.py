#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""DLPack with numpy, and with this package itself: no copy, owners that live long enough. For PyTorch: pytorch_test.py."""

import ctypes
import gc
import time
import unittest
import weakref

import dlpack_capsule
import manyrt
from manyrt import _borrowed, dlpack

try:
    import numpy
except ImportError:
    numpy = None


def soon(condition):
    """Whether it holds within five seconds: a thread of the library tells when the last use of memory is over."""
    end = time.monotonic() + 5
    while not condition() and time.monotonic() < end:
        time.sleep(0.001)
        gc.collect()
    return condition()


class Case(unittest.TestCase):
    def setUp(self):
        gc.collect()
        self.assertTrue(soon(lambda: not _borrowed.in_use))  # of the test before
        self.context = manyrt.Context("cpu")
        self.addCleanup(self.context.close)
        self.exports = len(dlpack._exported)

    def wait_for_exports(self):
        gc.collect()
        self.context.synchronize()
        self.assertTrue(soon(lambda: len(dlpack._exported) == self.exports))


class DlpackTest(Case):
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
        for arguments in ({"stream": 1}, {"dl_device": (2, 0)}, {"dl_device": (2, 0), "copy": True}):
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

    @unittest.skipIf(numpy is None, "numpy is not installed")
    def test_a_read_only_array_stays_so(self):
        source = numpy.arange(4, dtype=numpy.int32)
        source.flags.writeable = False
        try:
            made = self.context.from_dlpack(source)
        except BufferError:  # numpy before 2.1 has no way to say that the memory is read-only
            self.assertLess(tuple(int(part) for part in numpy.__version__.split(".")[:2]), (2, 1))
            return
        self.assertEqual(made.tolist(), [0, 1, 2, 3])
        for array in (made, made[1:], made.reshape((2, 2)), made.view("uint32")):
            self.assertTrue(array.readonly and array.host().readonly)
            for write in (lambda array=array: array.fill(1), lambda array=array: array.copy_from(array.tolist())):
                with self.assertRaisesRegex(manyrt.InvalidValue, "read-only"):
                    write()
        self.assertFalse(numpy.asarray(made).flags.writeable)
        self.assertFalse(numpy.from_dlpack(made).flags.writeable)
        with self.assertRaisesRegex(BufferError, "read-only"):
            made.__dlpack__()
        copied = self.context.array(made.tolist(), "int32")
        copied.copy_from(made)
        self.assertFalse(copied.readonly)


class CapsuleTest(Case):
    """What is in a capsule, and what a tensor of another library may have, with capsules made by ctypes."""

    def setUp(self):
        super().setUp()
        self.memory = (ctypes.c_uint8 * 4096)(*[at % 251 for at in range(4096)])
        self.address = ctypes.addressof(self.memory)

    def test_both_forms_of_a_capsule_have_the_same_tensor(self):
        for name, dtype in manyrt.DTYPES.items():
            made = self.context.zeros((2, 3), name)[1:]
            for asked, form in ((None, b"dltensor"), ((0, 8), b"dltensor"), ((1, 0), b"dltensor_versioned"),
                                ((1, 1), b"dltensor_versioned"), ((2, 0), b"dltensor_versioned")):
                found = dlpack_capsule.read(capsule := made.__dlpack__(max_version=asked))
                self.assertEqual((found["name"], found["device"], found["address"], found["offset"]),
                                 (form, (1, 0), made.address, 0))
                self.assertEqual((found["shape"], found["strides"], found["dtype"]),
                                 ((1, 3), (3, 1), (dtype.dlpack, dtype.itemsize * 8, 1)))
                self.assertEqual((found.get("version", (1, 0)), found.get("flags", 0)), ((1, 0), 0))
                del capsule
        self.wait_for_exports()

    def test_tensors_of_all_forms_come_in_and_go_back_once(self):
        for fields in ({}, {"strides": (4, 1)}, {"offset": 64}, {"version": (1, 0)}, {"version": (1, 9)}, {"device": (3, 0)},
                       {"version": (1, 0), "flags": dlpack_capsule.READ_ONLY}):
            with self.subTest(**fields):
                tensor = dlpack_capsule.Tensor(self.address, (2, 4), dtype=(dlpack_capsule.UINT, 8, 1), **fields)
                made = self.context.from_dlpack(tensor)
                start = fields.get("offset", 0)
                self.assertEqual(made.address, self.address + start)
                self.assertEqual(sum(made.tolist(), []), list(self.memory)[start:start + 8])
                self.assertEqual(made.readonly, "flags" in fields)
                made.close()
                self.assertTrue(soon(lambda tensor=tensor: tensor.deleted))
                self.assertEqual(tensor.deleted, 1)

    def test_shapes_without_elements_or_dimensions(self):
        for shape, strides in (((), ()), ((0,), (1,)), ((3, 0, 2), (0, 2, 1)), ((3, 0, 2), (7, 7, 7)),
                               ((1, 4, 1), (99, 1, 77))):
            with self.subTest(shape=shape, strides=strides):
                tensor = dlpack_capsule.Tensor(0 if 0 in shape else self.address, shape, strides=strides)
                made = self.context.from_dlpack(tensor)
                self.assertEqual(made.shape, shape)
                again = self.context.from_dlpack(made)
                self.assertEqual((again.shape, again.tobytes()), (shape, made.tobytes()))
                again.close()
                made.close()
                self.assertTrue(soon(lambda tensor=tensor: tensor.deleted == 1))

    def test_tensors_that_do_not_fit_are_refused_and_stay_their_owners(self):
        refused = [({"dtype": (dlpack_capsule.BFLOAT, 16, 1)}, "bfloat16"),
                   ({"dtype": (dlpack_capsule.COMPLEX, 64, 1)}, "complex64"),
                   ({"dtype": (dlpack_capsule.FLOAT, 32, 4)}, "vectors of 4"), ({"dtype": (17, 4, 1)}, "type code 17"),
                   ({"strides": (1, 2)}, "C-contiguous"),
                   ({"strides": (-4, 1)}, "C-contiguous"),
                   ({"strides": (0, 1)}, "C-contiguous"),
                   ({"device": (2, 0)}, "kDLCUDA:0"),
                   ({"device": (13, 0)}, "kDLCUDAManaged"), ({"version": (2, 0)}, "DLPack 2.0")]
        for fields, message in refused:
            tensor = dlpack_capsule.Tensor(self.address, (2, 4), **fields)
            with self.subTest(message), self.assertRaisesRegex(BufferError, message):
                self.context.from_dlpack(tensor)
            self.assertEqual(tensor.deleted, 0)

    def test_a_copy_is_made_where_it_is_asked_for(self):
        made = self.context.array([1, 2, 3], "int32")
        found = dlpack_capsule.read(capsule := made.__dlpack__(copy=True, max_version=(1, 0)))
        self.assertNotEqual(found["address"], made.address)
        self.assertEqual(found["flags"], dlpack_capsule.IS_COPIED)
        made.fill(0)
        self.assertEqual(list((ctypes.c_int32 * 3).from_address(found["address"])), [1, 2, 3])
        del capsule
        with manyrt.Context("null:0") as null:
            far = null.array([4, 5], "int32", kind="host")
            found = dlpack_capsule.read(capsule := far.__dlpack__(dl_device=(1, 0), copy=True))
            self.assertNotEqual(found["address"], far.address)
            self.assertEqual(list((ctypes.c_int32 * 2).from_address(found["address"])), [4, 5])
            del capsule
        self.wait_for_exports()


if __name__ == "__main__":
    unittest.main()
