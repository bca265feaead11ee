#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a kernel on a PyTorch tensor where it lies, on the CPU or on CUDA, in order with PyTorch's own work.

Without PyTorch it says so and exits with 77.
"""

import sys

import manyrt

SOURCE = """
kernel void leaky(global float *x, float slope, uint count) {
  size_t i = get_global_id(0);
  if (i < count && x[i] < 0.0f) x[i] *= slope;
}
"""


def main() -> int:
    try:
        import torch
    except ImportError:
        print("SKIP: PyTorch is not installed")
        return 77
    device = "cuda:0" if torch.cuda.is_available() and manyrt.devices("cuda") else "cpu"
    # On CUDA both have to use the same context of the driver: the primary one.
    context = manyrt.Context.primary(device)
    tensor = torch.linspace(-4, 4, 9, device=device)
    wanted = torch.nn.functional.leaky_relu(tensor, 0.25)
    if device == "cpu":
        stream = context.stream()
    else:
        stream = context.import_stream(torch.cuda.current_stream().cuda_stream)
    shared = context.from_dlpack(tensor, stream)
    kernel = context.module(SOURCE)["leaky"]
    kernel[kernel.shape(tensor.numel())](stream, shared, 0.25, tensor.numel())
    stream.synchronize()
    print(device, tensor.tolist())
    same = shared.address == tensor.data_ptr() and torch.equal(tensor, wanted)
    print("the kernel and PyTorch agree" if same else "the kernel and PyTorch differ")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
