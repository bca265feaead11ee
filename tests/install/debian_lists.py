#!/usr/bin/env python3
"""debian/*.install against an installed prefix: each pattern finds something, and each file belongs to one package.

debian_lists.py PREFIX TREE. Paths are those that debian/rules would give: the library's folder of the machine, its own names
for documents and zsh. Files of the source tree that a list names have to be there.
"""
import fnmatch
import pathlib
import sys

MOVED = (("lib/", "lib/MACHINE/"), ("lib64/", "lib/MACHINE/"), ("share/doc/manyrt/", "share/doc/libmanyrt-dev/"),
         ("share/zsh/site-functions/", "share/zsh/vendor-completions/"))


def as_debian(path):
    for old, new in MOVED:
        if path.startswith(old):
            return "usr/" + new + path[len(old):]
    return "usr/" + path


def main():
    prefix, tree = map(pathlib.Path, sys.argv[1:])
    files = {as_debian(path.relative_to(prefix).as_posix()) for path in prefix.rglob("*") if not path.is_dir()}
    # By MANYRT_DOCUMENTS of debian/rules.
    left_out = {"usr/share/doc/libmanyrt-dev/LICENSE", "usr/share/doc/libmanyrt-dev/CHANGELOG.md"}
    without_mpi = not any("libmanyrt-comm-mpi" in file for file in files)
    without_tools = "usr/bin/manyrt" not in files
    owners, problems = {file: [] for file in files - left_out}, []
    for lists in sorted((tree / "debian").glob("*.install")):
        if (without_mpi and "comm-mpi" in lists.name) or (without_tools and "manyrt-tools" in lists.name):
            continue
        for line in lists.read_text(encoding="utf-8").splitlines():
            pattern = line.split()[0]
            if not pattern.startswith("usr/"):
                if not list(tree.glob(pattern)):
                    problems.append(f"{lists.name}: {pattern} is not in the tree")
                continue
            if "dist-packages" in pattern:
                continue  # debian/rules installs the Python package by setup.py
            found = [file for file in owners if fnmatch.fnmatchcase(file, pattern) or
                     any(fnmatch.fnmatchcase(parent.as_posix(), pattern) for parent in pathlib.PurePosixPath(file).parents)]
            if not found:
                problems.append(f"{lists.name}: {pattern} finds nothing that is installed")
            for file in found:
                owners[file].append(lists.name)
    for file, names in sorted(owners.items()):
        if len(set(names)) != 1:
            problems.append(f"{file} is in {' and '.join(names) if names else 'no package'}")
    for problem in problems:
        print(problem)
    print(f"{len(owners)} installed files, {len(problems)} faults in the lists of Debian's packages")
    return 1 if problems or len(owners) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
