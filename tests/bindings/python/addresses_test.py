#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Addresses as arguments, arrays over foreign memory with an owner, pinned buffers, and what the library knows of memory."""

import array
import ctypes
import gc
import threading
import unittest
import weakref

import manyrt

SOURCE = """
kernel void add(global int *x, int y) { x[get_global_id(0)] += y; }
kernel void store(global ulong *where, ulong what) { *where = what; }
"""


class Owner:
    """Something that other memory belongs to."""


class Tensor:
    """What a tensor of PyTorch tells of its memory."""

    def __init__(self, address):
        self.address = address

    def data_ptr(self):
        return self.address

    def __index__(self):
        raise RuntimeError("this would read the element")


class Interface:
    def __init__(self, address):
        self.__cuda_array_interface__ = {"data": (address, False)}


class AddressesTest(unittest.TestCase):
    def setUp(self):
        self.context = manyrt.Context("cpu")
        self.addCleanup(self.context.close)
        self.stream = self.context.stream()
        module = self.context.module(SOURCE)
        self.add, self.store = module["add"], module["store"]

    def test_a_pointer_takes_the_address_of_anything(self):
        made = self.context.array([1, 2, 3, 4], "float32").view("int32")
        made.copy_from([1, 2, 3, 4])
        for where in (made, made.address, Tensor(made.address), Interface(made.address), manyrt.address(made), made.host()):
            self.add[1, 4](self.stream, manyrt.address(where), 1)
        self.assertEqual(made.tolist(self.stream), [7, 8, 9, 10])
        self.add[1, 1](self.stream, manyrt.address(made) + 4, 100)
        self.assertEqual(made.tolist(self.stream), [7, 108, 9, 10])
        bits = made.view("float32")  # another type is refused without address()
        with self.assertRaisesRegex(TypeError, "manyrt.address"):
            self.add[1, 4](self.stream, bits, 1)
        self.add[1, 4](self.stream, manyrt.address(bits), 1)
        self.assertEqual(made.tolist(self.stream), [8, 109, 10, 11])

    def test_buffers_of_the_host_have_addresses_too(self):
        for memory in (bytearray(16), array.array("i", [0] * 4), (ctypes.c_int * 4)()):
            where = manyrt.address(memory)
            self.add[1, 4](self.stream, where, 5)
            self.stream.synchronize()
            self.assertEqual(memoryview(memory).cast("B").cast("i").tolist(), [5] * 4)

    def test_an_address_is_a_number(self):
        where, data = manyrt.address(0x1000), self.context.zeros(1, "uint64")
        self.assertEqual((int(where), hex(where), (where + 8).value), (4096, "0x1000", 4104))
        self.assertEqual(repr(where), "manyrt.address(0x1000)")
        self.store[1, 1](self.stream, data, where)
        self.assertEqual(data.tolist(self.stream), [4096])

    def test_what_has_no_address_is_refused(self):
        for bad in ("text", 1.5, None, object(), [1, 2]):
            with self.assertRaisesRegex(TypeError, "has no address"):
                manyrt.address(bad)
        for bad in (-1, 2**64):
            with self.assertRaisesRegex(manyrt.InvalidValue, "no address of 64 bits"):
                manyrt.address(bad)
        with self.assertRaisesRegex(manyrt.InvalidValue, "C-contiguous"):
            manyrt.address(memoryview(bytes(8))[::2])
        with self.assertRaises(TypeError):  # a number alone is none: it has to be asked for
            self.add[1, 1](self.stream, 4096, 1)

    def test_a_strict_context_refuses_an_address_that_is_no_memory(self):
        with manyrt.Context("cpu", strict=True) as context, context.stream() as stream:
            kernel, data = context.module(SOURCE)["add"], context.zeros(4, "int32")
            kernel[1, 4](stream, manyrt.address(data), 1)
            self.assertEqual(data.tolist(stream), [1] * 4)
            with self.assertRaises(manyrt.Error):
                kernel[1, 4](stream, manyrt.address(64), 1)
                stream.synchronize()

    def test_nodes_of_graphs_take_addresses(self):
        data, copy, graph = self.context.zeros(4, "int32"), self.context.zeros(4, "int32"), self.context.graph()
        node = graph.add_kernel(self.add[1, 4], manyrt.updates(manyrt.address(data)), 3)
        graph.add_copy(manyrt.address(copy), data, after=[node])
        with self.assertRaisesRegex(manyrt.InvalidValue, "number of its bytes"):
            graph.add_copy(manyrt.address(copy), manyrt.address(data))
        graph.instantiate().launch(self.stream)
        self.assertEqual((data.tolist(self.stream), copy.tolist(self.stream)), ([3] * 4, [3] * 4))

    def test_foreign_memory_keeps_its_owner_until_the_last_use(self):
        memory, owner, released = (ctypes.c_int * 4)(1, 2, 3, 4), Owner(), threading.Event()
        watched = weakref.ref(owner)
        made = self.context.from_address(ctypes.addressof(memory), (2, 2), "int32", owner=owner, release=released.set)
        del owner
        self.add[1, 4](self.stream, made, 1)
        self.assertEqual((made.tolist(self.stream), list(memory)), ([[2, 3], [4, 5]], [2, 3, 4, 5]))
        part = made[1]
        made.close()
        gc.collect()
        self.assertIsNotNone(watched())
        self.assertFalse(released.is_set())
        self.assertEqual(part.tolist(), [4, 5])
        del made, part
        gc.collect()
        self.assertTrue(released.wait(60))
        gc.collect()
        self.assertIsNone(watched())

    def test_foreign_memory_may_be_a_buffer_and_read_only(self):
        memory = array.array("f", [1, 2, 3])
        made = self.context.from_address(memory, 3, readonly=True)
        self.assertIsInstance(made, manyrt.ReadOnlyArray)
        self.assertEqual(made.tolist(), [1, 2, 3])
        with self.assertRaises(manyrt.InvalidValue):
            made.fill(0)
        with self.assertRaises(manyrt.InvalidValue):
            self.context.from_address(memory, 3, kind="paper")

    def test_a_refusal_leaves_the_memory_to_its_owner(self):
        released = threading.Event()
        with self.assertRaises(manyrt.Error):
            self.context.from_address(0, 4, release=released.set)
        self.assertFalse(released.is_set())

    def test_the_library_tells_what_memory_is(self):
        made = self.context.empty(1000, "uint8")
        self.assertEqual(manyrt.pointer_info(made[10:]), {"kind": "device", "base": made.address, "size": 1000})
        self.assertEqual(manyrt.pointer_info(self.context.empty(8, kind="host"))["kind"], "host")
        self.assertEqual(manyrt.pointer_info(64), {"kind": "unknown", "base": 0, "size": 0})

    def test_a_buffer_is_pinned_inside_a_block(self):
        memory = bytearray(8192)
        with self.context.pinned(memory):
            self.assertEqual(manyrt.pointer_info(memory)["kind"], "registered")
            self.context.zeros(8192, "uint8").copy_to(memory, self.stream)
        self.assertEqual(manyrt.pointer_info(memory)["kind"], "unknown")
        with self.assertRaises(ValueError):
            with self.context.pinned(memory):
                raise ValueError
        self.assertEqual(manyrt.pointer_info(memory)["kind"], "unknown")
        for bad, error in ((bytes(8), (BufferError, TypeError, ValueError)), (5, TypeError)):
            with self.assertRaises(error):
                with self.context.pinned(bad):
                    pass


if __name__ == "__main__":
    unittest.main()
