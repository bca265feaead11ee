#!/usr/bin/env python3
"""Says whether the results of GPUs in docs/lab/measured are those of the sources that are here.

check_gpu_results_current.py [ROOT]

Each gpu_*.json names the commit it was measured at. Where src/backends/cuda, src/backends/driver or src/compiler differ from
that commit, in the working tree too, the result is stale; that of gpu_dlpack.json also where Python's package differs. What the
compiler has for the CPU alone is left out. That is information: the exit status is 0 whatever is found, without git too.
"""
import json
import pathlib
import subprocess
import sys

CONCERNED = ("src/backends/cuda", "src/backends/driver", "src/compiler")
CPU_ALONE = tuple(f":(exclude)src/compiler/{folder}" for folder in ("analysis", "emit", "ir", "passes",
                                                                    "builtins/library/lanes"))
ALSO = {"gpu_dlpack": ("bindings/python/src",)}  # what a single result depends on besides


def git(root, *arguments):
    """The lines that git prints, or None where it fails or is not there."""
    try:
        done = subprocess.run(("git", "-C", str(root), *arguments), capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.splitlines() if done.returncode == 0 else None


def has_history(root):
    """Whether the tree is a repository of its own; an unpacked archive may lie inside another one."""
    top = git(root, "rev-parse", "--show-toplevel")
    return bool(top) and pathlib.Path(top[0]).resolve() == root


def by_commit(root):
    """The results' names, sorted, in lists by the commit they name and by what they depend on."""
    commits = {}
    for path in sorted((root / "docs" / "lab" / "measured").glob("gpu_*.json")):
        try:
            commit = json.loads(path.read_text(encoding="utf-8"))["commit"]
        except (ValueError, KeyError, TypeError):
            commit = ""
        commits.setdefault((commit, CONCERNED + ALSO.get(path.stem, ())), []).append(path.stem)
    return commits


def verdict(root, commit, concerned):
    known = commit.removesuffix("-dirty")
    if not known:
        return "stale: no commit is named there"
    changed = git(root, "diff", "--name-only", f"{known}^{{commit}}", "--", *concerned, *CPU_ALONE)
    if changed is None:
        return f"stale: measured at {commit}, which this history does not have"
    if commit != known:
        return f"stale: measured at {commit}, with changes that no commit has"
    if not changed:
        return f"current: measured at {commit}, nothing in {' or '.join(concerned)} has changed since"
    return f"stale: measured at {commit}, since when {len(changed)} files of {' and '.join(concerned)} have changed"


def report(root):
    commits = by_commit(root)
    if not commits:
        return ["GPU results: there are none."]
    if not has_history(root):
        return ["GPU results: this tree is no git repository, so whether they are stale is not known."]
    return [f"GPU results {', '.join(names)}: {verdict(root, *key)}." for key, names in commits.items()]


if __name__ == "__main__":
    print("\n".join(report(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve())))
