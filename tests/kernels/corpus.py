#!/usr/bin/env python3
"""Compiles a corpus of kernels that others have written: the programs of hashcat, as hashcat itself builds them.

Every m*.cl goes through the front end (check_source), every 25th through the whole build for the CPU (build_source). Prints how
many pass and groups the failures by message; --json keeps the figures. The exit status is 1 if a file fails.
Usage: corpus.py FOLDER CHECK_SOURCE BUILD_SOURCE [--json FILE] [--only PATTERN] [--every N]
"""
import argparse
import collections
import concurrent.futures
import datetime
import fnmatch
import os
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import lab  # noqa: E402

FRONT_SECONDS, BUILD_SECONDS = 60, 600
# The macros that hashcat defines for a device that it knows nothing special of, one lane wide.
COMMON = {
    "XM2S(x)": "#x", "M2S(x)": "XM2S(x)", "INCLUDE_PATH": "OpenCL", "KERNEL_STATIC": "", "VENDOR_ID": "64", "DEVICE_TYPE": "2",
    "LOCAL_MEM_TYPE": "1", "CUDA_ARCH": "0", "VECT_SIZE": "1", "DGST_R0": "0", "DGST_R1": "3", "DGST_R2": "2", "DGST_R3": "1",
    "DGST_ELEM": "16", "ATTACK_MODE": "0", "MAX_THREADS_PER_BLOCK": "64",
}
NO_INSTRUCTIONS = ("ADD", "ADDC", "SUB", "SUBC", "VADD", "VADDC", "VADD_CO", "VADDC_CO", "VSUB", "VSUBB", "VSUB_CO", "VSUBB_CO",
                   "VPERM", "VADD3", "VBFE", "BFE", "LOP3", "MOV64", "PRMT")
# The macros that single modules of hashcat add for theirs, with the values of a usual hash.
SCRYPT = {"SCRYPT_N": "16384", "SCRYPT_R": "8", "SCRYPT_P": "1", "SCRYPT_TMTO": "1", "SCRYPT_TMP_ELEM": "256"}
FIXED = {"FIXED_LOCAL_SIZE": "1", "FIXED_LOCAL_SIZE_COMP": "1", "DESCRYPT_SALT": "0"}


def options_for(path, root):
    """The words of the command line for one file; what it is for stands in its name: m01400_a3-optimized.cl."""
    match = re.match(r"m(\d+)(?:_a(\d))?", path.name)
    defined = dict(COMMON)
    defined.update({f"HAS_{name}": "0" for name in NO_INSTRUCTIONS})
    text = path.read_text(encoding="utf-8", errors="replace")
    for extra in (SCRYPT, FIXED):
        defined.update({name: value for name, value in extra.items() if re.search(rf"\b{name}\b", text)})
    defined["KERN_TYPE"] = str(int(match.group(1))) if match else "0"
    defined["ATTACK_EXEC"] = "11" if match and match.group(2) else "10"
    defined["ATTACK_KERN"] = match.group(2) if match and match.group(2) else "0"
    words = [f"-D{name}={value}" if value else f"-D{name}" for name, value in defined.items()]
    return words + [f"-I{root}"]


def run(command, limit):
    """Passed or not, the first error without its place, and the seconds."""
    start = time.monotonic()
    try:
        result = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=limit, check=False,
                                env={**os.environ, "RT_CACHE_DIR": "off"})
        passed, log = result.returncode == 0, result.stderr
        if result.returncode not in (0, 1):
            log = f"error: ended with status {result.returncode}"
    except subprocess.TimeoutExpired:
        passed, log = False, f"error: did not end within {limit} s"
    message = ""
    if not passed:
        found = re.search(r"error: (.*)", log)
        message = found.group(1) if found else (log.splitlines() or ["no message"])[0]
        message = re.sub(r'"[^"]*"', '"..."', message)[:120]
    return passed, message, time.monotonic() - start


def run_all(title, files, command, limit):
    failures, seconds = collections.defaultdict(list), []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for path, (passed, message, took) in zip(files, pool.map(lambda path: run(command(path), limit), files)):
            seconds.append(took)
            if not passed:
                failures[message].append(path.name)
    failed = sum(len(names) for names in failures.values())
    share = 100 * (len(files) - failed) / len(files) if files else 0
    print(f"{title:<12} {len(files) - failed:5} of {len(files):5} pass ({share:.1f}%), longest {max(seconds, default=0):.1f} s")
    for message, names in sorted(failures.items(), key=lambda item: -len(item[1])):
        print(f"  {len(names):5}  {message}   ({', '.join(names[:3])}{', ...' if len(names) > 3 else ''})")
    return {"files": len(files), "pass": len(files) - failed, "longest_seconds": round(max(seconds, default=0), 1),
            "failures": {message: len(names) for message, names in sorted(failures.items())}}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path, help="the one that has OpenCL/ in it")
    parser.add_argument("check_source")
    parser.add_argument("build_source")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--only", default="m*.cl")
    parser.add_argument("--every", type=int, default=25)
    parser.add_argument("--package", default="")
    parser.add_argument("--commit", default="unknown")
    arguments = parser.parse_args()
    files = sorted(path for path in (arguments.folder / "OpenCL").glob("*.cl") if fnmatch.fnmatch(path.name, arguments.only))
    if not files:
        sys.exit(f"No file {arguments.only} in {arguments.folder}/OpenCL.")
    table = {
        "front end": run_all("front end", files,
                             lambda path: [arguments.check_source, str(path), *options_for(path, arguments.folder)],
                             FRONT_SECONDS),
        "whole build": run_all("whole build", files[::arguments.every],
                               lambda path: [arguments.build_source, "cpu", str(path), *options_for(path, arguments.folder)],
                               BUILD_SECONDS),
    }
    if arguments.json:
        context = {"corpus": arguments.package, "date": datetime.date.today().isoformat(), "commit": arguments.commit}
        arguments.json.write_text(lab.dumps({"context": context, "corpus": table}), encoding="utf-8")
    return 1 if any(part["pass"] != part["files"] for part in table.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
