#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels: what arguments they take, what their errors say, and shapes of launches."""

import ctypes
import threading
import unittest

import manyrt
import manyrt.rt

SOURCE = """
typedef struct { int a; float b; } pair;
kernel void numbers(global double *out, char c, uchar uc, short s, ushort us, int i, uint ui, long l, ulong ul, float f,
                    double d) {
  out[0] = c; out[1] = uc; out[2] = s; out[3] = us; out[4] = i; out[5] = ui; out[6] = l; out[7] = ul; out[8] = f; out[9] = d;
}
kernel void vector(global float *out, float4 v, float3 w) { vstore4(v + (float4)(w, 0.0f), 0, out); }
kernel void structure(global float *out, pair p) { out[0] = (float)p.a + p.b; }
kernel void nothing(void) {}
kernel void nullable(global int *out, global const int *in) { out[0] = in ? in[0] : -1; }
kernel void ids(global uint *out) { out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = get_group_id(0); }
kernel void increment(global float *data, int count) { size_t i = get_global_id(0); if ((int)i < count) data[i] += 1.0f; }
"""


class KernelsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.context = manyrt.Context("cpu")
        cls.stream = cls.context.stream()
        cls.module = cls.context.module(SOURCE)

    @classmethod
    def tearDownClass(cls):
        cls.context.close()

    def test_many_modules_at_once(self):
        sources = [f"kernel void set(global int *x) {{ x[0] = {number} * SCALE; }}" for number in range(6)]
        modules = self.context.modules(sources, "-DSCALE=2", names=[f"{number}.cl" for number in range(6)])
        out = self.context.zeros(1, "int32")
        for number, module in enumerate(modules):
            module["set"][1, 1](self.stream, out)
            self.assertEqual(out.tolist(self.stream), [number * 2])
            self.assertEqual(module.info["name"], f"{number}.cl")
        modules = self.context.modules(iter(sources[:2]), ["-DSCALE=1", "-DSCALE=5"])
        modules[1]["set"][1, 1](self.stream, out)
        self.assertEqual(out.tolist(self.stream), [5])
        self.assertEqual(self.context.modules([]), [])

    def test_a_kernel_tells_what_became_of_it(self):
        source = """kernel void f(global float *restrict to, global const float *from, local int *l, int n) {
          to[get_global_id(0)] = from[n]; }"""
        kernel = self.context.module(source, tier="quick")["f"]
        self.assertEqual([each.access for each in kernel.args], ["w", "r", "", None])
        self.assertEqual([each.qualifiers for each in kernel.args], [("restrict",), ("const",), (), ()])
        self.assertEqual((kernel.info["tier"], kernel.info["lanes"]), (manyrt.rt.lib.RT_TIER_QUICK, 0))
        self.assertEqual(kernel.info["no_lanes"], manyrt.rt.lib.RT_LANES_QUICK)

    def test_of_many_modules_one_that_fails_is_named(self):
        good, bad = "kernel void one(global int *x) { x[0] = 1; }", "kernel void bad() { absent(); }"
        live = manyrt.live_handles("module")
        with self.assertRaisesRegex(manyrt.BuildFailed, r'(?s)Source 1 of 3 \("b.cl"\): .*absent'):
            self.context.modules([good, bad, good], names=["a.cl", "b.cl", "c.cl"])
        self.assertEqual(manyrt.live_handles("module"), live)
        modules = self.context.modules([bad, good, bad], return_errors=True)
        self.assertIn("the first of 2 that failed", str(modules[0]))
        self.assertIsInstance(modules[2], manyrt.BuildFailed)
        self.assertEqual(modules[1].kernels, ["one"])
        for given in ({"names": ["a"]}, {"options": ["", ""]}):
            with self.assertRaisesRegex(manyrt.InvalidValue, "There are 3 sources and"):
                self.context.modules([good, good, good], **given)

    def test_every_number_type(self):
        out = self.context.zeros(10, "float64")
        values = (-7, 200, -30000, 60000, -2**31, 2**32 - 1, -2**40, 2**63, 0.5, 0.1)
        self.module["numbers"][1, 1](self.stream, out, *values)
        self.assertEqual(out.tolist(self.stream), [float(value) for value in values])

    def test_a_number_out_of_range_names_the_argument(self):
        out, run = self.context.zeros(10, "float64"), self.module["numbers"][1, 1]
        good = [1, 1, 1, 1, 1, 1, 1, 1, 1.0, 1.0]
        for at, bad, name in ((0, 128, "'c' (char)"), (1, -1, "'uc' (uchar)"), (4, 2**31, "'i' (int)"), (5, -1, "'ui' (uint)"),
                              (7, 2**64, "'ul' (ulong)"), (8, 1e300, "'f' (float)"), (6, 1.0, "'l' (long)")):
            args = [*good[:at], bad, *good[at + 1:]]
            with self.subTest(name), self.assertRaises(manyrt.InvalidValue) as caught:
                run(self.stream, out, *args)
            self.assertIn(f"argument {at + 1} {name}", str(caught.exception))
            self.assertIn("Kernel 'numbers'", str(caught.exception))

    def test_vectors_structs_and_null(self):
        out = self.context.zeros(4)
        self.module["vector"][1, 1](self.stream, out, (1, 2, 3, 4), (10, 20, 30))
        self.assertEqual(out.tolist(self.stream), [11.0, 22.0, 33.0, 4.0])
        with self.assertRaisesRegex(manyrt.InvalidValue, "argument 1 'v' .float4. takes 4 numbers, not 3"):
            self.module["vector"][1, 1](self.stream, out, (1, 2, 3), (1, 2, 3))

        class Pair(ctypes.Structure):
            _fields_ = [("a", ctypes.c_int), ("b", ctypes.c_float)]

        run = self.module["structure"][1, 1]
        run(self.stream, out, Pair(3, 0.25))
        self.assertEqual(out.tolist(self.stream)[0], 3.25)
        for bad in (b"1234", 3, ctypes.c_int(3)):
            with self.assertRaisesRegex((TypeError, manyrt.InvalidValue), "'p'.* takes 8 bytes"):
                run(self.stream, out, bad)
        number = self.context.zeros(1, "int32")
        self.module["nullable"][1, 1](self.stream, number, None)
        self.assertEqual(number.tolist(self.stream), [-1])
        self.module["nothing"][1, 1](self.stream)

    def test_argument_descriptions(self):
        kernel = self.module["increment"]
        self.assertEqual([(info.name, info.type, info.size, info.kind) for info in kernel.args],
                         [("data", "float*", 8, "pointer"), ("count", "int", 4, "value")])
        self.assertEqual(sorted(self.module.kernels),
                         ["ids", "increment", "nothing", "nullable", "numbers", "structure", "vector"])
        with self.assertRaisesRegex(manyrt.NotFound, "absent"):
            self.module.kernel("absent")

    def test_shapes(self):
        out, kernel = self.context.zeros(24, "uint32"), self.module["ids"]
        kernel[(3, 2), (2, 2)](self.stream, out)
        self.assertEqual(out.tolist(self.stream), [0, 0, 1, 1, 2, 2] * 4)
        self.assertEqual(kernel.shape(100, 32), ((4, 1, 1), (32, 1, 1)))
        self.assertEqual(kernel.shape((5, 7), (4, 4)), ((2, 2, 1), (4, 4, 1)))
        grid, group = kernel.shape(1000)
        self.assertGreaterEqual(grid[0] * group[0], 1000)
        self.assertLess((grid[0] - 1) * group[0], 1000)
        for bad in ((1,), (1, 2, 3, 4)):
            with self.assertRaises(TypeError):
                kernel[bad]  # pylint: disable=pointless-statement
        for bad in ((-1, 1), (2**32, 1), ((1, 1, 1, 1), 1)):
            with self.assertRaises(manyrt.InvalidValue):
                kernel[bad]  # pylint: disable=pointless-statement
        with self.assertRaises(manyrt.InvalidValue):
            kernel[1, 0](self.stream, out)
        with self.assertRaises(TypeError):
            kernel[1.5, 1]  # pylint: disable=pointless-statement

    def test_many_shapes_do_not_pile_up(self):
        kernel = self.module["nothing"]
        for grid in range(500):
            kernel[grid, 1](self.stream)
        self.assertLess(len(kernel._shapes), 100)

    def test_threads_launch_at_the_same_time(self):
        kernel, failures = self.module["increment"], []

        def run():
            try:
                with self.context.stream() as stream:
                    data = self.context.zeros(64)
                    step = kernel[1, 64]
                    for count in range(65):
                        step(stream, data, count)
                    if data.tolist(stream) != [float(64 - i) for i in range(64)]:
                        failures.append(data.tolist())
            except Exception as error:  # pylint: disable=broad-except
                failures.append(error)

        threads = [threading.Thread(target=run) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_a_kernel_ends_with_its_module(self):
        module = self.context.module(SOURCE)
        kernel = module["nothing"]
        module.close()
        self.assertTrue(kernel.closed)
        with self.assertRaises(manyrt.InvalidHandle):
            kernel[1, 1](self.stream)

    def test_a_module_has_a_name_and_headers(self):
        source = '#include "times.h"\n#include "plus.h"\nkernel void f(global int *x) { x[0] = x[0] TIMES PLUS; }'
        module = self.context.module(source, "-DFACTOR=5", name="named.cl",
                                     headers={"times.h": "#define TIMES * FACTOR\n", "plus.h": "#define PLUS + 1\n"})
        x = self.context.array([3], "int32")
        module["f"][1, 1](self.stream, x)
        self.assertEqual(x.tolist(self.stream), [16])
        with self.assertRaisesRegex(manyrt.BuildFailed, "named.cl:1:.*missing.h"):
            self.context.module('#include "missing.h"\n', name="named.cl", headers={"times.h": ""})
        for wrong in ({"name": "a\0b"}, {"headers": {"a\0b": ""}}, {"headers": {"a": "\0"}}):
            with self.subTest(wrong), self.assertRaises(manyrt.InvalidValue):
                self.context.module("", **wrong)

    def test_a_module_is_made_from_the_bytes_of_an_image(self):
        image = self.context.module("kernel void f(global int *x) { x[0] += 4; }", name="image.cl").image()
        for data in (image, bytearray(image), memoryview(image)):
            x = self.context.array([3], "int32")
            self.context.load_image(data)["f"][1, 1](self.stream, x)
            self.assertEqual(x.tolist(self.stream), [7])
        with self.assertRaises(manyrt.InvalidImage):
            self.context.load_image(image[:-100])
        for wrong in (5, "text"):
            with self.subTest(wrong), self.assertRaisesRegex(TypeError, "an image is bytes, not "):
                self.context.load_image(wrong)

    def test_an_array_of_another_context_is_refused(self):
        with manyrt.Context("null:0") as null:
            with self.assertRaisesRegex(manyrt.WrongContext, "argument 0 'data' .* null:0, the kernel is for cpu"):
                self.module["increment"][1, 1](self.stream, null.zeros(4), 4)
            self.module["increment"][1, 1](self.stream, null.zeros(4, kind="host"), 4)


if __name__ == "__main__":
    unittest.main()
