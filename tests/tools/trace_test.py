#!/usr/bin/env python3
"""`manyrt trace`. Usage: trace_test.py MANYRT FOLDER DIGITS

What it says of a trace whose times were written by hand is known: when a device was at work, its gaps and the call in each,
copies without a kernel beside them. Of a real program its rows are those of RT_PROFILE. Files that are cut off or packed are
read, others refused. Pictures have no text over text.
"""
import gzip
import json
import os
import pathlib
import subprocess
import sys
import unittest
import xml.etree.ElementTree

MANYRT, FOLDER, DIGITS = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
SVG = "{http://www.w3.org/2000/svg}"


def span(name, category, begin, end, pid=2, tid=1, **args):
    if pid == 2:
        args = {"serial": 1, "device": "cuda:0", "stream": "one", **args}
    return {"ph": "X", "name": name, "cat": category, "pid": pid, "tid": tid, "ts": begin, "dur": end - begin, "args": args}


# Microseconds. The device works in 10..30, 40..60 and 90..110. There is a graph of two nodes with a hole, and a copy beside a
# kernel for half of its time.
EVENTS = [
    {"ph": "M", "name": "thread_name", "pid": 1, "tid": 7, "args": {"name": "main"}},
    {"ph": "M", "name": "thread_name", "pid": 2, "tid": 1, "args": {"name": "one"}},
    {"ph": "M", "name": "thread_name", "pid": 2, "tid": 2, "args": {"name": "two & <more>"}},
    span("rtModuleLoadData", "call", 0, 5, 1, 7),
    span("front end", "build", 1, 4, 1, 7, of="a.cl"),
    span("add", "kernel", 10, 30, module="a.cl"),
    span("add", "kernel", 40, 45, serial=2, in_graph=True, module="a.cl"),
    span("scale", "kernel", 50, 60, serial=2, in_graph=True, module="a.cl"),
    span("graph", "graph", 40, 60, serial=2),
    span("rtStreamSynchronize", "call", 61, 90, 1, 7),
    span("host function", "host function", 70, 80),
    span("scale", "kernel", 90, 100, module="a.cl"),
    span("copy host to device", "copy", 90, 110, tid=2, bytes=40000),
    span("inner", "range", 2, 50, 1, 7),
    span("epoch", "range", 0, 95, 1, 7),
    {"ph": "i", "s": "t", "name": "half", "cat": "mark", "pid": 1, "tid": 7, "ts": 50, "args": {}},
    {"ph": "i", "s": "p", "name": "clock", "cat": "clock", "pid": 2, "tid": 0, "ts": 9,
     "args": {"device": "cuda:0", "error_us": 3.5}},
    {"ph": "i", "s": "g", "name": "lost", "cat": "lost", "pid": 1, "tid": 7, "ts": 120, "args": {"spans": 2}},
    {"ph": "i", "name": "of a later version", "pid": 1, "tid": 7, "ts": 120, "s": "t"},
]


def manyrt(*arguments):
    return subprocess.run([MANYRT, "trace", *map(str, arguments)], capture_output=True, text=True, timeout=100, check=False)


def text_of(events):
    return "[\n" + ",\n".join(json.dumps(event, separators=(",", ":")) for event in events) + "\n]\n"


def written(file, text):
    path = FOLDER / file
    path.write_text(text)
    return path


def text_boxes(svg):
    for text in svg.iter(f"{SVG}text"):
        x, y, size = float(text.get("x")), float(text.get("y")), float(text.get("font-size", 11))
        width = len(text.text) * size * 0.56
        x -= {"middle": width / 2, "end": width}.get(text.get("text-anchor"), 0)
        yield (x, y - size * 0.8, x + width, y, text.text)


class TraceTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        FOLDER.mkdir(parents=True, exist_ok=True)
        cls.by_hand = written("by_hand.json", text_of(EVENTS))
        cls.digits, cls.profile = FOLDER / "digits.json", FOLDER / "digits_profile.json"
        settings = {"RT_TRACE": str(cls.digits), "RT_PROFILE": str(cls.profile)}
        subprocess.run([DIGITS, "--device", "cpu", "--epochs", "1", "--seed", "1", "--no-threshold", "--output", FOLDER],
                       check=True, capture_output=True, timeout=150, env={**os.environ, **settings})

    def read(self, *arguments):
        result = manyrt(*arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def refused(self, words, path):
        result = manyrt(path)
        self.assertEqual((result.returncode, result.stdout), (1, ""), words)
        self.assertIn(words, result.stderr)
        self.assertRegex(result.stderr, r"^manyrt: [^\n]*\n$")

    def check_picture(self, text):
        svg = xml.etree.ElementTree.fromstring(text)
        width, height = float(svg.get("width")), float(svg.get("height"))
        boxes = list(text_boxes(svg))
        for i, a in enumerate(boxes):
            self.assertTrue(0 <= a[0] and a[2] <= width and 0 <= a[1] and a[3] <= height, a)
            for b in boxes[i + 1:]:
                self.assertFalse(a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3], f"{a} {b}")
        for rect in svg.iter(f"{SVG}rect"):
            left, top = float(rect.get("x")), float(rect.get("y"))
            self.assertTrue(0 <= left and left + float(rect.get("width")) <= width + 1, rect.attrib)
            self.assertTrue(0 <= top and top + float(rect.get("height")) <= height + 1, rect.attrib)
        return [box[4] for box in boxes]

    def test_ranges_have_rows_and_the_outer_ones_a_strip(self):
        result = json.loads(self.read(self.by_hand, "--json"))
        self.assertEqual({row["name"]: row["total_ns"] for row in result["ranges"]}, {"epoch": 95000, "inner": 48000})
        self.assertIn("  epoch\n", self.read(self.by_hand))
        picture = self.read(self.by_hand, "--svg")
        self.check_picture(picture)
        self.assertIn("epoch: 95.00 us", picture)
        self.assertNotIn("inner: 48.00 us", picture)

    def test_times_that_are_known(self):
        result = json.loads(self.read(self.by_hand, "--json"))
        (device,) = result["devices"]
        self.assertEqual((device["device"], device["launches"]), ("cuda:0", 4))
        self.assertEqual((device["begin_ns"], device["end_ns"]), (10000, 110000))
        self.assertEqual(device["busy_ns"], 20000 + 5000 + 10000 + 20000, "a graph counts by its nodes")
        self.assertEqual((device["copying_ns"], device["copying_alone_ns"]), (20000, 10000))
        gaps = [(gap["begin_ns"], gap["end_ns"], gap["call"]) for gap in device["gaps"]]
        self.assertEqual(gaps, [(60000, 90000, "rtStreamSynchronize"), (30000, 40000, ""), (45000, 50000, "")])
        self.assertEqual((result["lost"], result["whole"]), (2, True))
        rows = {(row["kind"], row["name"]): (row["count"], row["total_ns"]) for row in result["work"]}
        self.assertEqual(rows[("kernel", "add")], (2, 25000))
        self.assertEqual(rows[("kernel", "scale")], (2, 20000))

    def test_the_table_says_it_in_words(self):
        text = self.read(self.by_hand)
        for words in ("cuda:0: at work 55.0% of 100.00 us between its first and its last work",
                      ", 40000 launches of kernels a second\n",
                      "copies took 20.00 us, 50.0% of it with no kernel beside them", "its times are right to 3.5 us",
                      "gap of 30.00 us at 60.00 us, the host in rtStreamSynchronize",
                      "gap of 10.00 us at 30.00 us, the host mostly in no call", "kernels of cuda:0", "55.6%",
                      "2.000          1", "front end", "2 spans are missing"):
            self.assertIn(words, text)

    def test_packed_and_cut_off_files_are_read(self):
        packed = FOLDER / "by_hand.json.gz"
        packed.write_bytes(gzip.compress(text_of(EVENTS).encode()))
        self.assertEqual(json.loads(self.read(packed, "--json")), json.loads(self.read(self.by_hand, "--json")))
        cut = written("cut.json", text_of(EVENTS)[:-60])
        result = json.loads(self.read(cut, "--json"))
        self.assertFalse(result["whole"])
        self.assertEqual(result["devices"][0]["launches"], 4)
        self.assertIn("the file has no end", self.read(cut))

    def test_other_files_are_refused(self):
        self.refused("cannot be opened", FOLDER / "nothing.json")
        self.refused("cannot be opened", FOLDER / "nothing.json.gz")
        self.refused("cannot be read", FOLDER)
        self.refused("is no file of RT_TRACE", written("object.json", "{}"))
        self.refused("is empty: nothing of a trace was written, or not yet", written("empty.json", ""))
        self.refused("has no span", written("nothing_ran.json", "[\n]\n"))
        self.refused("line 2: it is no event", written("words.json", "[\nwords\n]\n"))
        self.refused("gzip cannot unpack it", written("plain.json.gz", text_of(EVENTS)))

    def test_odd_events_are_passed_over(self):
        odd = [{"ph": "X"}, {"ph": "X", "name": 3, "cat": [], "ts": "soon", "dur": None, "args": {"device": "x", "bytes": -1}},
               {"ph": "X", "name": "far", "cat": "kernel", "pid": 2, "tid": 1, "ts": 1e300, "dur": 1e300, "args": {}},
               {"ph": "i", "name": "clock", "args": {"error_us": "none"}}, {"args": 5}]
        self.read(written("odd.json", text_of(EVENTS + odd)), "--svg")

    def test_the_rows_are_those_of_the_profile(self):
        result, profile = json.loads(self.read(self.digits, "--json")), json.loads(self.profile.read_text())
        rows = {(row["device"], row["kind"], row["name"]): row for row in result["work"]}
        expected = {(row["device"], row["kind"], row["name"]): row for row in profile["work"]}
        self.assertEqual(rows.keys(), expected.keys())
        for key, row in rows.items():
            self.assertEqual(row["count"], expected[key]["count"])
            self.assertAlmostEqual(row["total_ns"], expected[key]["total_ns"], delta=row["count"] + 1)
        calls = {row["name"]: row["count"] for row in result["calls"]}
        self.assertEqual(calls, {row["name"]: row["count"] for row in profile["calls"]})

    def test_pictures(self):
        words = self.check_picture(self.read(self.by_hand, "--svg"))
        for word in ("by_hand.json", "cuda:0: at work 55%", "add", "  one", "  two & <more>", "thread main"):
            self.assertIn(word, words)
        self.check_picture(self.read(self.digits, "--svg"))
        page = self.read(self.by_hand, "--html")
        for part in ("<svg", "<pre>", "gap of 30.00 us", "two &amp; &lt;more&gt;"):
            self.assertIn(part, page)
        self.assertNotIn("http", page.replace("http://www.w3.org/2000/svg", ""), "nothing is fetched")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
