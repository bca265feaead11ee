#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What programs need seldom, so that they never leave the classes of the package for manyrt.rt: blocks of arrays, modules of
several sources, nodes of graphs of every kind, pools, attributes, handles of drivers. not_wrapped.txt has what is left out.
"""

import gc
import threading
import unittest

import manyrt

ADD = "kernel void add(global int *x, int y) { x[get_global_id(0)] += y; }"


class ArraysTest(unittest.TestCase):
    def setUp(self):
        self.context = manyrt.Context("cpu")
        self.addCleanup(self.context.close)

    def test_a_view_may_have_elements_of_another_size(self):
        made = self.context.array([[1, 2, 3, 4], [5, 6, 7, 8]], "uint16")
        wide = made.view("uint32")
        self.assertEqual((wide.shape, wide.tolist()), ((2, 2), [[0x20001, 0x40003], [0x60005, 0x80007]]))
        self.assertEqual(made.view("uint8").shape, (2, 8))
        self.assertEqual(wide.view("uint16").tolist(), made.tolist())
        self.assertEqual(made[0:0].view("uint64").shape, (0, 1))
        with self.assertRaisesRegex(manyrt.InvalidValue, "last dimension of 6 bytes"):
            self.context.zeros((4, 3), "uint16").view("uint32")
        with self.assertRaisesRegex(manyrt.InvalidValue, "no dimension"):
            self.context.zeros((), "uint16").view("uint8")

    def test_blocks_of_rows_and_columns(self):
        made, other = self.context.zeros((3, 4), "int32"), self.context.array([[1, 2, 3], [4, 5, 6]], "int32")
        made.copy_block(other, (2, 2), at=(1, 2), source_at=(0, 1))
        self.assertEqual(made.tolist(), [[0, 0, 0, 0], [0, 0, 2, 3], [0, 0, 5, 6]])
        with self.context.stream() as stream:
            made.copy_block(other, (1, 3), stream=stream)
            self.assertEqual(made.tolist(stream)[0], [1, 2, 3, 0])
        made.copy_block(other, (0, 3))
        for shape, at, source_at in (((2, 3), (0, 2), (0, 0)), ((2, 3), (2, 0), (0, 0)), ((1, 3), (0, 0), (0, 1)),
                                     ((1, 1), (-1, 0), (0, 0)), ((3, 1), (0, 0), (0, 0))):
            with self.assertRaisesRegex(manyrt.InvalidValue, "leaves the array"):
                made.copy_block(other, shape, at, source_at)
        for bad in (self.context.zeros(4, "int32"), self.context.zeros((2, 2), "float32")):
            with self.assertRaisesRegex(manyrt.InvalidValue, "two dimensions"):
                made.copy_block(bad, (1, 1))

    def test_alignment_and_label_of_memory(self):
        made = self.context.empty(10, "uint8", alignment=4096, label="weights")
        self.assertEqual(made.address % 4096, 0)
        with self.assertRaises(manyrt.InvalidValue):
            self.context.empty(10, alignment=3)

    def test_pools(self):
        pool = self.context.pool(label="own")
        self.context.default_pool = pool
        made = self.context.empty(1 << 20, "uint8")
        self.assertEqual((pool.stats["live_count"], self.context.default_pool.stats["live_count"]), (1, 1))
        pool.set_release_threshold(1 << 16)
        pool.close()  # the context's own pool is in use again
        self.assertEqual(self.context.default_pool.stats["live_count"], 0)
        made.close()
        self.context.default_pool.close()  # a default pool is not the program's
        self.context.empty(16).fill(1)
        free, total = self.context.memory_info
        self.assertTrue(0 < free <= total)

    def test_a_context_can_be_reset(self):
        made = self.context.empty(1 << 20)
        made.close()
        self.context.reset()
        self.assertEqual(self.context.array([1, 2]).tolist(), [1, 2])


class ModulesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.context = manyrt.Context("cpu")
        cls.stream = cls.context.stream()

    @classmethod
    def tearDownClass(cls):
        cls.context.close()

    def test_one_module_of_several_sources(self):
        module = self.context.module(["int twice(int x) { return FACTOR * x; }",
                                      "int twice(int x); kernel void go(global int *x) { *x = twice(*x); }"], "-DFACTOR=2")
        data = self.context.array([21], "int32")
        module["go"][1, 1](self.stream, data)
        self.assertEqual(data.tolist(self.stream), [42])
        with self.assertRaises(manyrt.InvalidValue):
            self.context.module([])
        with self.assertRaisesRegex(manyrt.InvalidValue, "no name, headers or tier"):
            self.context.module([ADD], name="add.cl")
        with self.assertRaisesRegex(TypeError, "source 1"):
            self.context.module([ADD, b"bytes"])

    def test_bytes_and_files_have_names_and_headers(self):
        source = b'#include "value.h"\nkernel void set(global int *x) { *x = VALUE; }'
        module = self.context.load_image(source, format="opencl_c", name="set.cl", headers={"value.h": "#define VALUE 7"})
        data = self.context.zeros(1, "int32")
        module["set"][1, 1](self.stream, data)
        self.assertEqual((data.tolist(self.stream), module.info["name"]), ([7], "set.cl"))

    def test_variables_of_a_module(self):
        module = self.context.module("constant int table[3] = {5, 6, 7}; constant char odd[3] = {1, 2, 3};"
                                     "kernel void get(global int *x) { *x = table[1] + odd[0]; }")
        table = module.variable("table", "int32")
        del module
        gc.collect()
        self.assertEqual((table.tolist(), table.shape), ([5, 6, 7], (3,)))
        module = self.context.module("constant char odd[3] = {1, 2, 3}; kernel void get(global int *x) { *x = odd[0]; }")
        self.assertEqual(module.variable("odd").tobytes(), b"\1\2\3")
        with self.assertRaisesRegex(manyrt.InvalidValue, "no whole number"):
            module.variable("odd", "int32")
        with self.assertRaises(manyrt.NotFound):
            module.variable("absent")


class GraphsTest(unittest.TestCase):
    def setUp(self):
        self.context = manyrt.Context("cpu")
        self.addCleanup(self.context.close)
        self.stream = self.context.stream()
        self.add = self.context.module(ADD)["add"][1, 4]

    def test_a_copy_of_rows(self):
        graph = self.context.graph()
        source, target = graph.add_buffer(24, "input", "source"), graph.add_buffer(32, "output", "target")
        graph.add_fill(target, 0, dtype="int32")
        node = graph.add_copy_2d(target.at(4), source, 8, 2, 16, 12)
        exec_ = graph.instantiate()
        data, out = self.context.array([1, 2, 3, 4, 5, 6], "int32"), self.context.zeros(8, "int32")
        exec_.bind(source, data)
        exec_.bind(target, out)
        exec_.launch(self.stream)
        self.assertEqual(out.tolist(self.stream), [0, 1, 2, 0, 0, 4, 5, 0])
        exec_.set_copy_2d(node, target, source.at(4), 4, 2, 16, 12)
        exec_.launch(self.stream)
        self.assertEqual(out.tolist(self.stream), [2, 0, 0, 0, 5, 0, 0, 0])

    def test_copies_and_fills_change_between_launches(self):
        graph, data, out = self.context.graph(), self.context.array([1, 2, 3, 4], "int32"), self.context.zeros(4, "int32")
        fill = graph.add_fill(out, 9)
        copy = graph.add_copy(out, data, 8)
        exec_ = graph.instantiate()
        exec_.launch(self.stream)
        self.assertEqual(out.tolist(self.stream), [1, 2, 9, 9])
        exec_.set_fill(fill, out, 7, 3)
        exec_.set_copy(copy, out, data, 4)
        exec_.launch(self.stream)
        self.assertEqual(out.tolist(self.stream), [1, 7, 7, 9])

    def test_a_host_function_is_called_at_each_launch_and_let_go_with_the_graph(self):
        graph, data, seen, gone = self.context.graph(), self.context.zeros(4, "int32"), [], threading.Event()

        class Function:
            def __call__(self):
                seen.append(data.host()[0])

            def __del__(self):
                gone.set()

        graph.add_kernel(self.add, data, 1)
        graph.add_host(Function())
        graph.add_kernel(self.add, data, 10)
        exec_ = graph.instantiate()
        graph.close()
        for _ in range(2):
            exec_.launch(self.stream)
        self.stream.synchronize()
        self.assertEqual(seen, [1, 12])
        gc.collect()
        self.assertFalse(gone.is_set())
        exec_.close()
        self.assertTrue(gone.wait(60))
        with self.assertRaisesRegex(TypeError, "calls a function"):
            self.context.graph().add_host(5)

    def test_edges_come_and_go(self):
        graph = self.context.graph()
        first, second, third = graph.add_empty(), graph.add_empty(), graph.add_empty()
        self.assertEqual(graph.edges, [])
        graph.add_dependencies((first, second), (second, third))
        self.assertEqual(set(graph.edges), {(first, second), (second, third)})
        graph.remove_dependencies((first, second))
        self.assertEqual(graph.edges, [(second, third)])
        with self.assertRaises(manyrt.Error):
            graph.remove_dependencies((first, second))

    def test_the_node_that_a_capture_recorded(self):
        data = self.context.zeros(4, "int32")
        with self.stream.capture() as graph:
            self.assertIsNone(self.stream.captured_node)
            self.add(self.stream, data, 1)
            node = self.stream.captured_node
            self.add(self.stream, data, 10)
        self.assertEqual((node, node.type), (graph.nodes[0], "kernel"))
        exec_ = graph.instantiate()
        exec_.set_kernel(node, self.add, data, 5)
        exec_.launch(self.stream)
        self.assertEqual(data.tolist(self.stream), [15] * 4)
        with self.assertRaises(manyrt.Error):
            self.stream.captured_node  # pylint: disable=pointless-statement

    def test_the_buffers_of_a_plan(self):
        graph = self.context.graph()
        out, between = graph.add_buffer(16, "output", "out"), graph.add_buffer(64, "temporary")
        graph.add_fill(between, 1)
        graph.add_copy(out, between)
        with graph.plan() as plan:
            sizes = [(buffer["size"], buffer["first_step"], buffer["last_step"]) for buffer in plan.buffers]
        self.assertEqual(sizes, [(16, 1, 1), (64, 0, 1)])


class DevicesTest(unittest.TestCase):
    def test_attributes(self):
        device = manyrt.Device("cpu")
        self.assertEqual(device.attribute("compute_units"), device.properties["compute_units"])
        with self.assertRaisesRegex(manyrt.InvalidValue, "l2_bytes"):
            device.attribute("colour")
        self.assertIsNone(device.loss)
        self.assertIsInstance(device.can_access(device), bool)

    def test_a_lost_device_says_how(self):
        with manyrt.Context("null:0") as context:
            self.assertIsNone(context.device.loss)

    def test_handles_of_drivers(self):
        with manyrt.Context("cpu") as context, context.stream() as stream:
            self.assertEqual(context.device.native, 0)
            for owner in (context, stream, stream.record(), context.module(ADD)):
                self.assertGreater(owner.native, 0)
            for call in (lambda: manyrt.Context.imported(1, "cpu"), lambda: context.import_event(1)):
                with self.assertRaises(manyrt.Error):
                    call()

    def test_lines_of_the_log(self):
        lines = []
        manyrt.set_log(lambda level, line: lines.append(line), "info")
        self.addCleanup(manyrt.set_log, None)
        manyrt.write_log("a package says this")
        manyrt.write_log("and not this", "debug")
        self.assertEqual([line for line in lines if "this" in line], ["a package says this"])
        with self.assertRaises(manyrt.InvalidValue):
            manyrt.write_log("x", "loud")


if __name__ == "__main__":
    unittest.main()
