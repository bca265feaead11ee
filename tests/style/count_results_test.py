#!/usr/bin/env python3
"""scripts/count_results.py counts a skipped test once for each kind of device, and takes no skip without a reason."""
import pathlib
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts/count_results.py"


def case(name, reason=None):
    suite, test = name.split(".", 1)
    skipped = f'<skipped message="{reason}"/>' if reason is not None else ""
    result = "skipped" if reason is not None else "completed"
    return f'<testcase classname="{suite}" name="{test}" result="{result}">{skipped}</testcase>'


def summarise(folder, entries, ctest_only=""):
    results = pathlib.Path(folder) / "release" / "results"
    results.mkdir(parents=True)
    listed = "".join(f'<testcase name="{name}" status="run"/>' for name in entries)
    (results / "ctest.xml").write_text(f"<testsuite>{listed}{ctest_only}</testsuite>")
    for name, cases in entries.items():
        (results / f"{name}.xml").write_text(f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>")
    done = subprocess.run([sys.executable, SCRIPT, results], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def expect(condition, text):
    if not condition:
        sys.exit(f"count_results.py does not count as it says:\n{text}")


with tempfile.TemporaryDirectory() as folder:
    code, text = summarise(folder, {
        "conformance": [case("A.B/cpu"), case("A.B/null_0", "runs none"), case("A.B/null_1", "runs none"),
                        case("A.C/null_0", "runs none")],
        "conformance.opencl_svm": [case("A.B/opencl_0", "no functions"), case("A.B/opencl_1", "no functions")],
        "conformance.opencl_buffer": [case("A.B/opencl_0", "no functions"), case("A.C/opencl_0")],
    }, '<testcase name="abi.description" status="notrun">'
       '<system-out>SKIP: libabigail is not installed\n</system-out></testcase>')
    expect(code == 0 and text.splitlines()[-1] == "2 passed, 0 failed, 4 skipped", text)
    expect("conformance on null: 2: runs none" in text and "conformance on opencl: 1: no functions" in text, text)
    expect("abi.description: 1: libabigail is not installed" in text, text)
with tempfile.TemporaryDirectory() as folder:
    code, text = summarise(folder, {"threads": [case("A.B/cpu", "")]},
                           '<testcase name="opencl.examples" status="notrun"><system-out>No driver.\n</system-out></testcase>')
    expect(code == 1 and text.splitlines()[-1] == "0 passed, 2 failed, 0 skipped", text)
print("skips are counted as count_results.py says")
