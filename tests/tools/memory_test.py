#!/usr/bin/env python3
"""`manyrt memory`. Usage: memory_test.py MANYRT SOURCE_ROOT FOLDER DIGITS

What the library's own trace says of a program is what the command reads, and a replay of it in a pool gives the same again.
Placements overlap nowhere. Files that are wrong are refused with the place of the mistake. Pictures have no text over text.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest
import xml.etree.ElementTree

MANYRT, ROOT, FOLDER, DIGITS = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]), sys.argv[4]
SVG = "{http://www.w3.org/2000/svg}"


def manyrt(*arguments):
    return subprocess.run([MANYRT, "memory", *map(str, arguments)], capture_output=True, text=True, timeout=100, check=False)


def written(file, events, **members):
    path = FOLDER / file
    path.write_text(json.dumps({"format": "manyrt-memory-trace", "version": 1, "events": events, **members}))
    return path


def peaks(events):
    live = most = 0
    sizes = {}
    for event in events:
        if "allocate" in event:
            sizes[event["allocate"]] = event["bytes"]
            live += event["bytes"]
        elif "free" in event:
            live -= sizes.pop(event["free"])
        most = max(most, live)
    return most


def text_boxes(svg):
    for text in svg.iter(f"{SVG}text"):
        x, y, size = float(text.get("x")), float(text.get("y")), float(text.get("font-size", 11))
        width = len(text.text) * size * 0.6
        x -= {"middle": width / 2, "end": width}.get(text.get("text-anchor"), 0)
        yield (x, y - size * 0.8, x + width, y, text.text)


class MemoryTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        FOLDER.mkdir(parents=True, exist_ok=True)
        cls.transformer = FOLDER / "transformer.json"
        made = subprocess.run([sys.executable, ROOT / "benchmarks/traces/transformer.py", "--steps", "80"], capture_output=True,
                              text=True, check=True).stdout
        cls.transformer.write_text(made)
        cls.example = (ROOT / "docs/memory-trace.md").read_text().split("```json\n", 1)[1].split("```", 1)[0]

    def read(self, *arguments):
        result = manyrt(*arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def refused(self, words, path, *arguments):
        result = manyrt(path, *arguments)
        self.assertEqual((result.returncode, result.stdout), (1, ""), words)
        self.assertIn(words, result.stderr)
        self.assertRegex(result.stderr, r"^manyrt: [^\n]*\n$")

    def check_picture(self, text, least_blocks):
        svg = xml.etree.ElementTree.fromstring(text)
        width, height = float(svg.get("width")), float(svg.get("height"))
        boxes = list(text_boxes(svg))
        for i, a in enumerate(boxes):
            self.assertTrue(0 <= a[0] and a[2] <= width and 0 <= a[1] and a[3] <= height, a)
            for b in boxes[i + 1:]:
                self.assertFalse(a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3], f"{a} {b}")
        rects = list(svg.iter(f"{SVG}rect"))
        self.assertGreater(len(rects), least_blocks)
        for rect in rects:
            left, top = float(rect.get("x")), float(rect.get("y"))
            self.assertTrue(0 <= left and left + float(rect.get("width")) <= width + 1, rect.attrib)
            self.assertTrue(0 <= top and top + float(rect.get("height")) <= height + 1, rect.attrib)
        return svg

    def test_the_example_of_the_document_is_read_and_written_again(self):
        path = FOLDER / "example.json"
        path.write_text(self.example)
        text = self.read(path)
        for words in ("two blocks\n", "2 allocations of 4000 bytes, 2 frees, 1 stream\n", "peak of live bytes: 4000\n",
                      "peak of reserved bytes: 4096, 1.024 times"):
            self.assertIn(words, text)
        self.assertEqual(json.loads(self.read(path, "--json")), json.loads(self.example))
        self.check_picture(self.read(path, "--svg"), 3)
        self.check_picture(self.read(path, "--svg", "--by-stream"), 3)

    def test_first_fit_takes_the_lowest_place_and_joins_holes(self):
        a, b, c, d = ({"allocate": i, "bytes": 1024} for i in range(4))
        path = written("holes.json", [a, b, c, d, {"free": 0}, {"free": 2}, {"free": 1},
                                      {"allocate": 4, "bytes": 3000}, {"free": 3}, {"allocate": 5, "bytes": 2000}])
        events = json.loads(self.read(path, "--first-fit", "--json"))["events"]
        places = {event["allocate"]: event["address"] for event in events if "allocate" in event}
        self.assertEqual(places, {0: 0, 1: 1024, 2: 2048, 3: 3072, 4: 0, 5: 3072})
        self.assertIn("peak of reserved bytes: 5120,", self.read(path, "--first-fit"))

    def test_a_transformer_is_replayed_everywhere_with_the_same_peak(self):
        events = json.loads(self.transformer.read_text())["events"]
        for arguments in ((), ("--first-fit",), ("--device", "cpu"), ("--device", "null:0")):
            self.assertIn(f"peak of live bytes: {peaks(events)}\n", self.read(self.transformer, *arguments))
        for arguments in (("--first-fit",), ("--device", "cpu")):
            path = FOLDER / "placed.json"
            path.write_text(self.read(self.transformer, *arguments, "--json"))
            self.read(path)  # which refuses blocks that overlap
            self.check_picture(self.read(path, "--svg"), 100)

    def test_the_generator_gives_the_same_bytes_for_a_seed(self):
        generator = [sys.executable, ROOT / "benchmarks/traces/transformer.py", "--steps", "80", "--seed"]
        again, other = (subprocess.run([*generator, seed], capture_output=True, text=True, check=True).stdout for seed in "12")
        self.assertEqual(again, self.transformer.read_text())
        self.assertNotEqual(other, again)

    def test_what_pytorch_records_becomes_a_trace(self):
        sys.path.insert(0, str(ROOT / "benchmarks/traces"))
        sys.dont_write_bytecode = True
        import pytorch
        entries = [{"action": "free_requested", "addr": 16, "size": 512, "stream": 0, "time_us": 5},
                   {"action": "segment_alloc", "addr": 4096, "size": 2048, "stream": 0, "time_us": 6},
                   {"action": "alloc", "addr": 4096, "size": 500, "stream": 0, "time_us": 7},
                   {"action": "alloc", "addr": 4608, "size": 100, "stream": 77, "time_us": 7},
                   {"action": "free_requested", "addr": 4096, "size": 500, "stream": 0, "time_us": 8},
                   {"action": "free_completed", "addr": 4096, "size": 500, "stream": 0, "time_us": 9},
                   {"action": "alloc", "addr": 4096, "size": 400, "stream": 0, "time_us": 10},
                   {"action": "free_requested", "addr": 4608, "size": 100, "stream": 77, "time_us": 11},
                   {"action": "snapshot", "addr": 0, "size": 0, "stream": 0, "time_us": 12}]
        path = written("pytorch.json", pytorch.convert(entries), name="PyTorch")
        text = self.read(path)
        for words in ("3 allocations of 1000 bytes, 2 frees, 2 streams\n", "peak of live bytes: 600\n",
                      "reserved bytes: 2048,"):
            self.assertIn(words, text)
        self.check_picture(self.read(path, "--svg", "--by-stream"), 4)
        without_times = [{key: value for key, value in entry.items() if key != "time_us"} for entry in entries]
        self.assertIn("3 allocations", self.read(written("pytorch_old.json", pytorch.convert(without_times))))
        for arguments in (("record", FOLDER / "x.json"), ("replay", FOLDER / "x.json", f"a={path}")):
            if subprocess.run([sys.executable, "-c", "import torch; assert torch.cuda.is_available()"], capture_output=True,
                              check=False).returncode != 0:  # else it takes its time, and is run by scripts/gpu.sh
                result = subprocess.run([sys.executable, ROOT / "benchmarks/traces/pytorch.py", *arguments],
                                        capture_output=True, text=True, check=False)
                self.assertEqual(result.returncode, 77)
                self.assertRegex(result.stderr, r"^SKIP: [^\n]*\n$")

    def test_first_fit_exceeds_the_live_bytes_of_a_whole_transformer_by_three_tenths(self):
        path = FOLDER / "whole.json"
        with path.open("w") as file:
            subprocess.run([sys.executable, ROOT / "benchmarks/traces/transformer.py"], stdout=file, check=True)
        ratio = float(re.search(r"reserved bytes: \d+, ([\d.]+) times", self.read(path, "--first-fit"))[1])
        self.assertGreater(ratio, 1.3)

    def test_what_the_library_traces_of_a_program_is_read(self):
        path = FOLDER / "digits_run.json"
        subprocess.run([DIGITS, "--device", "cpu", "--epochs", "1", "--seed", "1", "--no-threshold", "--output", FOLDER],
                       env={**os.environ, "RT_TRACE": str(path)}, capture_output=True, check=True, timeout=100)
        text = self.read(path)
        self.assertIn("cpu, device memory, pool ", text)
        self.assertEqual(*re.search(r"^(\d+) allocations of \d+ bytes, (\d+) frees", text, re.MULTILINE).groups())
        self.assertIn("host memory", self.read(path, "--pool", re.search(r"pool (\d+)", text)[1] == "1" and "2" or "1"))
        self.refused("it has no pool 77; it has 1, 2.", path, "--pool", "77")
        converted = json.loads(self.read(path, "--json"))["events"]
        self.assertIn(f"peak of live bytes: {peaks(converted)}\n", text)
        self.check_picture(self.read(path, "--svg"), 10)
        # A process that was killed leaves a line that is cut.
        whole = path.read_text()
        lines = [line for line in whole.splitlines(keepends=True) if '"memory"' in line]
        cut = FOLDER / "cut.json"
        cut.write_text("[\n" + "".join(lines[:5]) + lines[5][:-20])
        self.assertIn(" allocations of ", self.read(cut))
        cut.write_text("[\n" + lines[0] + lines[1][:-20] + "\n" + lines[2])
        self.refused("line 3: it is no event of memory", cut)
        cut.write_text("[\n" + "".join(line for line in lines if '"name":"free"' in line))
        self.refused("is freed and is not live.", cut)

    def test_a_timeline_that_begins_in_the_middle_leaves_out_what_is_older(self):
        def line(name, address, size):
            return (f'{{"ph":"i","name":"{name}","cat":"memory","ts":1.0,"args":'
                    f'{{"pool":1,"address":{address},"bytes":{size},"stream":0}}}}')

        events = [line("free", 4096, 100), line("allocate", 4096, 50), line("free", 8192, 10), line("release", 4096, 4096),
                  line("free", 4096, 50)]
        path = FOLDER / "middle.json"
        path.write_text("[\n" + ",\n".join(events) + "\n]\n")
        self.assertIn("is freed and is not live", manyrt(path).stderr)
        begin = '{"ph":"i","s":"g","name":"begins in the middle","cat":"trace","pid":1,"tid":1,"ts":1.0,"args":{}}'
        path.write_text("[\n" + ",\n".join([begin, *events]) + "\n]\n")
        result = manyrt(path, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        events = json.loads(result.stdout)["events"]
        self.assertEqual([next(iter(event)) for event in events], ["allocate", "free"])

    def test_wrong_files_are_refused_with_the_place(self):
        a = {"allocate": 1, "bytes": 100}
        placed = {"allocate": 1, "bytes": 100, "address": 1000}
        cases = {
            "event 1: the block 2 is freed and is not live.": [a, {"free": 2}],
            "event 2: the block 1 is freed and is not live.": [a, {"free": 1}, {"free": 1}],
            "event 1: the block 1 is allocated a second time": [a, a],
            "event 1: the block 2 of 100 bytes at 1099 overlaps the live one of 100 bytes at 1000.":
                [placed, {"allocate": 2, "bytes": 100, "address": 1099}],
            "event 1: the block 3 of 100 bytes at 901 overlaps": [placed, {"allocate": 3, "bytes": 100, "address": 901}],
            "event 1: the block 2 has no address": [placed, {"allocate": 2, "bytes": 100}],
            "event 0: \"bytes\" is -1; it must be a whole number from 1 to ": [{"allocate": 1, "bytes": -1}],
            "event 0: \"bytes\" is 0;": [{"allocate": 1, "bytes": 0}],
            "event 0: \"bytes\" is 1.5;": [{"allocate": 1, "bytes": 1.5}],
            "event 0: \"bytes\" is \"many\";": [{"allocate": 1, "bytes": "many"}],
            "event 0: \"bytes\" is 144115188075855873;": [{"allocate": 1, "bytes": 2**57 + 1}],
            "event 1: more than 2^57 bytes are live.": [a, {"allocate": 2, "bytes": 2**57}],
            "event 0: \"bytes\" is missing.": [{"allocate": 1}],
            "event 0: \"allocate\" is -1;": [{"allocate": -1, "bytes": 1}],
            "event 0: \"stream\" is 4294967296;": [{"allocate": 1, "bytes": 1, "stream": 2**32}],
            "event 0: \"address\" is ": [{"allocate": 1, "bytes": 1, "address": 2**63}],
            "event 0: there is no member \"size\".": [{"allocate": 1, "bytes": 1, "size": 1}],
            "event 0: it has none of \"allocate\"": [{"time": 1}],
            "event 0: it is no object.": [3],
            "event 1: some events have a \"time\"": [{**a, "time": 0}, {"free": 1}],
            "event 1: its time lies before": [{**a, "time": 5}, {"free": 1, "time": 4}],
            "event 1: the range of 10 bytes at 5 overlaps": [{"reserve": 0, "bytes": 10}, {"reserve": 5, "bytes": 10}],
            "event 0: the range at 5 is released and is not reserved.": [{"release": 5}],
            "it holds no allocation.": [],
        }
        for number, (words, events) in enumerate(cases.items()):
            self.refused(words, written(f"wrong_{number}.json", events))
        texts = {"it is no JSON: byte 2 ": "{", "it is no JSON": "", "it is neither a memory trace": "{\"format\": \"other\"}",
                 "it holds no allocation.": "[\n]\n", "its \"version\" is not 1": "{\"format\": \"manyrt-memory-trace\"}",
                 "it has no list of \"events\"": "{\"format\": \"manyrt-memory-trace\", \"version\": 1}",
                 "\"name\" must be a text": "{\"format\": \"manyrt-memory-trace\", \"version\": 1, \"name\": 1}",
                 "it is neither": "3"}
        for number, (words, text) in enumerate(texts.items()):
            path = FOLDER / f"text_{number}.json"
            path.write_text(text)
            self.refused(words, path)
        self.refused("cannot be opened", FOLDER / "absent.json")
        self.refused("cannot be read", FOLDER)
        unplaced = written("unplaced.json", [a])
        self.refused("its blocks have no addresses to draw", unplaced, "--svg")
        self.refused("only a file of RT_TRACE has pools", unplaced, "--pool", "1")
        self.refused("RT_ERROR_NOT_FOUND", unplaced, "--device", "toaster:0")
        self.assertNotEqual(manyrt(unplaced, "--first-fit", "--device", "cpu").returncode, 0)

    def test_a_block_that_lives_on_and_a_single_one_are_drawn(self):
        self.check_picture(self.read(written("one.json", [{"allocate": 9, "bytes": 1}]), "--first-fit", "--svg"), 2)
        self.check_picture(self.read(written("many.json", [{"allocate": i, "bytes": 2**i, "stream": i} for i in range(50)],
                                             name="<&\"> " + "long " * 40), "--first-fit", "--svg", "--by-stream"), 20)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
