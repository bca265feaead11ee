#!/usr/bin/env python3
"""Runs the OpenCL C programs of piglit on a device, as the annotations in their first comments say.

    piglit.py FOLDER --devices cpu,opencl:0 [--json FILE] [--only PATTERN] [--package WORDS] [--commit WORDS]

FOLDER is piglit's, with tests/cl and generated_tests/cl in it: scripts/run-piglit.sh unpacks Debian's package. Programs
that need images, offsets of the grid or another device are counted apart. A child process runs the programs of a device, and
is started again where a driver ends it. piglit_known.txt explains the failures that are known.
"""
import argparse
import collections
import datetime
import fnmatch
import json
import math
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import lab  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parent
NUMPY = {"char": "int8", "uchar": "uint8", "short": "int16", "ushort": "uint16", "int": "int32",
         "uint": "uint32", "long": "int64", "ulong": "uint64", "half": "float16", "float": "float32", "double": "float64"}
ABSENT = {"image": "images are outside this release of the library",
          "sampler": "samplers are outside this release of the library"}
PASS, FAIL, APART = "pass", "fail", "apart"


class NotHere(Exception):
    """The program needs something that the device, or the library, does not have."""


class Test:
    """One [test] section, with what it has from [config]."""

    def __init__(self, config):
        self.words = dict(config)
        self.arguments = []  # (arg_in or arg_out, index, words after it)

    def number(self, key, size):
        """Three sizes, of which `dimensions` count."""
        given = [int(word, 0) for word in self.words[key].split()] + [1, 1, 1] if key in self.words else [size] * 3
        count = int(self.words.get("dimensions", "1"))
        return tuple(each if at < count and each > 0 else 1 for at, each in enumerate(given[:3]))


class Program:
    """A file: its configuration, tests, and source."""

    def __init__(self, path):
        self.path = path
        text = path.read_text(encoding="utf-8", errors="replace")
        if path.suffix == ".program_test":
            notes, _, self.source = text.partition("[program source]")
        else:
            found = re.search(r"/\*!(.*?)!?\*/", text, re.S)
            notes, self.source = (found.group(1) if found else ""), text
        self.config, self.tests = {}, []
        self._parse(notes)
        if "program_source_file" in self.config:
            self.source = (path.parent / self.config["program_source_file"].strip('"')).read_text(encoding="utf-8")

    def _parse(self, notes):
        section = None
        lines = (re.sub(r"#.*", "", line).rstrip() for line in notes.splitlines())
        joined = re.sub(r"\\[ \t]*\n", " ", "\n".join(lines))
        for line in joined.splitlines():
            line = line.strip()
            if line.startswith("["):
                section = line
                if section == "[test]":
                    self.tests.append(Test(self.config))
            elif ":" in line:
                key, value = (part.strip() for part in line.split(":", 1))
                if section == "[config]":
                    self.config[key] = value
                elif section == "[test]" and key in ("arg_in", "arg_out"):
                    index, _, words = value.partition(" ")
                    self.tests[-1].arguments.append((key, int(index), words.strip()))
                elif section == "[test]":
                    self.tests[-1].words[key] = value


def split(name):
    """int4 is ("int", 4)."""
    base = name.rstrip("0123456789")
    return base, int(name[len(base):] or 1)


def value_of(word, base):
    """A number in C's words, as a whole number or not."""
    word = word.lower().rstrip("f") if not word.lower().startswith(("0x", "-0x", "inf", "-inf")) else word.lower()
    if base in ("half", "float", "double"):
        return float.fromhex(word) if "x" in word else float(word)
    word = word.rstrip("ul")
    try:
        return int(word, 0) if word not in ("0" * len(word),) else 0
    except ValueError:
        return int(word) if word.lstrip("-").isdigit() else int(float(word))


def packed(numpy, base, numbers):
    """Numbers as elements of a type; whole numbers wrap."""
    kind = numpy.dtype(NUMPY[base])
    if kind.kind == "f":
        with numpy.errstate(all="ignore"):
            return numpy.array(numbers, "float64").astype(kind)
    bits = 8 * kind.itemsize
    return numpy.array([number & ((1 << bits) - 1) for number in numbers], f"uint{bits}").view(kind)


class Value:
    """What an argument is, or has to be: the elements without the fourth of three lanes, and a tolerance."""

    def __init__(self, numpy, words):
        self.is_buffer = words.startswith("buffer ")
        head, _, rest = words.removeprefix("buffer ").strip().partition("[" if self.is_buffer else " ")
        self.base, self.lanes = split(head.strip())
        if self.base in ABSENT:
            raise NotHere(ABSENT[self.base])
        count = 1
        if self.is_buffer:
            size, _, rest = rest.partition("]")
            count = int(size)
        rest, _, tolerance = rest.partition("tolerance")
        self.in_units, self.tolerance = "ulp" in tolerance, float((tolerance.split() or ["0"])[0])
        given = rest.split()
        total = count * self.lanes
        if not given or given[0].lower() == "null":
            self.elements = numpy.zeros(total, NUMPY[self.base])
        elif given[0].lower() == "random":
            self.elements = numpy.frombuffer(numpy.random.default_rng(1).bytes(total * numpy.dtype(NUMPY[self.base]).itemsize),
                                             NUMPY[self.base]).copy()
        else:
            repeated = given[0].lower() == "repeat"
            numbers = [value_of(word, self.base) for word in given[1 if repeated else 0:]]
            numbers = (numbers * total)[:total] if repeated else numbers
            if len(numbers) != total:
                raise ValueError(f"{len(numbers)} numbers for {total} elements: {words[:60]}")
            self.elements = packed(numpy, self.base, numbers)

    def memory(self, numpy):
        """The bytes of a buffer: three lanes have the room of four."""
        if self.lanes != 3:
            return self.elements.tobytes()
        four = numpy.zeros((len(self.elements) // 3, 4), self.elements.dtype)
        four[:, :3] = self.elements.reshape(-1, 3)
        return four.tobytes()

    def from_memory(self, numpy, data):
        """The elements that a buffer holds."""
        found = numpy.frombuffer(data, self.elements.dtype)
        return found if self.lanes != 3 else found.reshape(-1, 4)[:, :3].reshape(-1)

    def difference(self, numpy, found):
        """A sentence on the first element that is too far from what it has to be, or None."""
        for at, (got, want) in enumerate(zip(found, self.elements)):
            if not _near(numpy, got, want, self.tolerance, self.in_units):
                limit = f" (tolerance {self.tolerance:g}{' ulp' if self.in_units else ''})" if self.tolerance else ""
                return f"element {at} is {got!s}, not {want!s}{limit}"
        return None


def _near(numpy, got, want, tolerance, in_units):
    if got == want:
        return True
    if want.dtype.kind != "f":
        return abs(int(got) - int(want)) <= tolerance
    if math.isnan(got) or math.isnan(want):
        return math.isnan(got) and math.isnan(want)
    if not in_units:
        return abs(float(got) - float(want)) <= tolerance
    with numpy.errstate(all="ignore"):
        return abs(float(got) - float(want)) <= tolerance * abs(float(numpy.spacing(want)))


def needs(program, device, context_has):
    """Raises where the program is for something else."""
    if "cl_khr_fp16" in program.source + program.config.get("require_device_extensions", "") and not context_has("half"):
        raise NotHere("the device has no half (cl_khr_fp16)")
    if "cl_khr_fp64" in program.config.get("require_device_extensions", "") and not context_has("double"):
        raise NotHere("the device has no double")
    if int(program.config.get("clc_version_min", "10")) > 12:
        raise NotHere("for OpenCL C 2.0 and later")
    if "device_regex" in program.config:
        raise NotHere(f"for devices {program.config['device_regex']} alone")
    if program.config.get("need_image_support", "").startswith(("true", "1")):
        raise NotHere(ABSENT["image"])


def run_program(manyrt, numpy, context, program):
    """Raises NotHere, or ends with a list of what failed."""
    needs(program, context.device.name, context.device.has)
    options = program.config.get("build_options", "")
    must_fail = program.config.get("expect_build_fail", "false").startswith("true")
    options += f' -I "{program.path.parent}"' if "include" in program.source else ""
    try:
        module = context.module(program.source, options.strip())
    except manyrt.Error as error:
        return [] if must_fail else [f"does not build: {first_error(str(error))}"]
    if must_fail:
        return ["builds, and must not"]
    failures = []
    for number, test in enumerate(program.tests):
        name = test.words.get("name", str(number)) if "name" in test.words else str(number)
        try:
            found = run_test(manyrt, numpy, context, module, test)
        except (manyrt.Error, TypeError, ValueError) as error:
            found = f"cannot run: {str(error).splitlines()[0][:200]}"
        must_differ = test.words.get("expect_test_fail", "false").startswith("true")
        if must_differ != (found is not None):
            failures.append(f"{name}: {found or 'passes, and must not'}")
    return failures


def run_test(manyrt, numpy, context, module, test):
    """A sentence on the first difference, or None."""
    if "global_offset" in test.words and any(int(word) for word in test.words["global_offset"].split()):
        raise NotHere("a launch of rt.h has no offset of the grid")
    kernel = module[test.words["kernel_name"]]
    sizes = test.number("global_size", 1)
    group = test.number("local_size", 1) if "local_size" in test.words else (math.gcd(sizes[0], 64), 1, 1)
    arrays, given, wanted = {}, {}, []
    for direction, index, words in test.arguments:
        value = Value(numpy, words)
        if direction == "arg_out":
            wanted.append((index, value))
        if kernel.args[index].kind == "local":
            given[index] = manyrt.Local(len(value.memory(numpy)))
        elif not value.is_buffer:
            given[index] = scalar(numpy, kernel._arguments[index], value)  # pylint: disable=protected-access
        elif direction == "arg_in" or index not in given:
            data = value.memory(numpy) if direction == "arg_in" else bytes(len(value.memory(numpy)))
            element = kernel._arguments[index].element  # pylint: disable=protected-access
            arrays[index] = given[index] = context.array(numpy.frombuffer(data, element.name if element else "uint8"))
    grid = tuple(size // items for size, items in zip(sizes, group))
    kernel[grid, group](context.default_stream, *[given[index] for index in sorted(given)])
    context.synchronize()
    for index, value in wanted:
        difference = value.difference(numpy, value.from_memory(numpy, arrays[index].tobytes()))
        if difference:
            return f"argument {index}: {difference}"
    return None


def scalar(numpy, argument, value):
    """An argument by value: the same bytes as a number of the type that the kernel declares, or as a vector."""
    data = value.memory(numpy)
    if argument.simple and value.lanes == 1 and len(data) == argument.info.size:
        return numpy.frombuffer(data, numpy.dtype(argument.code)).tolist()[0]
    return value.elements.tolist()[0] if value.lanes == 1 else data


def first_error(log):
    """The message of a build log without its place."""
    found = re.search(r"error: (.*)", log)
    return (found.group(1) if found else log.splitlines()[0])[:200]


def worker(folder, device):
    """Reads paths, answers with a line of JSON each."""
    import manyrt
    import numpy
    with manyrt.Context(device) as context:
        for line in sys.stdin:
            path = folder / line.strip()
            try:
                failures = run_program(manyrt, numpy, context, Program(path))
                answer = [FAIL if failures else PASS, failures]
            except NotHere as reason:
                answer = [APART, [str(reason)]]
            except Exception as error:  # pylint: disable=broad-except
                answer = [FAIL, [f"{type(error).__name__}: {error}"]]
            print(json.dumps(answer), file=ANSWERS, flush=True)


class Child:
    """The process that runs the programs of one device."""

    def __init__(self, folder, device):
        read, write = os.pipe()
        self._command = subprocess.Popen([sys.executable, __file__, str(folder), "--devices", device, "--worker", str(write)],
                                         stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                         pass_fds=[write], text=True)
        os.close(write)
        self._answers = os.fdopen(read)

    def run(self, name):
        """What became of a program; None if the process has ended."""
        try:
            self._command.stdin.write(name + "\n")
            self._command.stdin.flush()
        except BrokenPipeError:
            return None
        line = self._answers.readline()
        return json.loads(line) if line else None

    def end(self):
        """Closes its input and waits."""
        try:
            self._command.stdin.close()
        except BrokenPipeError:
            pass
        self._answers.close()
        return self._command.wait()


def run_device(folder, names, device):
    """Name to (what became of it, reasons)."""
    results, child = {}, None
    for name in names:
        child = child or Child(folder, device)
        answer = child.run(name)
        if answer is None:
            answer, child = [FAIL, [f"ends the process with status {child.end()}"]], None
        results[name] = answer
    if child:
        child.end()
    return results


def known_failures():
    """Lines of device pattern | program pattern | reason."""
    path, found = FOLDER / "piglit_known.txt", []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            device, name, reason = (part.strip() for part in line.split("|"))
            found.append((device, name, reason))
    return found


def summary(device, results, known):
    """Prints and returns the figures of a device; failures that the list explains have its reason."""
    table = {"programs": len(results), "pass": 0, "apart": collections.Counter(), "known": {}, "failures": {}}
    for name, (what, reasons) in sorted(results.items()):
        reason = next((why for where, program, why in known if fnmatch.fnmatchcase(device, where)
                       and fnmatch.fnmatchcase(name, program)), None)
        if what == PASS:
            table["pass"] += 1
        elif what == APART:
            table["apart"][reasons[0]] += 1
        elif reason:
            table["known"][name] = reason
        else:
            table["failures"][name] = reasons
    print(f"{device}: {table['pass']} of {table['programs']} programs pass, {sum(table['apart'].values())} are counted apart, "
          f"{len(table['known'])} fail for known reasons, {len(table['failures'])} fail")
    for reason, count in table["apart"].most_common():
        print(f"  apart  {count:4}  {reason}")
    for name, reason in table["known"].items():
        print(f"  known  {name}: {reason}: {results[name][1][0]}")
    for name, reasons in table["failures"].items():
        print(f"  FAIL   {name}: {'; '.join(reasons[:3])}{f' and {len(reasons) - 3} more' if len(reasons) > 3 else ''}")
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--devices", default="cpu")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--only", default="*")
    parser.add_argument("--package", default="")
    parser.add_argument("--commit", default="")
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        global ANSWERS
        with os.fdopen(arguments.worker, "w") as ANSWERS:
            worker(arguments.folder, arguments.devices)
        return 0
    names = sorted(str(path.relative_to(arguments.folder)) for top in ("tests/cl", "generated_tests/cl")
                   for path in (arguments.folder / top).rglob("*") if path.suffix in (".cl", ".program_test"))
    names = [name for name in names if fnmatch.fnmatchcase(name, arguments.only) and "template_program" not in name]
    if not names:
        sys.exit(f"No programs in {arguments.folder}.")
    known = known_failures()
    tables = {device: summary(device, run_device(arguments.folder, names, device), known)
              for device in arguments.devices.split(",")}
    if arguments.json:
        context = {"package": arguments.package, "date": datetime.date.today().isoformat(), "commit": arguments.commit}
        arguments.json.write_text(lab.dumps({"context": context, "devices": tables}), encoding="utf-8")
    return 1 if any(table["failures"] for table in tables.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
