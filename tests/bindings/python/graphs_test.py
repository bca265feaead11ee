#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Graphs: captures that end well and badly, plans, other buffers and arguments between launches, updates."""

import unittest

import manyrt

SOURCE = """
kernel void add(global float *x, float y) { x[get_global_id(0)] += y; }
kernel void twice(global float *x) { x[get_global_id(0)] *= 2.0f; }
"""


class GraphsTest(unittest.TestCase):
    def setUp(self):
        self.context = manyrt.Context("cpu")
        self.addCleanup(self.context.close)
        self.stream = self.context.stream()
        module = self.context.module(SOURCE)
        self.add, self.twice = module["add"][1, 4], module["twice"][1, 4]

    def capture(self, data, value=1.0):
        with self.stream.capture() as graph:
            self.add(self.stream, data, value)
            self.twice(self.stream, data)
        return graph

    def test_plan_and_dot(self):
        graph = self.capture(self.context.zeros(4))
        with graph.plan(max_streams=1) as plan:
            self.assertEqual((plan.info["node_count"], plan.info["stream_count"]), (2, 1))
            self.assertEqual([step["stream"] for step in plan.steps], [0, 0])
            plan.instantiate().launch(self.stream)
        self.stream.synchronize()
        self.assertIn("digraph", graph.to_dot())
        self.assertEqual([node.type for node in graph.clone().nodes], ["kernel", "kernel"])

    def test_a_graph_uses_its_memory_until_other_memory_is_bound(self):
        data, other = self.context.zeros(4), self.context.zeros(4)
        graph = self.capture(data)
        buffer = graph.make_buffer(data, "input", "data")
        self.assertEqual((buffer.name, buffer.role, buffer.nbytes), ("data", "input", 16))
        self.assertEqual(len(graph.buffers), 1)
        exec_ = graph.instantiate()
        exec_.launch(self.stream)
        self.assertEqual(data.tolist(self.stream), [2.0] * 4)
        exec_.bind(buffer, other)
        exec_.launch(self.stream)
        self.assertEqual((data.tolist(self.stream), other.tolist()), ([2.0] * 4, [2.0] * 4))
        with self.assertRaisesRegex(manyrt.InvalidValue, "'data' takes 16 bytes, the array has 8"):
            exec_.bind(buffer, self.context.zeros(2))
        exec_.bind(buffer, self.context.zeros(2), 8)
        exec_.set_kernel(graph.nodes[0], self.add, data, 1.0)

    def test_a_node_takes_other_arguments(self):
        data = self.context.zeros(4)
        graph = self.capture(data)
        exec_ = graph.instantiate()
        exec_.set_kernel(graph.nodes[0], self.add, data, 5.0)
        exec_.launch(self.stream)
        self.assertEqual(data.tolist(self.stream), [10.0] * 4)
        with self.assertRaisesRegex(TypeError, "argument 1 'y'"):
            exec_.set_kernel(graph.nodes[0], self.add, data, "x")

    def test_update_takes_all_parameters_of_another_graph(self):
        data, other = self.context.zeros(4), self.context.zeros(4)
        exec_ = self.capture(data).instantiate()
        exec_.update(self.capture(other, 3.0))
        exec_.launch(self.stream)
        self.assertEqual((data.tolist(self.stream), other.tolist()), ([0.0] * 4, [6.0] * 4))
        with self.stream.capture() as shorter:
            self.twice(self.stream, data)
        with self.assertRaises(manyrt.InvalidValue):
            exec_.update(shorter)

    def test_an_exception_in_the_block_leaves_the_stream_usable(self):
        before = manyrt.live_handles("graph")
        with self.assertRaisesRegex(KeyError, "inside"):
            with self.stream.capture() as graph:
                self.add(self.stream, self.context.zeros(4), 1.0)
                raise KeyError("inside")
        self.assertFalse(self.stream.capturing)
        self.assertTrue(graph.closed)
        self.assertEqual(manyrt.live_handles("graph"), before)
        with self.assertRaises(manyrt.InvalidHandle):
            graph.instantiate()
        self.stream.synchronize()

    def test_what_cannot_be_recorded_is_refused_and_the_capture_goes_on(self):
        data = self.context.zeros(4)
        with self.stream.capture() as graph:
            with self.assertRaises(manyrt.CaptureUnsafe):
                self.stream.synchronize()
            with self.assertRaisesRegex(manyrt.CaptureUnsafe, "host"):
                data.copy_from([1, 2, 3, 4], self.stream)
            with self.assertRaises(manyrt.CaptureUnsafe):
                data.tobytes(self.stream)
            with self.assertRaises(manyrt.Busy):
                self.stream.capture().__enter__()
            self.twice(self.stream, data)
        self.assertEqual(len(graph.nodes), 1)

    def test_other_streams_join(self):
        other, data = self.context.stream(), self.context.zeros(4)
        with self.stream.capture() as graph:
            self.add(self.stream, data, 1.0)
            other.wait(self.stream.record())
            self.twice(other, data)
            self.stream.wait(other.record())
        graph.instantiate().launch(self.stream)
        self.assertEqual(data.tolist(self.stream), [2.0] * 4)
        with self.assertRaises(manyrt.CaptureInvalidated):
            with self.stream.capture():
                other.wait(self.stream.record())
                self.twice(other, data)

    def test_a_stream_closed_inside_its_capture_is_told(self):
        with self.assertRaises(manyrt.InvalidHandle):
            with self.stream.capture():
                self.stream.close()

    def test_a_graph_keeps_what_it_names(self):
        data = self.context.zeros(4)
        exec_ = self.capture(data).instantiate()
        view = data.host()
        data.close()
        exec_.launch(self.stream)
        self.stream.synchronize()
        self.assertEqual(view.tolist(), [2.0] * 4)


if __name__ == "__main__":
    unittest.main()
