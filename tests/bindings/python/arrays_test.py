#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Arrays: element types, shapes, parts, buffers that do not fit, what the host sees, and how long memory lives."""

import array
import gc
import sys
import unittest

import manyrt

try:
    import numpy
except ImportError:
    numpy = None


class ArraysTest(unittest.TestCase):
    def setUp(self):
        self.context = manyrt.Context("cpu")
        self.addCleanup(self.context.close)

    def test_every_element_type_keeps_its_values(self):
        values = {"bool": [True, False], "float16": [0.5, -2.0], "float32": [0.5, -2.0], "float64": [0.1, -2.5]}
        for name, dtype in manyrt.DTYPES.items():
            bits = dtype.itemsize * 8
            wanted = values.get(name) or ([-2**(bits - 1), 2**(bits - 1) - 1] if dtype.kind == "i" else [0, 2**bits - 1])
            with self.subTest(name):
                made = self.context.array(wanted, name)
                self.assertEqual(made.tolist(), wanted)
                self.assertEqual(made.nbytes, 2 * dtype.itemsize)
                made.fill(wanted[1])
                self.assertEqual(made.tolist(), [wanted[1]] * 2)

    def test_an_unknown_element_type_is_refused_with_the_known_ones(self):
        for bad in ("complex64", "f", object, None, 3):
            with self.assertRaisesRegex(TypeError, "float32"):
                self.context.empty(4, bad)

    def test_a_view_of_the_host_writes_the_memory_itself_and_keeps_it(self):
        made = self.context.array([[1, 2, 3], [4, 5, 6]], "int32")
        for view in (made.host(), made.__buffer__(0)):
            self.assertEqual((view.shape, view.format, view.readonly, view.tolist()),
                             ((2, 3), "i", False, [[1, 2, 3], [4, 5, 6]]))
        view[1, 2] = 7
        self.assertEqual(made.tolist(), [[1, 2, 3], [4, 5, 7]])
        made.close()
        gc.collect()
        self.assertEqual(view.tolist(), [[1, 2, 3], [4, 5, 7]])

    @unittest.skipIf(sys.version_info < (3, 12), "a class has a buffer from Python 3.12 on: before it is array.host()")
    def test_memoryview_takes_an_array(self):
        made = self.context.array([1, 2, 3], "int16")
        view = memoryview(made)
        view[0] = 9
        self.assertEqual((view.format, made.tolist(), bytes(made)), ("h", [9, 2, 3], made.tobytes()))
        made.close()
        self.assertEqual(view.tolist(), [9, 2, 3])

    @unittest.skipIf(sys.version_info >= (3, 12), "Python 3.12 and later ask __buffer__: memoryview() takes arrays")
    def test_memoryview_refuses_an_array_before_python_3_12(self):
        with self.assertRaises(TypeError):
            memoryview(self.context.zeros(4))

    def test_a_number_that_does_not_fit_is_refused(self):
        made = self.context.zeros(4, "uint8")
        for bad in (256, -1, 1.5, "x"):
            with self.assertRaisesRegex(manyrt.InvalidValue, "uint8"):
                made.fill(bad)
        with self.assertRaises(manyrt.InvalidValue):
            made.copy_from([1, 2, 3, 256])
        self.assertEqual(made.tolist(), [0] * 4)

    def test_shapes(self):
        made = self.context.array([[1, 2, 3], [4, 5, 6]], "int32")
        self.assertEqual((made.shape, made.strides, made.size, len(made)), ((2, 3), (12, 4), 6, 2))
        self.assertEqual(made[1].tolist(), [4, 5, 6])
        self.assertEqual(made[-1][0:2].tolist(), [4, 5])
        self.assertEqual(made.reshape((3, 2)).tolist(), [[1, 2], [3, 4], [5, 6]])
        self.assertEqual([row.tolist() for row in made], [[1, 2, 3], [4, 5, 6]])
        for bad in ((4, 2), -1, (7,)):
            with self.assertRaises(manyrt.InvalidValue):
                made.reshape(bad)
        with self.assertRaisesRegex(manyrt.InvalidValue, "step is 2"):
            made[::2]  # pylint: disable=expression-not-assigned
        with self.assertRaisesRegex(manyrt.InvalidValue, "differ in length"):
            self.context.array([[1, 2], [3]])
        with self.assertRaises(manyrt.InvalidValue):
            self.context.empty((2, -3))
        with self.assertRaises((manyrt.InvalidValue, manyrt.OutOfMemory)):
            self.context.empty((2**40, 2**40))

    def test_an_array_of_nothing(self):
        made = self.context.empty((0, 3))
        self.assertEqual((made.tolist(), made.tobytes(), made.nbytes), ([], b"", 0))
        made.copy_from([])
        made.copy_to(bytearray())

    def test_a_view_of_another_type_has_the_same_memory(self):
        made = self.context.array([1.0], "float32")
        self.assertEqual(made.view("uint32").tolist(), [0x3F800000])
        with self.assertRaisesRegex(manyrt.InvalidValue, "8 bytes"):
            made.view("float64")

    def test_a_buffer_of_another_type_is_refused_and_bytes_are_taken(self):
        made = self.context.zeros(2)
        for bad in (array.array("d", [1, 2]), array.array("i", [1, 2])):
            with self.assertRaisesRegex(TypeError, "float32"):
                made.copy_from(bad)
            with self.assertRaisesRegex(TypeError, "float32"):
                made.copy_to(bad)
        made.copy_from(array.array("f", [1, 2]).tobytes())
        self.assertEqual(made.tolist(), [1.0, 2.0])
        with self.assertRaises(manyrt.InvalidValue):
            made.copy_from(b"12345")
        with self.assertRaisesRegex(manyrt.InvalidValue, "read-only"):
            made.copy_to(bytes(8))

    def test_a_buffer_that_is_not_contiguous_is_refused_with_its_strides(self):
        made = self.context.zeros(3)
        grid = memoryview(array.array("f", range(6)))[::2]
        with self.assertRaisesRegex(manyrt.InvalidValue, r"strides in bytes are \(8,\)"):
            made.copy_from(grid)
        with self.assertRaisesRegex(manyrt.InvalidValue, "C-contiguous"):
            made.copy_to(grid)

    @unittest.skipIf(numpy is None, "numpy is not installed")
    def test_numpy_shares_what_the_host_sees_and_copies_the_rest(self):
        source = numpy.arange(12, dtype=numpy.int64).reshape(3, 4)
        made = self.context.array(source)
        self.assertEqual((made.dtype.name, made.shape), ("int64", (3, 4)))
        shared = numpy.asarray(made[1:])
        shared[0, 0] = 77
        self.assertEqual(made.tolist()[1], [77, 5, 6, 7])
        copied = made.numpy()
        copied[0, 0] = 1
        self.assertEqual(made.tolist()[0][0], 0)
        with self.assertRaisesRegex(manyrt.InvalidValue, "C-contiguous"):
            self.context.zeros((4, 3), "int64").copy_from(source.T)
        with self.assertRaises(TypeError):
            made.copy_from(source.astype(">i8"))
        half = self.context.array(numpy.array([0.5, 2], numpy.float16))
        self.assertEqual(half.numpy().tolist(), [0.5, 2.0])
        made.close()
        shared[1, 3] = 5  # the memory lives as long as the view of it
        self.assertEqual(shared[1].tolist(), [8, 9, 10, 5])

    def test_memory_goes_with_its_last_view(self):
        before = manyrt.live_handles("allocation")
        made = self.context.zeros(16)
        view, part = made.host(), made[8:]
        made.close()
        view[15] = 3.0
        self.assertEqual(part.tolist()[7], 3.0)
        self.assertEqual(manyrt.live_handles("allocation"), before + 1)
        part.close()
        self.assertEqual(manyrt.live_handles("allocation"), before + 1)
        del view
        gc.collect()
        self.assertEqual(manyrt.live_handles("allocation"), before)

    def test_the_host_sees_only_memory_that_it_can_reach(self):
        with manyrt.Context("null:0") as null:
            device = null.zeros(4)
            self.assertFalse(device.host_visible)
            with self.assertRaisesRegex(manyrt.NotSupported, "null:0"):
                device.host()
            self.assertFalse(hasattr(device, "__array_interface__"))
            self.assertEqual(null.zeros(4, kind="host").host().tolist(), [0.0] * 4)

    def test_an_array_of_another_device_is_copied_but_not_filled_by_this_one(self):
        with manyrt.Context("null:0") as null, null.stream() as stream:
            far = null.zeros(4)
            far.copy_from(self.context.array([1, 2, 3, 4], "float32"))
            self.assertEqual(far.tolist(), [1.0, 2.0, 3.0, 4.0])
            with self.assertRaisesRegex(manyrt.Error, "cpu.*null:0|null:0.*cpu"):
                self.context.zeros(4).fill(1, stream)

    def test_pools(self):
        with self.context.pool(maximum_bytes=1 << 16, label="small") as pool:
            made = pool.empty(1024)
            made.fill(2.0)
            self.assertEqual(made.tolist(), [2.0] * 1024)
            self.assertEqual((pool.stats["live_bytes"], pool.stats["live_count"]), (4096, 1))
            self.assertIn("4096", pool.to_json())
            with self.assertRaisesRegex(manyrt.OutOfMemory, str(1 << 20)):
                pool.empty(1 << 20, "uint8")
            made.close()
            self.assertEqual(pool.stats["live_count"], 0)
            self.assertGreater(pool.context.stats["streams_native"], 0)

    def test_arrays_cannot_be_copied_by_accident(self):
        import copy
        import pickle
        for how in (copy.copy, copy.deepcopy, pickle.dumps):
            with self.assertRaises(TypeError):
                how(self.context.zeros(4))


if __name__ == "__main__":
    unittest.main()
