#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels from one expression: what they compute, in which sizes, and what they refuse."""

import unittest

import manyrt


class ElementwiseTest(unittest.TestCase):
    def setUp(self):
        self.context = manyrt.Context("cpu")
        self.addCleanup(self.context.close)
        self.stream = self.context.stream()

    def test_each_element_is_computed_once(self):
        axpy = manyrt.ElementwiseKernel(self.context, "float a, const float *x, float *y", "y[i] += a * x[i]", name="axpy")
        for count in (1, 255, 256, 257, 5000):
            x, y = self.context.array(range(count), "float32"), self.context.zeros(count)
            axpy(self.stream, 2.0, x, y)
            self.assertEqual(y.tolist(self.stream), [2.0 * i for i in range(count)])
        self.assertIn("axpy(float a, float* x, float* y", repr(axpy))

    def test_an_empty_array_is_no_launch(self):
        fill = manyrt.ElementwiseKernel(self.context, "int *x", "x[i] = 1")
        fill(self.stream, self.context.empty(0, "int32"))

    def test_preamble_and_options(self):
        kernel = manyrt.ElementwiseKernel(self.context, "int *x", "x[i] = twice(i) + N", options="-DN=3",
                                          preamble="int twice(int i) { return 2 * i; }")
        x = self.context.empty(3, "int32")
        kernel(self.stream, x)
        self.assertEqual(x.tolist(self.stream), [3, 5, 7])

    def test_wrong_arguments_are_refused(self):
        copy = manyrt.ElementwiseKernel(self.context, "const int *x, int *y", "y[i] = x[i]", name="copy")
        x = self.context.empty(4, "int32")
        with self.assertRaisesRegex(manyrt.InvalidValue, "3, 4 elements"):
            copy(self.stream, x, self.context.empty(3, "int32"))
        with self.assertRaisesRegex(TypeError, "takes 2 arguments, 1 were given"):
            copy(self.stream, x)
        with self.assertRaisesRegex(TypeError, "int32"):
            copy(self.stream, x, self.context.empty(4, "float32"))
        with self.assertRaisesRegex(manyrt.InvalidValue, "no array"):
            copy(self.stream, None, None)
        with self.assertRaises(manyrt.BuildFailed):
            manyrt.ElementwiseKernel(self.context, "int *x", "x[i] = nowhere")
        with self.assertRaisesRegex(manyrt.InvalidValue, "no name of a kernel"):
            manyrt.ElementwiseKernel(self.context, "int *x", "x[i] = 1", name="a b")
        with self.assertRaisesRegex(manyrt.InvalidValue, "at least one array"):
            manyrt.ElementwiseKernel(self.context, " ", "")


class ReductionTest(unittest.TestCase):
    def setUp(self):
        self.context = manyrt.Context("cpu")
        self.addCleanup(self.context.close)
        self.stream = self.context.stream()

    def test_sums_of_every_size(self):
        total = manyrt.ReductionKernel(self.context, "int64", "0", "a + b", "x[i]", "const long *x")
        for count in (0, 1, 2, 255, 256, 257, 16384, 16385, 100003):
            x = self.context.array(range(count), "int64") if count else self.context.empty(0, "int64")
            self.assertEqual(total(self.stream, x).item(self.stream), count * (count - 1) // 2)

    def test_maps_and_other_reductions(self):
        x, y = self.context.array([1, -5, 3], "float32"), self.context.array([2, 2, 2], "float32")
        dot = manyrt.ReductionKernel(self.context, "float32", "0", "a + b", "x[i] * y[i]", "const float *x, const float *y")
        self.assertEqual(dot(self.stream, x, y).item(self.stream), -2.0)
        most = manyrt.ReductionKernel(self.context, "float32", "-INFINITY", "fmax(a, b)", "fabs(x[i])", "const float *x")
        out = self.context.empty(1)
        self.assertIs(most(self.stream, x, out=out), out)
        self.assertEqual(out.item(self.stream), 5.0)

    def test_the_same_bits_each_time(self):
        total = manyrt.ReductionKernel(self.context, "float32", "0", "a + b", "x[i]", "const float *x")
        x = self.context.array([1.0 / (i + 1) for i in range(50000)], "float32")
        self.assertEqual(len({total(self.stream, x).tobytes(self.stream) for _ in range(20)}), 1)

    def test_a_wrong_result_is_refused(self):
        total = manyrt.ReductionKernel(self.context, "float32", "0", "a + b", "x[i]", "const float *x")
        x = self.context.zeros(4)
        with self.assertRaisesRegex(manyrt.InvalidValue, "one element of float32"):
            total(self.stream, x, out=self.context.zeros(2))
        with self.assertRaisesRegex(manyrt.InvalidValue, "no type for bool"):
            manyrt.ReductionKernel(self.context, "bool", "0", "a | b", "x[i]", "const bool *x")


if __name__ == "__main__":
    unittest.main()
