#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Communicators of CUDA devices, on simulated CUDA and a simulated NCCL: arrays, tensors by DLPack in order with their streams,
and processes with a device each."""

import ctypes
import os
import subprocess
import sys
import unittest

import dlpack_capsule
import manyrt
from manyrt import comm

RANK = """
import os
import manyrt
from manyrt import comm
with manyrt.Context("cuda:" + os.environ["LOCAL_RANK"]) as context, context.stream() as stream:
    with comm.create_from_environment(context, timeout=60) as c:
        x = context.array([c.rank, 1], "float32")
        c.all_reduce(x, stream=stream)
        c.synchronize(stream)
        print(x.tolist())
"""


class CudaTest(unittest.TestCase):
    def setUp(self):
        self.contexts = [manyrt.Context(f"cuda:{at}") for at in range(2)]
        self.ranks = comm.create_all(self.contexts, timeout=60)

    def test_arrays_are_reduced(self):
        data = [context.array([at + 1] * 1000, "float32") for at, context in enumerate(self.contexts)]
        with comm.group():
            for rank, communicator in enumerate(self.ranks):
                communicator.all_reduce(data[rank], reduction="average")
        self.assertEqual([x.tolist() for x in data], [[1.5] * 1000] * 2)

    def test_tensors_of_dlpack_are_used_where_they_lie(self):
        streams = [context.stream() for context in self.contexts]
        made = [context.array([at + 1] * 4, "int32") for at, context in enumerate(self.contexts)]
        tensors = [dlpack_capsule.Tensor(each.address, (4,), (dlpack_capsule.INT, 32, 1), (2, at), version=(1, 0))
                   for at, each in enumerate(made)]
        for rank, communicator in enumerate(self.ranks):
            communicator.all_reduce(tensors[rank], stream=streams[rank])
            self.assertEqual(tensors[rank].asked[0]["stream"], streams[rank].native)
        for rank, communicator in enumerate(self.ranks):
            communicator.synchronize(streams[rank])
        self.assertEqual([x.tolist() for x in made], [[3] * 4] * 2)

    def test_memory_of_the_host_and_of_another_device_is_refused(self):
        with self.assertRaises(manyrt.WrongContext):
            self.ranks[0].all_reduce(self.contexts[0].zeros(4, kind="host"))
        with self.assertRaisesRegex(manyrt.WrongContext, "'receive' is memory of cuda:1, and rank 0 works on cuda:0"):
            self.ranks[0].all_reduce(self.contexts[1].zeros(4))
        memory = (ctypes.c_float * 4)()
        with self.assertRaises(BufferError):
            self.ranks[0].all_reduce(dlpack_capsule.Tensor(ctypes.addressof(memory), (4,)))

    def test_processes_with_a_device_each(self):
        here = os.path.dirname(os.path.abspath(__file__))
        done = subprocess.run([sys.executable, os.path.join(here, "launched.py"), "2", "-c", RANK], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False, timeout=100)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(done.stdout.count("[1.0, 2.0]"), 2, done.stdout)  # their lines may mix


if __name__ == "__main__":
    unittest.main()
