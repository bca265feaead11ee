#!/usr/bin/env python3
"""scripts/lab.py: the JSON of docs/lab/measured is in its form, one benchmark a line, and the form changes no value."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import lab  # noqa: E402


class LabTest(unittest.TestCase):
    def test_every_file_is_in_the_form(self):
        files = sorted((ROOT / "docs" / "lab" / "measured").glob("*.json"))
        self.assertGreater(len(files), 20)
        for path in files:
            text = path.read_text(encoding="utf-8")
            self.assertEqual(lab.dumps(json.loads(text)), text, f"{path.name}: scripts/lab.py {path} mends it")

    def test_a_benchmark_is_a_line_and_keeps_its_values(self):
        benchmarks = [{"name": "a", "times": [1, 2.5, None]}, {"name": "b", "times": []}]
        data = {"context": {"cpu": "é"}, "benchmarks": benchmarks, "none": []}
        text = lab.dumps(data)
        self.assertEqual(json.loads(text), data)
        self.assertEqual(sum('"name"' in line for line in text.splitlines()), 2)
        self.assertIn('"cpu": "é"', text)

    def test_a_long_value_has_its_members_on_lines(self):
        data = {"benchmarks": [{"name": "a", "rows": [list(range(100))] * 20}]}
        text = lab.dumps(data)
        self.assertEqual(json.loads(text), data)
        self.assertLess(max(map(len, text.splitlines())), lab.LONGEST + 100)

    def test_tidy_drops_the_machine_and_adds_the_commit(self):
        with tempfile.TemporaryDirectory() as folder:
            source, target = pathlib.Path(folder) / "a.json", pathlib.Path(folder) / "b.json"
            source.write_text(json.dumps({"context": {"host_name": "h", "executable": "e", "cpu": "c"}, "benchmarks": []}))
            subprocess.run((sys.executable, ROOT / "scripts" / "lab.py", "--tidy", source, target, "abc"), check=True)
            self.assertEqual(json.loads(target.read_text()), {"context": {"cpu": "c", "commit": "abc"}, "benchmarks": []})


if __name__ == "__main__":
    unittest.main()
