#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PyTorch on the CPU and arrays of the CPU device: one memory, both ways, for all types, shapes and ends.

What needs a GPU is gpu_dlpack.py. Without PyTorch it says so and exits with 77.
"""

import gc
import sys
import time
import unittest
import weakref

import manyrt
from manyrt import _borrowed, dlpack

try:
    import torch
except ImportError:
    torch = None

SCALE = "kernel void scale(global float *x, float f) { x[get_global_id(0)] *= f; }"


def soon(condition):
    """Whether it holds within five seconds: a thread of the library tells when the last use of memory is over."""
    end = time.monotonic() + 5
    while not condition() and time.monotonic() < end:
        time.sleep(0.001)
        gc.collect()
    return condition()


class PytorchTest(unittest.TestCase):
    def setUp(self):
        self.context = manyrt.Context("cpu")
        self.addCleanup(self.context.close)

    def tearDown(self):
        self.assertTrue(soon(lambda: not _borrowed.in_use and not dlpack._exported))

    def test_every_element_type_is_shared_both_ways(self):
        for name in manyrt.DTYPES:
            dtype = getattr(torch, name)
            with self.subTest(name):
                tensor = torch.tensor([[0, 1], [1, 0]]).to(dtype)
                made = self.context.from_dlpack(tensor)
                self.assertEqual((made.address, made.shape, made.dtype.name), (tensor.data_ptr(), (2, 2), name))
                self.assertEqual(made.tolist(), tensor.tolist())
                back = torch.from_dlpack(made)
                self.assertEqual((back.data_ptr(), back.dtype, tuple(back.shape)), (tensor.data_ptr(), dtype, (2, 2)))
                made.fill(1)
                self.assertEqual((back.tolist(), tensor.tolist()), ([[1, 1]] * 2,) * 2)
                back[0, 1] = 0
                self.assertEqual(made.tolist(), [[1, 0], [1, 1]])

    def test_types_without_a_name_here_come_in_as_a_view(self):
        for dtype, view in ((torch.bfloat16, torch.int16), (torch.complex64, torch.int64)):
            tensor = torch.ones(4, dtype=dtype)
            with self.assertRaisesRegex(BufferError, str(dtype).rsplit(".", maxsplit=1)[-1]):
                self.context.from_dlpack(tensor)
            self.assertEqual(self.context.from_dlpack(tensor.view(view)).address, tensor.data_ptr())

    def test_shapes(self):
        for shape in ((), (1,), (0,), (2, 0, 3), (1, 5, 1), (2, 3, 4, 5)):
            with self.subTest(shape):
                tensor = torch.ones(shape)
                made = self.context.from_dlpack(tensor)
                self.assertEqual((made.shape, made.size), (shape, tensor.numel()))
                back = torch.from_dlpack(made)
                self.assertEqual((tuple(back.shape), back.tolist()), (shape, tensor.tolist()))
                if tensor.numel():
                    self.assertEqual(back.data_ptr(), tensor.data_ptr())

    def test_parts_are_shared_and_what_is_not_contiguous_is_refused(self):
        tensor = torch.arange(24, dtype=torch.float32).reshape(4, 6)
        made = self.context.from_dlpack(tensor[1:3])
        self.assertEqual((made.address, made.tolist()), (tensor.data_ptr() + 24, tensor[1:3].tolist()))
        self.assertEqual(torch.from_dlpack(made[1]).data_ptr(), tensor.data_ptr() + 48)
        for bad in (tensor.T, tensor[:, 1:3], tensor[::2], tensor[:, :1].expand(4, 6)):
            with self.assertRaisesRegex(BufferError, "C-contiguous"):
                self.context.from_dlpack(bad)
        self.assertEqual(self.context.from_dlpack(tensor.T.contiguous()).tolist(), tensor.T.tolist())
        with self.assertRaises(BufferError):
            self.context.from_dlpack(torch.ones(3, requires_grad=True))

    def test_a_kernel_works_on_a_tensor(self):
        tensor, scale = torch.arange(64, dtype=torch.float32), self.context.module(SCALE)["scale"]
        with self.context.stream() as stream:
            scale[1, 64](stream, self.context.from_dlpack(tensor), 2.0)
            stream.synchronize()
        self.assertEqual(tensor.tolist(), [2.0 * at for at in range(64)])

    def test_the_tensor_stays_while_work_uses_it(self):
        tensor, target, gate = torch.arange(8, dtype=torch.float32), self.context.zeros(8), self.context.fence()
        storage, stream = weakref.ref(tensor), self.context.stream()
        made = self.context.from_dlpack(tensor)
        stream.wait_fence(gate, 1)
        target.copy_from(made, stream)
        made.close()
        del made, tensor
        gc.collect()
        self.assertEqual(len(_borrowed.in_use), 1, "the memory was given back under the copy")
        gate.signal(1)
        self.assertEqual(target.tolist(stream), [float(at) for at in range(8)])
        self.assertTrue(soon(lambda: storage() is None and not _borrowed.in_use))

    def test_the_memory_stays_while_a_tensor_uses_it(self):
        before = manyrt.live_handles("allocation")
        own = manyrt.Context("cpu")
        array = own.array([1, 2, 3], "int32")
        tensor = torch.from_dlpack(array)
        view = tensor[1:]
        array.close()
        own.close()
        del array, own, tensor
        gc.collect()
        view += 1
        self.assertEqual(view.tolist(), [3, 4])
        self.assertEqual(manyrt.live_handles("allocation"), before + 1)
        del view
        self.assertTrue(soon(lambda: manyrt.live_handles("allocation") == before))

    def test_both_forms_of_a_capsule(self):
        array = self.context.array([1, 2, 3], "int32")
        for version in (None, (1, 0)):
            self.assertEqual(torch.from_dlpack(array.__dlpack__(max_version=version)).data_ptr(), array.address)
        tensor = torch.ones(3)

        class Old:
            def __dlpack__(self):
                return tensor.__dlpack__()

            def __dlpack_device__(self):
                return tensor.__dlpack_device__()

        self.assertEqual(self.context.from_dlpack(Old()).address, tensor.data_ptr())

    def test_pytorch_waits_for_work_of_the_array(self):
        array, stream = self.context.zeros(1 << 20), self.context.stream()
        for value in range(1, 20):
            array.fill(value, stream)
            self.assertEqual(float(torch.from_dlpack(array)[-1]), value)

    def test_a_thousand_round_trips_leave_nothing_behind(self):
        tensor = torch.arange(1000)
        made = self.context.from_dlpack(tensor)
        before = manyrt.live_handles()
        for _ in range(1000):
            tensor_again = torch.from_dlpack(made)
            array_again = self.context.from_dlpack(tensor_again)
            self.assertEqual(array_again.address, tensor.data_ptr())
        del tensor_again
        array_again.close()
        self.assertTrue(soon(lambda: len(_borrowed.in_use) == 1 and not dlpack._exported))
        self.assertEqual(manyrt.live_handles(), before)
        made.close()


if __name__ == "__main__":
    if torch is None:
        print("SKIP: PyTorch is not installed")
        sys.exit(77)
    unittest.main()
