#!/usr/bin/env python3
"""Checks of the Rust crates that cargo does not make.

    check.py interface    every function of rt.json and rt_comm.json is declared once, and its version is that of the crates
    check.py coverage     functions without a safe form are those of without_safe_form.txt, each with its reason, and the page
                          for users names them; every function of rt_comm.json has a safe form
    check.py compile_fail --rustc RUSTC --target DIR    programs in compile_fail/ are refused with the error that they name
    check.py bindgen --rustc RUSTC --library DIR --work DIR    what bindgen makes of rt.h needs no line by hand: all names and
                          sizes of rt.json; exits with 77 where bindgen is absent
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
CRATES = ROOT / "bindings" / "rust"
INTERFACE = json.loads((ROOT / "bindings" / "rt.json").read_text(encoding="utf-8"))
NAMES = [function["name"] for function in INTERFACE["functions"]]
COMM = json.loads((ROOT / "bindings" / "rt_comm.json").read_text(encoding="utf-8"))
COMM_NAMES = [function["name"] for function in COMM["functions"]]
SKIP = 77


def check_interface(_):
    problems = []
    for file, names in (("declarations.rs", NAMES), ("comm.rs", COMM_NAMES)):
        text = (CRATES / "manyrt-sys" / "src" / file).read_text(encoding="utf-8")
        declared = re.findall(r"^    pub fn (\w+)\(", text, flags=re.M)
        problems += [f"{name} is declared {declared.count(name)} times" for name in names if declared.count(name) != 1]
        problems += [f"{name} of {file} is not in the description" for name in declared if name not in names]
    for crate in ("manyrt-sys", "manyrt"):
        version = re.search(r'^version = "(.*)"', (CRATES / crate / "Cargo.toml").read_text(encoding="utf-8"), flags=re.M)[1]
        if version != INTERFACE["version"]:
            problems.append(f"{crate} has the version {version}, rt.json {INTERFACE['version']}")
    return problems


def check_coverage(_):
    """A function has a safe form if a source of the crate calls it through one of the macros of error.rs."""
    source = "".join(path.read_text(encoding="utf-8") for path in sorted((CRATES / "manyrt" / "src").glob("*.rs")))
    code = re.sub(r"//[^\n]*", "", source)
    used = set(re.findall(r"\b(?:call|call_text|get|get_struct|get_text|add)!\(\s*(rt[A-Z]\w*)", code))
    used |= set(re.findall(r"manyrt_sys::(rt[A-Z]\w*)\(", code))
    used |= set(re.findall(r"owner!\([^;]*, (rt[A-Z]\w*)\);", code))
    comm = "".join(path.read_text(encoding="utf-8") for path in sorted((CRATES / "manyrt" / "src" / "comm").glob("*.rs")))
    comm_used = set(re.findall(r"\b(?:comm_call!\(\s*|manyrt_sys::comm::)(rtComm[A-Z]\w*)\(", comm))
    listed = {}
    for line in (CRATES / "manyrt" / "without_safe_form.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, _, reason = line.partition(": ")
            listed[name] = reason
    page = (ROOT / "docs" / "bindings" / "rust.md").read_text(encoding="utf-8")
    problems = [f"{name} has no safe form: give it one, or a line with the reason in without_safe_form.txt"
                for name in NAMES if name not in used and name not in listed]
    problems += [f"{name} has no safe form in manyrt::comm" for name in COMM_NAMES
                 if name not in comm_used and name != "rtCommGetContext"]  # Communicator::context has it
    problems += [f"{name} is in without_safe_form.txt, but is used" for name in listed if name in used]
    problems += [f"{name} is in without_safe_form.txt, but not in rt.json" for name in listed if name not in NAMES]
    problems += [f"{name} has no reason in without_safe_form.txt" for name in listed if not listed[name]]
    problems += [f"docs/bindings/rust.md does not name {name}" for name in listed if f"`{name}`" not in page]
    print(f"{len(NAMES)} functions, {len(NAMES) - len(listed)} with a safe form")
    return problems


def check_compile_fail(args):
    problems = []
    for path in sorted((HERE / "compile_fail").glob("*.rs")):
        expected = re.match(r"// error: (\w+)\n", path.read_text(encoding="utf-8"))[1]
        # The output goes into a folder of its own: rustc replaces or removes the file that it is told to write.
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([args.rustc, "--edition=2021", "--crate-type=lib", "--emit=metadata", "--out-dir", folder,
                                   "-L", f"dependency={args.target / 'deps'}", "--extern",
                                   f"manyrt={args.target / 'libmanyrt.rlib'}", str(path)],
                                  capture_output=True, text=True, check=False)
        errors = set(re.findall(r"^error\[(E\d+)\]", done.stderr, flags=re.M))
        fits = done.returncode == 0 if expected == "none" else done.returncode != 0 and errors == {expected}
        print(f"{path.name}: {', '.join(errors) or 'no numbered error'}")
        if not fits:
            problems.append(f"{path.name}: expected {expected}, and rustc said:\n{done.stderr}")
    return problems


def check_bindgen(args):
    if not shutil.which("bindgen"):
        print("bindgen is not installed")
        sys.exit(SKIP)
    args.work.mkdir(parents=True, exist_ok=True)
    made, program = args.work / "bindgen.rs", args.work / "bindgen_check.rs"
    subprocess.run(["bindgen", str(ROOT / "include" / "rt.h"), "-o", str(made)], check=True)
    text = made.read_text(encoding="utf-8")
    declared = set(re.findall(r"pub fn (rt\w+)\(", text))
    problems = [f"bindgen's declarations lack {name}" for name in sorted(set(NAMES) - declared)]
    problems += [f"rt.json lacks {name}" for name in sorted(declared - set(NAMES))]
    lines = ["#![allow(dead_code, non_camel_case_types, non_snake_case, non_upper_case_globals, deref_nullptr)]",
             f'include!("{made}");', "fn main() {"]
    for struct in INTERFACE["structs"]:
        lines.append(f'    assert_eq!(std::mem::size_of::<{struct["name"]}>(), {struct["size"]}, "{struct["name"]}");')
    for enum in INTERFACE["enums"]:
        for value in enum["values"]:
            name = f"{enum['name']}_{value['name']}"
            lines.append(f'    assert_eq!({name} as i64, {value["value"]}, "{name}");')
    for constant in INTERFACE["constants"]:
        lines.append(f'    assert_eq!({constant["name"]} as u64, {constant["value"]}, "{constant["name"]}");')
    lines += [f"    let functions = [{', '.join(name + ' as *const ()' for name in sorted(set(NAMES) & declared))}];",
              "    assert!(functions.iter().all(|function| !function.is_null()));", "    let mut version = 0;",
              "    assert_eq!(unsafe { rtGetVersion(&mut version) }, rtStatusCode_RT_SUCCESS as rtStatus_t);",
              '    println!("{} functions, version {}", functions.len(), version);', "}", ""]
    program.write_text("\n".join(lines), encoding="utf-8")
    executable = args.work / "bindgen_check"
    subprocess.run([args.rustc, "--edition=2021", "-D", "warnings", "-L", f"native={args.library}", "-l", "manyrt", "-o",
                    str(executable), str(program)], check=True)
    subprocess.run([str(executable)], check=True)
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    checks = {"interface": check_interface, "coverage": check_coverage, "compile_fail": check_compile_fail,
              "bindgen": check_bindgen}
    parser.add_argument("check", choices=checks)
    parser.add_argument("--rustc", default="rustc")
    parser.add_argument("--target", type=pathlib.Path, help="the folder with libmanyrt.rlib")
    parser.add_argument("--library", type=pathlib.Path, help="the folder with libmanyrt.so")
    parser.add_argument("--work", type=pathlib.Path, help="a folder for what is made")
    args = parser.parse_args()
    problems = checks[args.check](args)
    print("\n".join(problems) if problems else "no problem")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
