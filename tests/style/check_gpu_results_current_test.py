"""What check_gpu_results_current.py says of results in trees made here: with the measured sources, with others, without git."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check_gpu_results_current.py"


class Tree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for path in ("src/backends/cuda/fill.cpp", "src/compiler/lowering/cuda/program.cpp", "src/ops/copy.cpp"):
            self.write(path, "first\n")

    def write(self, path, text):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def measured(self, commit, name="gpu_conformance_1"):
        self.write(f"docs/lab/measured/{name}.json", json.dumps({"commit": commit}))

    def says(self):
        done = subprocess.run((sys.executable, SCRIPT, self.root), capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()


class WithGit(Tree):
    def git(self, *arguments):
        names = ("-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false")
        return subprocess.run(("git", "-C", self.root, *names, *arguments), check=True, capture_output=True, text=True).stdout

    def commit(self):
        self.git("init", "-q")
        self.git("add", ".")
        self.git("commit", "-qm", "a state")
        return self.git("rev-parse", "--short", "HEAD").strip()

    def test_the_same_sources_are_current_whatever_else_changed(self):
        self.measured(self.commit())
        self.write("src/ops/copy.cpp", "second\n")
        self.commit()
        (line,) = self.says()
        self.assertIn("gpu_conformance_1: current", line)

    def test_what_the_cpu_alone_has_of_the_compiler_does_not_count(self):
        self.measured(self.commit())
        self.write("src/compiler/emit/kernel_text.cpp", "second\n")
        self.write("src/compiler/builtins/library/lanes/lanes.h", "second\n")
        self.commit()
        (line,) = self.says()
        self.assertIn("gpu_conformance_1: current", line)
        self.write("src/backends/driver/stream.h", "second\n")
        self.commit()
        (line,) = self.says()
        self.assertIn("gpu_conformance_1: stale", line)
        self.assertIn("1 files", line)

    def test_sources_changed_since_are_counted_committed_or_not(self):
        self.measured(self.commit())
        self.write("src/backends/cuda/fill.cpp", "second\n")
        self.commit()
        self.write("src/compiler/lowering/cuda/program.cpp", "second\n")
        (line,) = self.says()
        self.assertIn("gpu_conformance_1: stale", line)
        self.assertIn("2 files", line)

    def test_results_of_two_commits_have_a_line_each(self):
        first = self.commit()
        self.write("src/compiler/lowering/cuda/program.cpp", "second\n")
        second = self.commit()
        self.measured(first, "gpu_kernels_1")
        self.measured(second, "gpu_kernels_2")
        stale, current = self.says()
        self.assertIn("gpu_kernels_1: stale", stale)
        self.assertIn("gpu_kernels_2: current", current)

    def test_the_result_of_pythons_arrays_depends_on_its_package_too(self):
        head = self.commit()
        self.measured(head, "gpu_dlpack")
        self.measured(head, "gpu_kernels_1")
        self.write("bindings/python/src/manyrt/array.py", "second\n")
        self.git("add", "bindings")
        lines = self.says()
        self.assertEqual(len(lines), 2)
        self.assertTrue(any("gpu_dlpack: stale" in line for line in lines), lines)
        self.assertTrue(any("gpu_kernels_1: current" in line for line in lines), lines)

    def test_a_commit_that_cannot_be_compared_is_stale(self):
        head = self.commit()
        for commit, words in (("0123abc", "does not have"), (head + "-dirty", "no commit has"), ("", "no commit is named")):
            self.measured(commit)
            (line,) = self.says()
            self.assertIn("stale", line)
            self.assertIn(words, line)

    def test_a_tree_inside_another_repository_has_no_history(self):
        self.measured(self.commit())
        shutil.copytree(self.root / "docs", self.root / "unpacked" / "docs")
        self.root /= "unpacked"
        (line,) = self.says()
        self.assertIn("no git repository", line)


class WithoutGit(Tree):
    def test_a_tree_without_git_says_so(self):
        self.measured("0123abc")
        (line,) = self.says()
        self.assertIn("no git repository", line)

    def test_no_results_are_told(self):
        self.assertEqual(self.says(), ["GPU results: there are none."])


if __name__ == "__main__":
    load = unittest.defaultTestLoader.loadTestsFromTestCase
    here = shutil.which("git") is not None
    result = unittest.TextTestRunner().run(unittest.TestSuite([load(WithoutGit)] + ([load(WithGit)] if here else [])))
    if result.wasSuccessful() and not here:
        print("SKIP: git is not here; what needs none passed")
        sys.exit(77)
    sys.exit(not result.wasSuccessful())
