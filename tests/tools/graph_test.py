#!/usr/bin/env python3
"""The manyrt command with graph files. Usage: graph_test.py MANYRT SOURCE_ROOT FOLDER

What the emitter writes runs on every device and leaves what Python computes, to the bit: all values are small whole numbers, so
that no order of a sum matters. Files and arguments that are wrong are refused in words. Pictures have no text over text.
"""
import json
import pathlib
import struct
import subprocess
import sys
import unittest
import xml.etree.ElementTree

try:
    import jsonschema
except ImportError:
    jsonschema = None

MANYRT, ROOT, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
sys.path.insert(0, str(ROOT / "examples"))
import graph_emitter as ir  # noqa: E402


def manyrt(*arguments):
    return subprocess.run([MANYRT, *map(str, arguments)], capture_output=True, text=True, timeout=200, check=False)


def npy(name, values, shape, descr="<f4", code="f", order="False", extra=b"", header=None):
    """Writes an array as NumPy would, or a damaged one."""
    text = header or f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': ({', '.join(map(str, shape))},), }}"
    text = (text + " " * (-(len(text) + 11) % 64) + "\n").encode()
    path = FOLDER / name
    data = struct.pack(f"<{len(values)}{code}", *values) + extra
    path.write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text + data)
    return path


def read_npy(path):
    data = path.read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    assert data[:8] == b"\x93NUMPY\1\0" and (10 + length) % 64 == 0, "not as NumPy writes it"
    header = eval(data[10:10 + length].decode(), {"__builtins__": {}})  # a literal that the command has just written
    assert header["descr"] == "<f4" and header["fortran_order"] is False
    return header["shape"], list(struct.unpack(f"<{(len(data) - 10 - length) // 4}f", data[10 + length:]))


def numbers(count, start):
    return [float((start + 7 * i) % 5 - 2) for i in range(count)]


def network(x, w1, b1, w2, b2, rows, inputs, hidden, classes):
    def layer(left, right, bias, n, k, m):
        return [sum(left[i * k + j] * right[j * m + c] for j in range(k)) + bias[c] for i in range(n) for c in range(m)]
    middle = [max(v, 0.0) for v in layer(x, w1, b1, rows, inputs, hidden)]
    y = layer(middle, w2, b2, rows, hidden, classes)
    return y, [sum(v * v for v in y[i * classes:(i + 1) * classes]) for i in range(rows)]


def devices():
    info = json.loads(manyrt("info", "--json").stdout)
    return [d["id"] for b in info["backends"] if b["name"] != "null" for d in b["devices"] if "kernels" in d["capabilities"]]


def wide_graph(path, count=200):
    """As many nodes as a picture must bear: four chains that meet now and then, long names, temporaries of many sizes."""
    source = "kernel void a_kernel_with_a_long_name(global const float* x, global float* y) { y[get_global_id(0)] = x[0]; }"
    buffers, nodes = [{"name": "x", "role": "input", "bytes": 4096}], []
    for i in range(count):
        buffers.append({"name": f"activation_of_layer_{i}", "role": "temporary", "bytes": 256 * (1 + i * 37 % 64)})
        after = [i - 4] if i >= 4 else []
        after += [i - 7] if i % 9 == 0 and i >= 7 else []
        nodes.append({"kind": "kernel", "kernel": "a_kernel_with_a_long_name", "module": 0, "grid": [1, 1, 1],
                      "group": [64, 1, 1], "after": sorted(after),
                      "arguments": [{"buffer": max(i - 3, 0), "access": "read"}, {"buffer": i + 1, "access": "write"}]})
    path.write_text(json.dumps({"format": "manyrt-graph", "version": 1, "modules": [{"source": source}], "buffers": buffers,
                                "nodes": nodes}))


def text_boxes(svg):
    for text in svg.iter("{http://www.w3.org/2000/svg}text"):
        x, y, size = float(text.get("x")), float(text.get("y")), float(text.get("font-size", 11))
        width = len(text.text) * size * 0.6
        if text.get("text-anchor") == "middle":
            x -= width / 2
        if "rotate(-90" in text.get("transform", ""):
            yield (x - size * 0.8, y - width, x, y, text.text)
        else:
            yield (x, y - size * 0.8, x + width, y, text.text)


class GraphTest(unittest.TestCase):
    SIZES = {"rows": 32, "inputs": 16, "hidden": 24, "classes": 10}

    @classmethod
    def setUpClass(cls):
        FOLDER.mkdir(parents=True, exist_ok=True)
        cls.graph = FOLDER / "network.json"
        ir.emit(ir.network(**cls.SIZES), cls.graph)
        n, k, h, c = cls.SIZES.values()
        shapes = {"x": (n, k), "w1": (k, h), "b1": (h,), "w2": (h, c), "b2": (c,)}
        cls.values = {}
        cls.inputs = []
        for number, (name, shape) in enumerate(shapes.items()):
            count = shape[0] * (shape[1] if len(shape) == 2 else 1)
            cls.values[name] = numbers(count, number)
            cls.inputs += ["--input", f"{name}={npy(name + '.npy', cls.values[name], shape)}"]

    def refused(self, words, *arguments):
        result = manyrt(*arguments)
        self.assertNotEqual(result.returncode, 0, arguments)
        self.assertIn(words, result.stderr)

    def test_what_is_emitted_runs_everywhere_and_leaves_what_python_computes(self):
        y, norm = network(**self.values, **self.SIZES)
        found = devices()
        self.assertIn("cpu", found)
        for device in found:
            out = FOLDER / "y.npy", FOLDER / "norm.npy"
            outputs = ["--output", f"y={out[0]}", "--output", f"norm={out[1]}"]
            result = manyrt("run", self.graph, "--device", device, *self.inputs, *outputs)
            self.assertEqual(result.returncode, 0, f"{device}: {result.stderr}")
            self.assertEqual(read_npy(out[0]), ((32, 10), y), device)
            self.assertEqual(read_npy(out[1]), ((32,), norm), device)
        print(f"ran on {', '.join(found)}")

    def test_it_runs_again_and_again_from_the_same_contents(self):
        for device in devices():
            result = manyrt("run", self.graph, "--device", device, *self.inputs, "--repeat", "4", "--output",
                            f"y={FOLDER / 'r.npy'}")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertRegex(result.stdout,
                             r"^4 runs: the first took \S+ .?s, the others \S+ .?s to \S+ .?s, the median \S+ .?s\n$")
            self.assertEqual(read_npy(FOLDER / "r.npy"), ((32, 10), network(**self.values, **self.SIZES)[0]))
        self.assertEqual(manyrt("run", self.graph, "--device", "cpu", *self.inputs).stdout, "")

    def test_what_is_expected_is_compared_to_the_bit_or_within_a_tolerance(self):
        y, norm = network(**self.values, **self.SIZES)
        right, norms = npy("right.npy", y, (32, 10)), npy("norms.npy", norm, (32,))
        run = ("run", self.graph, "--device", "cpu", *self.inputs)
        result = manyrt(*run, "--expect", f"y={right}", "--expect", f"norm={norms}", "--repeat", "2")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("y: as expected, to the bit\nnorm: as expected, to the bit\n", result.stdout)
        near = [value + (0.25 if place in (7, 300) else 0) for place, value in enumerate(y)]
        wrong = npy("near.npy", near, (32, 10))
        out = FOLDER / "wrong_out.npy"
        result = manyrt(*run, "--expect", f"y={wrong}", "--output", f"y={out}")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertEqual(result.stderr,
                         f"manyrt: The buffer \"y\": 2 of 320 elements are not as expected; element 7 is {y[7]:.9g}, "
                         f"not {near[7]:.9g}; the most that two are apart is 0.25.\n")
        self.assertEqual(read_npy(out), ((32, 10), y))  # to be looked at
        for tolerance, code in (("0.3", 0), ("0.001", 1)):
            result = manyrt(*run, "--expect", f"y={wrong}", "--tolerance", tolerance)
            self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(manyrt(*run, "--expect", f"y={wrong}", "--tolerance", "0.3").stdout,
                         "y: as expected, within the tolerance\n")
        nan = npy("nan.npy", [float("nan")] * 320, (32, 10))
        self.refused("elements are not as expected", *run, "--expect", f"y={nan}", "--tolerance", "9")
        self.refused("--tolerance takes a number from 0", *run, "--expect", f"y={right}", "--tolerance", "-1")
        self.refused("--tolerance takes a number from 0", *run, "--expect", f"y={right}", "--tolerance", "nan")
        self.refused("the buffer \"y\" takes f32 (32, 10)", *run, "--expect", f"y={norms}")
        self.refused("The graph has no buffer \"z\"", *run, "--expect", f"z={right}")
        self.refused("cannot be opened", *run, "--expect", f"y={FOLDER / 'absent.npy'}")

    def test_random_contents_are_the_same_on_every_device_and_for_each_seed(self):
        found, out = devices(), FOLDER / "random.npy"
        run = ("run", self.graph, "--random", "--output", f"y={out}")
        self.assertEqual(manyrt(*run, "--device", "cpu").returncode, 0)
        first = out.read_bytes()
        values = read_npy(out)[1]
        self.assertGreater(len(set(values)), 100)
        for device in found:
            again = manyrt("run", self.graph, "--random", "--device", device, "--expect", f"y={out}", "--tolerance", "1e-4")
            self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(manyrt(*run, "--device", "cpu", "--seed", "0").returncode, 0)
        self.assertEqual(out.read_bytes(), first)
        self.assertEqual(manyrt(*run, "--device", "cpu", "--seed", "1").returncode, 0)
        self.assertNotEqual(out.read_bytes(), first)
        # A buffer that is given stays as it is.
        self.assertEqual(manyrt(*run, "--device", "cpu", *self.inputs).returncode, 0)
        self.assertEqual(read_npy(out)[1], network(**self.values, **self.SIZES)[0])

    def test_broadcast_reduction_and_difference(self):
        x, b = ir.Input("x", (4, 6)), ir.Input("b", (6,))
        path = FOLDER / "small.json"
        ir.emit({"most": ir.reduce("fmax(a, b)", "-INFINITY", x - b)}, path)
        xs, bs = numbers(24, 3), numbers(6, 1)
        result = manyrt("run", path, "--device", "cpu", "--input", f"x={npy('sx.npy', xs, (4, 6))}", "--input",
                        f"b={npy('sb.npy', bs, (6,))}", "--output", f"most={FOLDER / 'most.npy'}")
        self.assertEqual(result.returncode, 0, result.stderr)
        expected = [max(xs[i * 6 + k] - bs[k] for k in range(6)) for i in range(4)]
        self.assertEqual(read_npy(FOLDER / "most.npy"), ((4,), expected))

    def test_values_are_inputs_too(self):
        path = FOLDER / "values.json"
        path.write_text(json.dumps({
            "format": "manyrt-graph", "version": 1,
            "modules": [{"source": "kernel void set(global float* y, float a, float b) { y[get_global_id(0)] = a * 10 + b; }"}],
            "buffers": [{"name": "y", "role": "output", "bytes": 16, "type": "f32", "shape": [4]}],
            "values": [{"name": "a", "bytes": 4}, {"name": "b", "bytes": 4, "value": struct.pack("<f", 5).hex()}],
            "nodes": [{"kind": "kernel", "kernel": "set", "module": 0, "grid": [1, 1, 1], "group": [4, 1, 1],
                       "arguments": [{"buffer": 0}, {"named": 0}, {"named": 1}]}]}))
        run = ("run", path, "--device", "cpu", "--output", f"y={FOLDER / 'vy.npy'}")
        self.refused("no --input for the value \"a\"", *run)
        self.refused("it has 8 bytes; the value \"a\" takes 4", *run, "--input", f"a={npy('va2.npy', [1.0, 2.0], (2,))}")
        a = ("--input", f"a={npy('va.npy', [3.0], (1,))}")
        self.refused("given twice", *run, *a, *a)
        for more, expected in (((), 35.0), (("--input", f"b={npy('vb.npy', [7.0], (1,))}"), 37.0)):
            result = manyrt(*run, *a, *more)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(read_npy(FOLDER / "vy.npy"), ((4,), [expected] * 4))
        text = manyrt("graph", path, "--device", "cpu").stdout
        self.assertIn("1 node, 1 buffer, 2 values, 1 module\n", text)

    def test_kernels_that_are_named_come_from_images(self):
        path, out = FOLDER / "named.json", FOLDER / "named.npy"
        parts = {"double_it": "y[get_global_id(0)] *= 2.0f;", "add_one": "y[get_global_id(0)] += 1.0f;"}
        images = []
        for name, body in parts.items():
            (FOLDER / f"{name}.cl").write_text(f"kernel void {name}(global float* y) {{ {body} }}")
            built = manyrt("cc", FOLDER / f"{name}.cl", "--no-source", "-o", FOLDER / f"{name}.rtm")
            self.assertEqual(built.returncode, 0, built.stderr)
            images += ["--image", FOLDER / f"{name}.rtm"]
        path.write_text(json.dumps({
            "format": "manyrt-graph", "version": 1,
            "buffers": [{"name": "y", "role": "output", "bytes": 16, "type": "f32", "shape": [4]}],
            "nodes": [{"kind": "kernel", "kernel": name, "grid": [1, 1, 1], "group": [4, 1, 1], "arguments": [{"buffer": 0}],
                       "after": [] if name == "add_one" else [0]} for name in ("add_one", "double_it")]}))
        result = manyrt("run", path, "--device", "cpu", "--output", f"y={out}", *images)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(read_npy(out), ((4,), [2.0] * 4))
        self.assertIn("2 steps in 2 levels", manyrt("graph", path, "--device", "cpu", *images).stdout)
        self.refused("RT_ERROR_NOT_FOUND", "run", path, "--device", "cpu")
        self.refused("add_one", "run", path, "--device", "cpu", *images[:2])
        self.refused("RT_ERROR_IO", "graph", path, "--device", "cpu", "--image", FOLDER / "absent.rtm")

    def test_wrong_arrays_are_refused(self):
        zeros = [0.0] * 512
        cases = {
            "it is no .npy file": FOLDER / "network.json",
            "cannot be opened": FOLDER / "absent.npy",
            "has f32 (32, 17)": npy("b0.npy", [0.0] * 544, (32, 17)),
            "has f32 (512,)": npy("b1.npy", zeros, (512,)),
            "has i32 (32, 16)": npy("b2.npy", [0] * 512, (32, 16), "<i4", "i"),
            "Fortran order": npy("b3.npy", zeros, (32, 16), order="True"),
            "little-endian": npy("b4.npy", zeros, (32, 16), ">f4"),
            "\"|O\"": npy("b5.npy", zeros, (32, 16), "|O"),
            "has 2048 bytes and the file 2049": npy("b6.npy", zeros, (32, 16), extra=b"x"),
            "has 2048 bytes and the file 2044": npy("b7.npy", zeros[1:], (32, 16)),
            "leaves the address space": npy("b8.npy", zeros, (2**40, 2**40)),
            "shape is damaged": npy("b9.npy", zeros, ("-1", 16)),
            "a member \"more\"": npy("b10.npy", zeros, (), header="{'descr': '<f4', 'more': 1}"),
            "two members": npy("b11.npy", zeros, (), header="{'descr': '<f4', 'descr': '<f4'}"),
            "header is damaged": npy("b12.npy", zeros, (), header="{'descr': '<f4'}"),
        }
        cut = FOLDER / "cut.npy"
        cut.write_bytes(npy("b13.npy", zeros, (32, 16)).read_bytes()[:40])
        cases["header is cut"] = cut
        for words, path in cases.items():
            self.refused(words, "run", self.graph, "--device", "cpu", "--input", f"x={path}")

    def test_wrong_arguments_are_refused(self):
        self.refused("no buffer \"z\"", "run", self.graph, "--input", "z=a.npy")
        self.refused("NAME=FILE", "run", self.graph, "--input", "x")
        self.refused("is a temporary", "run", self.graph, "--output", "t2=a.npy")
        self.refused("given twice", "run", self.graph, *self.inputs, *self.inputs[:2])
        self.refused("no --input for the buffer \"b2\"", "run", self.graph, "--device", "cpu", *self.inputs[:-2])
        self.refused("RT_ERROR_NOT_FOUND", "run", self.graph, "--device", "toaster:0")
        nowhere = f"y={FOLDER}/no/y.npy"
        self.refused("cannot be written", "run", self.graph, "--device", "cpu", *self.inputs, "--output", nowhere)
        self.refused("required", "graph")
        self.refused("cannot be read", "graph", FOLDER)
        self.refused("Line 1, column ", "graph", ROOT / "tests/fuzz/corpus/graph_file/cut.json")

    def test_a_graph_is_printed(self):
        text = manyrt("graph", self.graph, "--device", "cpu").stdout
        for words in ("7 nodes, 12 buffers, 1 module\n", "matmul_0", "f32 32 x 16", "7 steps in 7 levels on 1 stream,"):
            self.assertIn(words, text)
        dot = manyrt("graph", self.graph, "--dot").stdout
        self.assertTrue(dot.startswith("digraph") and dot.endswith("}\n"))
        self.assertEqual(dot.count("shape=box"), 7)

    def test_a_picture_of_two_hundred_nodes_has_no_text_over_text(self):
        path = FOLDER / "wide.json"
        wide_graph(path)
        result = manyrt("graph", path, "--device", "cpu", "--svg")
        self.assertEqual(result.returncode, 0, result.stderr)
        (FOLDER / "wide.svg").write_text(result.stdout)
        svg = xml.etree.ElementTree.fromstring(result.stdout)
        boxes = list(text_boxes(svg))
        self.assertGreater(len(boxes), 200)
        for i, a in enumerate(boxes):
            self.assertTrue(0 <= a[0] and a[2] <= float(svg.get("width")) and 0 <= a[1] and a[3] <= float(svg.get("height")), a)
            for b in boxes[i + 1:]:
                self.assertFalse(a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3], f"{a} {b}")

    def example_of_the_document(self):
        text = (ROOT / "docs/graph-file.md").read_text()
        return text.split("```json\n", 1)[1].split("```", 1)[0]

    def test_the_example_of_the_document_runs_on_every_device(self):
        path = FOLDER / "documented.json"
        path.write_text(self.example_of_the_document())
        x = numbers(256, 3)
        given = npy("documented_x.npy", x, (16, 16))
        for device in devices():
            y = FOLDER / "documented_y.npy"
            result = manyrt("run", path, "--device", device, "--input", f"x={given}", "--output", f"y={y}")
            self.assertEqual((result.returncode, result.stderr), (0, ""), device)
            self.assertEqual(read_npy(y), ((16, 16), [v + 2 for v in x]), device)

    @unittest.skipIf(jsonschema is None, "jsonschema is not installed")
    def test_the_schema_agrees_with_the_library(self):
        schema = json.loads((ROOT / "bindings/graph.schema.json").read_text())
        validator = jsonschema.Draft202012Validator(schema)
        validator.check_schema(schema)
        whole = json.loads((ROOT / "tests/fuzz/corpus/graph_file/every_kind.json").read_text())
        self.assertTrue(validator.is_valid(whole))
        self.assertTrue(validator.is_valid(json.loads(self.graph.read_text())))
        validator.validate(json.loads(self.example_of_the_document()))
        # A member that is missing or one too many, wherever: both refuse it, or both take it.
        compared = 0
        for place in range(len(whole["nodes"])):
            for member in list(whole["nodes"][place]) + ["unknown"]:
                changed = json.loads(json.dumps(whole))
                if member == "unknown":
                    changed["nodes"][place][member] = 1
                else:
                    del changed["nodes"][place][member]
                path = FOLDER / "changed.json"
                path.write_text(json.dumps(changed))
                taken = manyrt("graph", path, "--dot").returncode == 0
                if member not in ("bindings", "pitch"):  # what only the library knows: all are bound; a row needs its pitch
                    self.assertEqual(taken, validator.is_valid(changed), f"{place} {member}")
                compared += 1
        self.assertGreater(compared, 30)


if __name__ == "__main__":
    outcome = unittest.main(argv=sys.argv[:1], exit=False).result
    if outcome.wasSuccessful() and outcome.skipped:
        print("SKIP:", "; ".join(sorted({why for _, why in outcome.skipped})) + "; what needs none passed")
        sys.exit(77)
    sys.exit(not outcome.wasSuccessful())
