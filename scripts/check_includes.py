#!/usr/bin/env python3
"""Checks that the includes of src run down the picture of the layers (docs/design.md) and never up or in a circle.

api -> graph -> ops -> manager, allocator, context -> backends/backend.h -> base. A backend in src/backends/<name> sees its own
folder, what lies directly in src/backends, kernels and base. One registry file may name backends. Nobody includes api.
"""
import pathlib
import re
import sys

# What the files of a layer may include beside their own layer. `backends` is src/backends itself: the interface and its helpers.
ALLOWED = {
    "base": set(),
    "kernels": {"base"},
    "backends": {"base", "kernels"},
    "backend": {"base", "kernels", "backends"},
    "allocator": {"base", "backends", "context"},
    "context": {"base", "backends", "allocator", "manager"},
    "manager": {"base", "backends", "allocator", "context"},
    "ops": {"base", "backends", "allocator", "context", "manager"},
    "graph": {"base", "backends", "allocator", "context", "manager", "ops"},
    "api": {"base", "backends", "allocator", "context", "manager", "ops", "graph"},
}
REGISTRIES = {"manager/backends.cpp", "backends/registry.cpp"}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def layer_of(path):
    """The layer and, for a backend, its folder: ("backend", "cpu")."""
    parts = path.split("/")
    if parts[0] == "backends" and len(parts) > 2:
        return "backend", parts[1]
    return parts[0], None


def resolve(source, include, files):
    beside = str(pathlib.PurePosixPath(source).parent / include)
    for candidate in (include, beside):
        if candidate in files:
            return candidate
    return None


def find_cycle(edges):
    """The first circle of includes as a list of files, or None."""
    state, path = {}, []

    def visit(node):
        state[node] = "open"
        path.append(node)
        for target in sorted(edges.get(node, ())):
            if state.get(target) == "open":
                return path[path.index(target):] + [target]
            if target not in state:
                found = visit(target)
                if found:
                    return found
        path.pop()
        state[node] = "done"
        return None

    for node in sorted(edges):
        if node not in state:
            found = visit(node)
            if found:
                return found
    return None


def check(root):
    patterns = ("*.h", "*.cpp", "*.c", "*.inc")
    files = {path.relative_to(root).as_posix() for pattern in patterns for path in root.rglob(pattern)}
    problems, edges = [], {}
    for source in sorted(files):
        layer, backend = layer_of(source)
        if layer not in ALLOWED:
            problems.append(f"{source}: the folder '{layer}' is no layer of the picture")
            continue
        for include in INCLUDE.findall((root / source).read_text(encoding="utf-8")):
            if include == "rt.h":
                continue
            target = resolve(source, include, files)
            if target is None:
                problems.append(f"{source}: \"{include}\" is not a file of src")
                continue
            edges.setdefault(source, set()).add(target)
            to_layer, to_backend = layer_of(target)
            if to_layer == "backend":
                if source not in REGISTRIES and (layer, backend) != ("backend", to_backend):
                    problems.append(f"{source}: includes {target}, but only that backend and the registry may")
            elif to_layer != layer and to_layer not in ALLOWED[layer]:
                problems.append(f"{source}: includes {target}, but {layer} must not know {to_layer}")
    cycle = find_cycle(edges)
    if cycle:
        problems.append("a circle: " + " -> ".join(cycle))
    return len(files), problems


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent) / "src"
    count, problems = check(root)
    for problem in problems:
        print(problem)
    print(f"{count} files, {len(problems)} includes against the picture of the layers")
    return 1 if problems or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
