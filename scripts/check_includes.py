#!/usr/bin/env python3
"""Checks that the includes of src run down the picture of the layers (docs/design.md) and never up or in a circle.

api -> graph -> ops -> manager -> allocator -> backends/backend.h -> base. Each folder of graph is a layer of its own: exec ->
plan, capture -> file, memory -> model. A backend in src/backends/<name> sees its own folder, src/backends/driver, what lies
directly in src/backends and base, and of the compiler the three headers that lie directly in src/compiler. One registry file
may name backends. No other layer includes api. A permission below that no include uses is reported too.

Builds for tests read the headers in STANDARD once for all files (cmake/ManyrtLibrary.cmake), so that no compiler says where one
is missing. A file that uses a name of theirs has to include the header, itself or through files of src.
"""
import pathlib
import re
import sys

# The layers that the files of a layer may include beside their own. `backends` is src/backends itself: the interface and its
# helpers.
ALLOWED = {
    "base": set(),
    "compiler": {"base"},
    "backends": {"base"},
    "driver": {"base", "backends"},
    "backend": {"base", "compiler", "backends", "driver"},
    "allocator": {"base", "backends"},
    "manager": {"base", "backends", "allocator"},
    "ops": {"base", "backends", "allocator", "manager"},
    "graph/model": {"base", "allocator", "manager", "ops"},
    "graph/file": {"base", "graph/model"},
    "graph/memory": {"graph/model"},
    "graph/capture": {"base", "manager", "graph/model"},
    "graph/plan": {"base", "manager", "ops", "graph/model", "graph/memory"},
    "graph/exec": {"base", "backends", "manager", "ops", "graph/model", "graph/capture", "graph/plan"},
    "api": {"base", "allocator", "manager", "ops", "graph/model", "graph/file", "graph/capture", "graph/plan", "graph/exec"},
    "aot": {"base", "backends", "compiler"},  # a library of its own, for the manyrt command
    "comm": {"base"},  # a library of its own, over rt.h
}
REGISTRIES = {"manager/backends.cpp"}
PUBLIC = {  # what other layers may include of a layer
    "compiler": {"compiler/build.h", "compiler/image.h", "compiler/unit.h", "compiler/ahead.h"},
    "graph/memory": {"graph/memory/memory_plan.h"},
}
STANDARD = {  # headers, with what they are looked for by
    "algorithm": r"std::(?:(?:stable_)?sort|find(?:_if(?:_not)?)?|any_of|all_of|none_of|min|max|clamp|copy(?:_n|_if)?|"
                 r"fill|fill_n|(?:lower|upper)_bound|equal_range|reverse|remove_if|unique|count(?:_if)?|equal|minmax|"
                 r"(?:max|min)_element|transform|for_each|rotate|binary_search|partition|is_sorted|nth_element|search|"
                 r"(?:push|pop|make)_heap)\b",
    "array": r"std::array\b",
    "atomic": r"std::(?:atomic|memory_order)",
    "cstdint": r"\bu?int(?:8|16|32|64|ptr)_t\b",
    "cstring": r"\b(?:mem(?:cpy|set|cmp|move|chr)|str(?:n?cmp|len|r?chr|str|error|dup|n?cat|n?cpy|spn|cspn))\(",
    "functional": r"std::function\b",
    "map": r"std::(?:multi)?map\b",
    "memory": r"std::(?:make_(?:unique|shared)|(?:unique|shared|weak)_ptr|enable_shared_from_this)\b",
    "mutex": r"std::(?:recursive_)?(?:mutex|lock_guard|unique_lock|scoped_lock|call_once|once_flag)\b",
    "optional": r"std::(?:optional|nullopt)\b",
    "set": r"std::(?:multi)?set\b",
    "string": r"std::(?:string|to_string)\b",
    "thread": r"std::(?:thread|this_thread)\b",
    "unordered_map": r"std::unordered_map\b",
    "vector": r"std::vector\b",
}
SAME = {"stdint.h": "cstdint", "string.h": "cstring", "condition_variable": "mutex", "rt.h": "cstdint", "rt_comm.h": "cstdint"}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def layer_of(path):
    """The layer and, for a backend, its folder: ("backend", "cpu"), ("graph/plan", None)."""
    parts = path.split("/")
    if parts[0] == "graph" and len(parts) > 2:
        return f"graph/{parts[1]}", None
    if parts[0] == "backends" and len(parts) > 2:
        return ("driver", None) if parts[1] == "driver" else ("backend", parts[1])
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


def without_texts(text):
    """A source without its comments and strings."""
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', " ", text, flags=re.DOTALL)


def check_standard(root, edges):
    """Names of standard headers that neither a file nor what it includes of src has."""
    names = {header: re.compile(pattern) for header, pattern in STANDARD.items()}
    own = {}
    library = (root.parent / "cmake/ManyrtLibrary.cmake").read_text(encoding="utf-8")
    read_once = re.search(r"manyrt_precompiled_headers ([^)]*)\)", library)
    if set(re.findall(r"<(\w+)>", read_once[1])) != set(STANDARD):
        yield "cmake/ManyrtLibrary.cmake: the headers that are read once are not those of STANDARD"
    for path in [*root.rglob("*.h"), *root.rglob("*.cpp")]:
        text = path.read_text(encoding="utf-8")
        headers = {SAME.get(header, header) for header in re.findall(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', text, re.MULTILINE)}
        uses = {header for header, pattern in names.items() if pattern.search(without_texts(text))}
        own[path.relative_to(root).as_posix()] = (headers, uses)
    for source, (headers, uses) in sorted(own.items()):
        if source.startswith("compiler/builtins/library/"):
            continue  # texts of kernels
        seen, open_files = set(), [source]
        while open_files:
            file = open_files.pop()
            if file not in seen:
                seen.add(file)
                open_files += edges.get(file, ())
        found = set().union(*(own[file][0] for file in seen if file in own))
        yield from (f"{source}: uses what is in <{header}>, which nothing includes" for header in sorted(uses - found))


def check(root):
    patterns = ("*.h", "*.cpp", "*.c", "*.inc")
    files = {path.relative_to(root).as_posix() for pattern in patterns for path in root.rglob(pattern)}
    problems, edges, used, registries = [], {}, {layer: set() for layer in ALLOWED}, set()
    for source in sorted(files):
        layer, backend = layer_of(source)
        if layer not in ALLOWED:
            problems.append(f"{source}: the folder '{layer}' is no layer of the picture")
            continue
        for include in INCLUDE.findall((root / source).read_text(encoding="utf-8")):
            if include == "rt.h" or (include == "rt_comm.h" and layer == "comm"):
                continue
            target = resolve(source, include, files)
            if target is None:
                problems.append(f"{source}: \"{include}\" is not a file of src")
                continue
            edges.setdefault(source, set()).add(target)
            to_layer, to_backend = layer_of(target)
            if to_layer == "backend":
                if source in REGISTRIES:
                    registries.add(source)
                elif (layer, backend) != ("backend", to_backend):
                    problems.append(f"{source}: includes {target}, but only that backend and the registry may")
            elif to_layer != layer:
                used[layer].add(to_layer)
                if to_layer not in ALLOWED[layer]:
                    problems.append(f"{source}: includes {target}, but {layer} must not know {to_layer}")
                elif target not in PUBLIC.get(to_layer, {target}):
                    problems.append(f"{source}: includes {target}, which only {to_layer} may")
    for layer, allowed in ALLOWED.items():
        problems += [f"{layer} may include {other}, but does not" for other in sorted(allowed - used[layer])]
    problems += [f"{source} may name backends, but does not" for source in sorted(REGISTRIES - registries)]
    problems += check_standard(root, edges)
    cycle = find_cycle(edges)
    if cycle:
        problems.append("a circle: " + " -> ".join(cycle))
    return len(files), problems


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent) / "src"
    count, problems = check(root)
    for problem in problems:
        print(problem)
    print(f"{count} files, {len(problems)} faults in the picture of the layers")
    return 1 if problems or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
