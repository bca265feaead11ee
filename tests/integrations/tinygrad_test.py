#!/usr/bin/env python3
"""manyrt as a device of tinygrad (integrations/tinygrad), beside tinygrad's own: what one computes, the other has to compute.

Ends with 77 where tinygrad or numpy is missing. MANYRT_TINYGRAD_DEVICES names the devices.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

os.environ.setdefault("CACHELEVEL", "0")  # tinygrad's own cache of kernels stays as it is
os.environ.setdefault("MANYRT_TINYGRAD_DEVICES", "cpu,cpu")
try:
    import _cffi_backend  # pylint: disable=unused-import
    import numpy
    import tinygrad
except ImportError as missing:  # of the interpreter that was chosen; what manyrt itself lacks is a failure
    print(f"SKIP: {missing}")
    sys.exit(77)

import manyrt  # pylint: disable=wrong-import-position
import manyrt_tinygrad  # pylint: disable=wrong-import-position
from tinygrad import Device, Tensor, TinyJit, Variable, dtypes, nn  # pylint: disable=wrong-import-position
from tinygrad.device import CompileError  # pylint: disable=wrong-import-position

OURS, REFERENCE = "MANYRT", "PYTHON" if os.environ.get("TINYGRAD_REFERENCE") == "PYTHON" else "CPU"
random = numpy.random.default_rng(1)


def numbers(*shape):
    return random.standard_normal(shape, dtype=numpy.float32)


class GraphLaunches:
    """Counts launches of graphs while it lasts."""

    def __enter__(self):
        self.count, self.before = 0, manyrt_tinygrad.ManyrtGraph.__call__

        def call(graph, *arguments, **named):
            self.count += 1
            return self.before(graph, *arguments, **named)

        manyrt_tinygrad.ManyrtGraph.__call__ = call
        return self

    def __exit__(self, *_):
        manyrt_tinygrad.ManyrtGraph.__call__ = self.before


class Network:
    """Two layers, with weights that are the same each time."""

    def __init__(self, device):
        shapes = [(20, 32), (32,), (32, 5), (5,)]
        generator = numpy.random.default_rng(7)
        weights = [generator.standard_normal(shape, dtype=numpy.float32) * 0.3 for shape in shapes]
        self.parameters = [Tensor(each, device=device, requires_grad=True) for each in weights]

    def __call__(self, x):
        first, first_bias, second, second_bias = self.parameters
        return ((x @ first + first_bias).relu() @ second + second_bias).log_softmax()


def trained(device, steps, jit):
    """Losses of the steps, and the parameters after them."""
    network = Network(device)
    optimizer = nn.optim.SGD(network.parameters, lr=0.1, momentum=0.9)

    @Tensor.train()
    def step(x, y):
        optimizer.zero_grad()
        loss = -(network(x) * y).sum() / x.shape[0]
        loss.backward()
        return loss.realize(*optimizer.schedule_step())

    step = TinyJit(step) if jit else step
    generator, losses = numpy.random.default_rng(3), []
    for _ in range(steps):
        x = generator.standard_normal((16, 20), dtype=numpy.float32)
        y = numpy.eye(5, dtype=numpy.float32)[generator.integers(5, size=16)]
        losses.append(step(Tensor(x, device=device).realize(), Tensor(y, device=device).realize()).item())
    return losses, [parameter.numpy() for parameter in network.parameters]


class TinygradTest(unittest.TestCase):
    def close(self, ours, reference):
        numpy.testing.assert_allclose(ours, reference, rtol=2e-4, atol=2e-5)

    def test_a_product_of_matrices(self):
        a, b = numbers(65, 130), numbers(130, 33)
        self.close((Tensor(a, device=OURS) @ Tensor(b, device=OURS)).numpy(), a @ b)

    def test_operations_of_each_type(self):
        for dtype in (dtypes.int8, dtypes.uint8, dtypes.int16, dtypes.uint16, dtypes.int32, dtypes.uint32, dtypes.int64,
                      dtypes.uint64, dtypes.bool, dtypes.float32):
            with self.subTest(dtype):
                data = random.integers(0, 2 if dtype == dtypes.bool else 100, size=(7, 13))
                made = [[(x.cast(dtype).flip(0).permute(1, 0).contiguous() * 3 + 1).numpy(), x.cast(dtype).sum().numpy(),
                         x.cast(dtype).max(axis=1).numpy()]
                        for x in (Tensor(data, device=device) for device in (OURS, REFERENCE))]
                for ours, reference in zip(*made):
                    numpy.testing.assert_array_equal(ours, reference)

    def test_functions(self):
        data = numbers(50, 3)
        for name in ("exp", "sin", "tanh", "sigmoid", "gelu", "softmax", "cumsum", "argmax", "std"):
            with self.subTest(name):
                self.close(*(getattr(Tensor(data, device=device), name)().numpy() for device in (OURS, REFERENCE)))

    def test_a_convolution_and_its_gradient(self):
        image, weight = numbers(2, 3, 12, 12), numbers(4, 3, 3, 3)

        def gradient(device):
            x, w = (Tensor(each, device=device, requires_grad=True) for each in (image, weight))
            x.conv2d(w, padding=1).relu().max_pool2d().sum().backward()
            return x.grad.numpy(), w.grad.numpy()

        for ours, reference in zip(gradient(OURS), gradient(REFERENCE)):
            self.close(ours, reference)

    def test_steps_of_a_training_are_the_same(self):
        reference = trained(REFERENCE, 8, jit=False)
        for jit in (False, True):
            with self.subTest(jit=jit), GraphLaunches() as launches:
                losses, parameters = trained(OURS, 8, jit)
                self.close(losses, reference[0])
                self.assertLess(losses[-1], losses[0])
                for ours, theirs in zip(parameters, reference[1]):
                    self.close(ours, theirs)
                self.assertEqual(launches.count > 0, jit)

    def test_a_graph_takes_other_inputs_numbers_and_sizes(self):
        weight = Tensor(numbers(8, 8), device=OURS).realize()

        @TinyJit
        def step(x, count):
            part = x.shrink(((0, count), None))
            return ((part @ weight).relu() * count + 1).contiguous().sum(axis=0).realize()

        with GraphLaunches() as launches:
            for count in (3, 9, 5, 5, 2, 11):
                data = numbers(12, 8)
                got = step(Tensor(data, device=OURS).realize(), Variable("count", 1, 12).bind(count)).numpy()
                self.close(got, (numpy.maximum(data[:count] @ weight.numpy(), 0) * count + 1).sum(axis=0))
        self.assertGreaterEqual(launches.count, 3)

    def test_views_share_memory(self):
        x = Tensor(numpy.arange(24, dtype=numpy.int32), device=OURS).realize()
        numpy.testing.assert_array_equal(x[6:18].bitcast(dtypes.uint8).numpy(),
                                         numpy.arange(24, dtype=numpy.int32)[6:18].view(numpy.uint8))

    def test_two_devices(self):
        data = numbers(8, 4)
        halves = Tensor(data, device=OURS).shard((OURS, OURS + ":1"), axis=0)
        self.close((halves * 2).sum(axis=0).numpy(), (data * 2).sum(axis=0))
        self.close(Tensor(data, device=OURS).to(OURS + ":1").numpy(), data)
        with self.assertRaisesRegex(RuntimeError, "There is no MANYRT:2: manyrt has 2 device"):
            Tensor(data, device=OURS + ":2").numpy()

    def test_what_does_not_compile_says_so(self):
        device = Device[OURS]
        with self.assertRaisesRegex(CompileError, r"(?s)broken does not compile for .*broken\.cl:1:48: .*undeclared"):
            device.runtime("broken", b"__kernel void broken(__global int* x) { x[0] = undeclared; }")

    def test_a_launch_tells_its_time(self):
        device = Device[OURS]
        program = device.runtime("fill", b"__kernel void fill(__global int* x, int value) { x[get_global_id(0)] = value; }")
        memory = device.allocator.alloc(64 * 4)
        seconds = program(memory, global_size=(4, 1, 1), local_size=(16, 1, 1), vals=(-5,), wait=True)
        self.assertGreater(seconds, 0)
        self.assertLess(seconds, 60)
        out = bytearray(64 * 4)
        device.allocator._copyout(memoryview(out), memory)  # pylint: disable=protected-access
        self.assertEqual(memoryview(out).cast("i").tolist(), [-5] * 64)

    def test_a_group_that_does_not_divide_the_items_is_made_smaller(self):
        self.assertEqual(manyrt_tinygrad._groups((2.5, 1, 1), (4, 1, 1)), ((5, 1, 1), (2, 1, 1)))
        self.assertEqual(manyrt_tinygrad._groups((7,), None), ((7, 1, 1), (1, 1, 1)))
        self.assertEqual(manyrt_tinygrad._groups((3, 2, 1), (8, 4, 1)), ((3, 2, 1), (8, 4, 1)))
        self.assertEqual(manyrt_tinygrad._groups((0, 1, 1), (8, 1, 1)), ((0, 1, 1), (1, 1, 1)))

    def test_a_program_runs_as_it_is(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "program.py"
            program.write_text("import sys\nfrom tinygrad import Device, Tensor\n"
                               "print(sys.argv[1:], Device.DEFAULT, (Tensor.arange(5) * 3).tolist())\n")
            environment = {name: value for name, value in os.environ.items() if name != "DEV"}
            run = subprocess.run([sys.executable, "-m", "manyrt_tinygrad", str(program), "a b"], env=environment, text=True,
                                 capture_output=True, check=False, timeout=200)
            self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "['a b'] MANYRT [0, 3, 6, 9, 12]\n", ""))

    def test_the_backend_is_short(self):
        self.assertLessEqual(len(pathlib.Path(manyrt_tinygrad.__file__).read_text(encoding="utf-8").splitlines()), 400)
        self.assertEqual(manyrt.Device("cpu").name, "cpu")


if __name__ == "__main__":
    print(f"tinygrad {tinygrad.__version__ if hasattr(tinygrad, '__version__') else ''}, {Device[OURS].context}")
    unittest.main()
