#!/usr/bin/env python3
"""Runs the tests of kernels on the CPU in both forms of code and holds what they read against each other, bit by bit.

    forms.py PATH_OF_KERNELS
"""
import os
import subprocess
import sys
import tempfile


def recorded(program, form, folder):
    """The lines that a run in one form writes; ends the program where a test fails."""
    path = os.path.join(folder, form)
    environment = dict(os.environ, RT_CPU_BUILD=form, KERNELS_RECORD=path)
    result = subprocess.run([program, "--gtest_filter=*/cpu*", "--gtest_brief=1"], env=environment, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if result.returncode != 0:
        sys.exit(f"Tests fail in {form} code:\n{result.stdout}")
    with open(path, encoding="utf-8") as file:
        return list(file)


def main():
    with tempfile.TemporaryDirectory() as folder:
        quick = recorded(sys.argv[1], "quick", folder)
        optimized = recorded(sys.argv[1], "optimized", folder)
    different = [pair for pair in zip(quick, optimized) if pair[0] != pair[1]]
    for one, other in different[:20]:
        print(f"quick:     {one}optimized: {other}")
    if different or len(quick) != len(optimized) or len(quick) < 100:
        sys.exit(f"{len(different)} of {len(quick)} and {len(optimized)} results differ.")
    print(f"{len(quick)} results are the same bits in both forms.")


if __name__ == "__main__":
    main()
