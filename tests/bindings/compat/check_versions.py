#!/usr/bin/env python3
"""Holds the version nodes of libmanyrt.so against tests/abi/symbols.txt and Debian's files, and tries them: a program that was
linked with a library without nodes runs, and one that needs a newer node is refused by the loader, which names the node.

    check_versions.py SOURCE_FOLDER LIBRARY C_COMPILER WORK_FOLDER
"""

import os
import pathlib
import re
import subprocess
import sys

PROGRAM = """#include <rt.h>
int main(void) {
  rtGraph_t graph = NULL; /* of 0.2 */
  void* memory = NULL;    /* of 0.1 */
  return rtMalloc(&memory, 64, NULL) == RT_SUCCESS && rtFree(memory) == RT_SUCCESS && rtGraphCreate(&graph) == RT_SUCCESS &&
         rtGraphDestroy(graph) == RT_SUCCESS ? 0 : 1;
}
"""


def node_of(release):
    return "MANYRT_" + ".".join(release.split(".")[:2])


def promised(text):
    """The node of each function by tests/abi/symbols.txt: that of the release above it."""
    nodes, release = {}, None
    for line in text.splitlines():
        if line.startswith("#"):
            release = line[1:].strip()
        elif line.strip():
            nodes[line.strip()] = node_of(release)
    return nodes


def exported(text):
    """The node of each function by nm's list."""
    nodes = {}
    for line in text.splitlines():
        _, kind, symbol = line.split()
        if kind != "A":
            name, _, node = symbol.partition("@")
            nodes[name] = node.lstrip("@")
    return nodes


def packaged(text):
    """The first package that has a node, as numbers. A tilde after it lets packages of before the release in."""
    return {node: numbers(first) for node, first in re.findall(r"^ \(symver\)(MANYRT_[\d.]+) ([\d.]+)~?$", text, flags=re.M)}


def numbers(version):
    return tuple(int(part) for part in version.split("."))


def package_problems(changelog, newest, version):
    """What is wrong with the version of the packages: that of a release, or NEXT~devN before the release NEXT."""
    first = changelog.splitlines()[0]
    match = re.match(r"manyrt \(([\d.]+)(~dev\d+)?\)", first)
    if not match or (numbers(match[1]) <= numbers(version) if match[2] else match[1] != version):
        return [f"debian/changelog begins with '{first}', neither with version {version} nor with a ~dev of a later one"]
    if numbers(match[1]) < newest:
        return [f"debian/changelog begins with '{first}', but the symbols ask for {newest}: programs could not be installed"]
    return []


def compare(source, library):
    want = promised((source / "tests/abi/symbols.txt").read_text(encoding="utf-8"))
    listing = subprocess.run(["nm", "-D", "--defined-only", library], stdout=subprocess.PIPE, check=True, text=True).stdout
    have = exported(listing)
    problems = [f"{name} has the node {have.get(name) or 'none'}; by tests/abi/symbols.txt it is {node}"
                for name, node in sorted(want.items()) if have.get(name) != node]
    nodes = packaged((source / "debian/libmanyrt0.symbols").read_text(encoding="utf-8"))
    for node in sorted(set(have.values()) ^ set(nodes)):
        problems.append(f"{node} is in one of the library and debian/libmanyrt0.symbols only")
    version = re.search(r"project\(manyrt VERSION ([\d.]+)", (source / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)
    changelog = (source / "debian/changelog").read_text(encoding="utf-8")
    return problems + package_problems(changelog, max(nodes.values()), version), want


def try_loader(source, library, compiler, work, names):
    """What the loader does with a program that was linked without nodes, and with a library that lacks the newest one."""
    work.mkdir(parents=True, exist_ok=True)
    bare, old = work / "bare", work / "old"
    (work / "program.c").write_text(PROGRAM, encoding="utf-8")

    def link_library(folder, text, *options):
        folder.mkdir(exist_ok=True)
        (folder / "library.c").write_text(text, encoding="utf-8")
        subprocess.run([compiler, "-shared", "-fPIC", "-Wl,-soname,libmanyrt.so.0", *options, folder / "library.c",
                        "-o", folder / "libmanyrt.so.0"], check=True)

    def link_program(library_folder, name):
        program = work / name
        subprocess.run([compiler, "-I", source / "include", work / "program.c", library_folder / "libmanyrt.so.0",
                        "-o", program], check=True)
        return program

    def run(program, folder):
        environment = dict(os.environ, LD_LIBRARY_PATH=str(folder), RT_DISABLE="cuda,opencl", LC_ALL="C")
        return subprocess.run([program], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              text=True)

    bodies = "".join(f"int {name}(void) {{ return 0; }}\n" for name in sorted(names))
    link_library(bare, bodies)
    first = " ".join(f"{name};" for name, node in sorted(names.items()) if node == "MANYRT_0.1")
    (work / "old.map").write_text(f"MANYRT_0.1 {{ global: {first} local: *; }};\n", encoding="utf-8")
    link_library(old, bodies, f"-Wl,--version-script={work / 'old.map'}")

    problems = []
    done = run(link_program(bare, "unversioned"), library.parent)
    if done.returncode != 0:
        problems.append(f"a program that was linked without nodes ends with {done.returncode}: {done.stdout.strip()}")
    versioned = link_program(library.parent, "versioned")
    done = run(versioned, library.parent)
    if done.returncode != 0:
        problems.append(f"a program of today ends with {done.returncode}: {done.stdout.strip()}")
    done = run(versioned, old)
    if done.returncode == 0 or "version `MANYRT_0.2' not found" not in done.stdout:
        problems.append(f"with a library of 0.1 the program ends with {done.returncode}: {done.stdout.strip()}")
    return problems


def main():
    source, library, work = (pathlib.Path(sys.argv[i]) for i in (1, 2, 4))
    compiler = sys.argv[3]
    problems, names = compare(source, library)
    problems += try_loader(source, library, compiler, work, names)
    for problem in problems:
        print(problem)
    print(f"{len(names)} functions, {len(set(names.values()))} nodes, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
