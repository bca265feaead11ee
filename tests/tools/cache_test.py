#!/usr/bin/env python3
"""`manyrt cache` with folders that are full, empty, missing, off or not safe. Usage: cache_test.py MANYRT FOLDER"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

MANYRT, FOLDER = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
CACHE = FOLDER / "cache"


def manyrt(*arguments, **environment):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RT_", "XDG_"))}
    return subprocess.run([MANYRT, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False, cwd=FOLDER,
                          env={**kept, "RT_CACHE_DIR": str(CACHE), "RT_DISABLE": "cuda,opencl", **environment})


class CacheTest(unittest.TestCase):
    def setUp(self):
        shutil.rmtree(FOLDER)
        FOLDER.mkdir()

    def fill(self):
        (FOLDER / "a.cl").write_text("__kernel void f(__global int* o) { *o = 1; }\n")
        result = manyrt("cc", "a.cl")
        self.assertEqual(result.returncode, 0, result.stderr)
        files = [path for path in CACHE.iterdir()]
        self.assertTrue(files)
        return files

    def json(self, *arguments, **environment):
        result = manyrt("cache", *arguments, "--json", **environment)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return json.loads(result.stdout)

    def test_entries_are_listed_summed_and_removed(self):
        files = self.fill()
        listed = self.json("list")
        self.assertEqual(listed["folder"], str(CACHE))
        self.assertEqual({each["key"] for each in listed["list"]}, {path.name for path in files})
        self.assertEqual(listed["bytes"], sum(path.stat().st_size for path in files))
        self.assertEqual(self.json("size")["entries"], len(files))
        self.assertEqual(self.json(), self.json("size"))
        text = manyrt("cache", "list").stdout
        self.assertIn(files[0].name[:16], text)
        self.assertIn(f"{CACHE}: {len(files)} entr", text)
        self.assertIn("of at most 512.0 MiB", text)
        self.assertIn("of at most 3.0 MiB", manyrt("cache", RT_CACHE_SIZE="3").stdout)
        (CACHE / "notes.txt").write_text("not the cache's")
        (CACHE / ".new-1-2-3").write_text("is being written")
        self.assertEqual(self.json("size")["unfinished_bytes"], 16)
        result = manyrt("cache", "clear")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, rf"^{CACHE}: {len(files)} entr\w+ of .* w\w+ removed\.\n$")
        self.assertEqual([path.name for path in CACHE.iterdir()], ["notes.txt"])
        self.assertEqual(self.json("clear")["removed"], 0)

    def test_a_folder_that_is_not_there_is_no_failure_and_is_not_made(self):
        for command in ((), ("size",), ("list",), ("clear",)):
            result = manyrt("cache", *command)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertEqual(result.stdout, f"{CACHE}: not there yet; the first build makes it.\n")
        self.assertFalse(self.json("list")["exists"])
        self.assertFalse(CACHE.exists())

    def test_a_cache_that_is_off_is_told(self):
        for command in ("list", "size", "clear"):
            result = manyrt("cache", command, RT_CACHE_DIR="off")
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "Nothing is kept: RT_CACHE_DIR is off.\n",
                                                                                 ""))
        self.assertIsNone(self.json("size", RT_CACHE_DIR="off")["folder"])

    def test_a_folder_that_is_not_safe_is_named_and_left_alone(self):
        files = self.fill()
        CACHE.chmod(0o755)
        for command in ("list", "size", "clear"):
            result = manyrt("cache", command)
            self.assertEqual((result.returncode, result.stdout), (1, ""))
            self.assertRegex(result.stderr, rf"^manyrt: The folder \"{CACHE}\" is not used: .*mode 755.*mode 700\.\n$")
        self.assertTrue(all(path.exists() for path in files))
        CACHE.chmod(0o700)
        link = FOLDER / "link"
        link.symlink_to(CACHE)
        self.assertIn("a symbolic link", manyrt("cache", RT_CACHE_DIR=str(link)).stderr)
        plain = FOLDER / "plain"
        plain.write_text("")
        self.assertEqual(manyrt("cache", "clear", RT_CACHE_DIR=str(plain)).returncode, 1)
        self.assertTrue(plain.exists())
        result = manyrt("cache", RT_CACHE_DIR="relative")
        self.assertEqual(result.returncode, 1)
        self.assertIn("must be an absolute path or \"off\"", result.stderr)

    def test_a_folder_that_cannot_be_read_is_told(self):
        self.fill()
        CACHE.chmod(0)
        try:
            result = manyrt("cache", "list")
        finally:
            CACHE.chmod(0o700)
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("is not used: ", result.stderr)

    def test_without_a_home_nothing_is_kept(self):
        result = manyrt("cache", RT_CACHE_DIR="", HOME="")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr, "manyrt: No folder keeps compiled kernels: neither RT_CACHE_DIR nor HOME is set.\n")


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    unittest.main(argv=sys.argv[:1])
