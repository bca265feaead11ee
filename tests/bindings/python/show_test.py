#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How objects look: arrays with their elements, kernels with their signature, streams with their state, tables in notebooks.
And how help() looks: names as programs write them."""

import inspect
import pydoc
import time
import unittest

import manyrt

SCALE = "kernel void scale(global float *x, float f) { x[get_global_id(0)] *= f; }"


class ShowTest(unittest.TestCase):
    def setUp(self):
        self.context = manyrt.Context("cpu")
        self.addCleanup(self.context.close)

    def test_a_small_array_shows_all_elements(self):
        self.assertEqual(repr(self.context.array([1, 2.5, -3], "float32")),
                         "manyrt.Array([ 1.0,  2.5, -3.0], dtype='float32', device='cpu')")
        self.assertEqual(repr(self.context.array([True, False])), "manyrt.Array([ True, False], dtype='bool', device='cpu')")
        self.assertEqual(repr(self.context.array(3, "int8")), "manyrt.Array(3, dtype='int8', device='cpu')")
        self.assertEqual(repr(self.context.array([0.1], "float16")), "manyrt.Array([0.1], dtype='float16', device='cpu')")
        self.assertEqual(repr(self.context.array([1], "int32", kind="host")),
                         "manyrt.Array([1], dtype='int32', device='cpu', kind='host')")

    def test_rows_stand_below_one_another(self):
        self.assertEqual(repr(self.context.array([[1, 20], [300, 4]], "int32")),
                         "manyrt.Array([[  1,  20],\n              [300,   4]], dtype='int32', device='cpu')")

    def test_a_large_array_shows_its_ends(self):
        whole = self.context.array(range(1200), "int32")
        self.assertEqual(repr(whole), "manyrt.Array([   0,    1,    2, ..., 1197, 1198, 1199], shape=(1200,), dtype='int32', "
                         "device='cpu')")
        rows = repr(whole.reshape((30, 40)))
        self.assertIn("[   0,    1,    2, ...,   37,   38,   39]", rows)
        self.assertIn("[1160, 1161, 1162, ..., 1197, 1198, 1199]", rows)
        self.assertIn("...,\n", rows)
        self.assertEqual(rows.count("["), 7)
        deep = repr(whole.reshape((2, 60, 10)))  # 2 blocks of 3 + 3 rows of 3 + 3 elements
        self.assertIn("[ 600,  601,  602, ...,  607,  608,  609]", deep)
        self.assertNotIn("603", deep)

    def test_an_empty_array_shows_its_shape(self):
        self.assertEqual(repr(self.context.empty((0, 3))), "manyrt.Array([], shape=(0, 3), dtype='float32', device='cpu')")

    def test_parts_and_closed_arrays(self):
        array = self.context.array([1, 2, 3, 4], "int64")
        self.assertIn("[2, 3]", repr(array[1:3]))
        array.close()
        self.assertEqual(repr(array), "<manyrt.Array (closed) int64 (4,), device memory of cpu>")

    def test_work_that_does_not_end_is_not_waited_for(self):
        array, stream, fence = self.context.array([1, 2], "int32"), self.context.stream(), self.context.fence()
        stream.wait_fence(fence, 1)
        array.fill(7, stream)
        begin = time.monotonic()
        self.assertEqual(repr(array), "<manyrt.Array int32 (2,), device memory of cpu, values not ready>")
        self.assertLess(time.monotonic() - begin, 5)
        self.assertIn("values not ready", array._repr_html_())
        fence.signal(1)
        stream.synchronize()
        self.assertIn("[7, 7]", repr(array))

    def test_a_closed_context_and_a_capture_raise_nothing(self):
        with self.context.stream() as stream, stream.capture():
            array = self.context.array([1], "int32")
            self.assertIn("[1]", repr(array))
            self.assertIn("capturing", repr(stream))
        other = manyrt.Context("cpu")
        array = other.array([1], "int32")
        other.close()
        self.assertIn("manyrt.Array", repr(array))

    def test_a_stream_says_what_it_does(self):
        stream, fence = self.context.stream(label="copies"), self.context.fence()
        self.assertRegex(repr(stream), r"^<manyrt\.Stream 'copies' 0x[0-9a-f]+, idle, on cpu>$")
        stream.wait_fence(fence, 1)
        self.assertIn("working", repr(stream))
        fence.close()
        with self.assertRaises(manyrt.Error):
            stream.synchronize()
        self.assertIn("idle", repr(stream))
        stream.close()
        self.assertIn("closed", repr(stream))

    def test_a_kernel_shows_its_signature(self):
        kernel = self.context.module(SCALE)["scale"]
        self.assertEqual(repr(kernel), "<manyrt.Kernel scale(float* x, float f) on cpu>")
        self.assertIn("<td style='text-align:left'>float*</td>", kernel._repr_html_())

    def test_notebooks_get_tables(self):
        self.assertIn("<pre>[1, 2]</pre>", self.context.array([1, 2])._repr_html_())
        self.assertIn("<table>", self.context.device._repr_html_())

    def test_one_element_becomes_a_number(self):
        self.assertEqual(float(self.context.array([2.5])), 2.5)
        self.assertEqual(int(self.context.array([[3]], "int32")), 3)
        self.assertIs(self.context.array([True]).item(), True)
        with self.assertRaisesRegex(manyrt.InvalidValue, "one element, this one has 2"):
            self.context.array([1, 2]).item()

    def test_words_of_numpy_name_element_types(self):
        for word, name in (("f4", "float32"), ("<f8", "float64"), ("i8", "int64"), ("u1", "uint8"), ("single", "float32"),
                           (float, "float64"), (int, "int64"), (bool, "bool"), ("half", "float16"), ("bool_", "bool")):
            self.assertEqual(self.context.empty(1, word).dtype.name, name)
        for word in (">f4", "f", "c8", "float128", complex):
            with self.assertRaisesRegex(TypeError, "float32"):
                self.context.empty(1, word)

    def test_help_has_the_names_of_programs_and_no_internals(self):
        for name in manyrt.__all__:
            each = getattr(manyrt, name)
            if not inspect.isclass(each) and not inspect.isfunction(each):
                continue
            text = pydoc.plain(pydoc.render_doc(each))
            self.assertIn("in module manyrt\n", text.partition("\n\n")[0] + "\n")
            for internal in ("ForwardRef", "manyrt._", "manyrt.memory", "manyrt.device", "ffi", "handle: Any"):
                self.assertNotIn(internal, text.replace("as cffi has it", ""), f"help(manyrt.{name})")

    def test_help_says_which_call_makes_an_object(self):
        for cls, call in ((manyrt.Array, "Context.empty()"), (manyrt.Kernel, "module[name]"), (manyrt.Plan, "Graph.plan()")):
            text = pydoc.plain(pydoc.render_doc(cls))
            self.assertIn(f"For the package alone: {call}", text)
            self.assertNotIn(f"{cls.__name__}(context", text)
        self.assertIn("Context(device: Union[Device, str, None] = None, *, wait: str = 'default'",
                      pydoc.plain(pydoc.render_doc(manyrt.Context)))

    def test_every_public_method_is_described(self):
        for name in manyrt.__all__:
            for member, value in vars(getattr(manyrt, name)).items() if inspect.isclass(getattr(manyrt, name)) else ():
                value = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
                if inspect.isfunction(value) and not member.startswith("_"):
                    self.assertTrue(value.__doc__, f"{name}.{member}")


if __name__ == "__main__":
    unittest.main()
