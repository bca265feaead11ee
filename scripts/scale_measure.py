"""Measures for docs/lab/scale.md, as a value for docs/lab/measured/scale.json: all-reduces and epochs over simulated hosts, and
what one rank computes and holds, on this machine. Used by scripts/scale_table.py."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import smpi

ROOT = pathlib.Path(__file__).resolve().parent.parent
HOSTS = [8, 16, 32, 64, 128, 256, 512, 1024]
GRADIENT = 9610 * 4  # bytes; the program's number is compared with it
SIZES = [8, 8192, GRADIENT, 1 << 20, 1 << 24]
ALGORITHMS = {"recursive doubling": "rdb", "halving and doubling": "mvapich2_rs", "ring": "lr"}  # names of SMPI
# Cases that take too long to simulate. A ring, which sends 2 (p - 1) messages a rank, of less than so many bytes or on more
# hosts. Recursive doubling of so many bytes, all of them in each round, on more hosts.
RING = (1 << 20, 256)
DOUBLING = (1 << 24, 256)
EPOCHS = {8: 11, 128: 3, 512: 1}  # from so many hosts on: how many epochs the longest run has
FEW_IMAGES = 200  # of short runs where that is one
TIMEOUT = 7200
MEMORY = [("in_process", 64), ("in_process", 1024), ("in_process", 65536), ("shared_memory", 2), ("shared_memory", 8),
          ("shared_memory", 64), ("shared_memory", 256), ("shared_memory", 1024)]


def note(text):
    print(time.strftime("%H:%M:%S ") + text, file=sys.stderr, flush=True)


def checked(done, what):
    if done.returncode != 0:
        raise SystemExit(f"{what} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


def all_reduces(smpirun, program, folder, hosts):
    rows = []
    for name, algorithm in ALGORITHMS.items():
        sizes = [n for n in SIZES if n > 8]
        if name == "recursive doubling":
            sizes = [n for n in SIZES if n < DOUBLING[0] or hosts <= DOUBLING[1]]
        elif name == "ring":
            sizes = [n for n in SIZES if n >= RING[0] and hosts <= RING[1]]
        if not sizes:
            continue
        done = checked(smpi.run(smpirun, folder, hosts, [program, *map(str, sizes)], [f"smpi/allreduce:{algorithm}"],
                                timeout=TIMEOUT), f"{hosts} hosts, {name}")
        found = dict(re.findall(r"^(\d+) (\S+)$", done.stdout, re.MULTILINE))
        rows += [{"hosts": hosts, "bytes": n, "algorithm": name, "seconds": float(found[str(n)])} for n in sizes]
        note(f"{hosts} hosts, {name}: {[float(found[str(n)]) for n in sizes]}")
    return rows


def simulated_end(text):
    return float(re.search(r"Simulated time: (\S+) seconds", text)[1])


def train(smpirun, program, folder, hosts, epochs, *options):
    began = time.monotonic()
    done = checked(smpi.run(smpirun, folder, hosts, [program, "--epochs", str(epochs), "--no-threshold", *options],
                            ["smpi/coll-selector:ompi", "smpi/allreduce:" + ALGORITHMS["halving and doubling"],
                             "smpi/display-timing:yes"],
                            extra=["--log=smpi_utils.thresh:info"], timeout=TIMEOUT), f"{hosts} hosts, {epochs} epochs")
    hashes = re.findall(r"\b[0-9a-f]{16}\b", done.stdout)
    if len(hashes) != hosts or len(set(hashes)) != 1:
        raise SystemExit(f"{hosts} hosts have {len(hashes)} hashes, {len(set(hashes))} of them different")
    return {"end": simulated_end(done.stdout + done.stderr), "hashes": len(hashes),
            "accuracy": float(re.search(r"read right: ([\d.]+) %", done.stdout)[1]), "took": time.monotonic() - began,
            "images": [int(each) for each in re.search(r"(\d+) images, (\d+) held out", done.stdout).groups()]}


def epoch(smpirun, program, folder, hosts):
    """Of one epoch: a difference of runs, as the simulation is exact. What comes before and after epochs drops out."""
    epochs = EPOCHS[max(least for least in EPOCHS if least <= hosts)]
    last = train(smpirun, program, folder, hosts, epochs)
    if epochs > 1:
        seconds = (last["end"] - train(smpirun, program, folder, hosts, 1)["end"]) / (epochs - 1)
    else:  # the steps of an epoch that a short one has not, and a short one
        one, two = (train(smpirun, program, folder, hosts, count, "--images", str(FEW_IMAGES))["end"] for count in (1, 2))
        seconds = (last["end"] - one) + (two - one)
    note(f"{hosts} hosts: an epoch {seconds} s, {last['accuracy']} %, {last['took']:.0f} s")
    return {"hosts": hosts, "seconds": seconds, "epochs": epochs,
            "accuracy": last["accuracy"], "equal_hashes": last["hashes"],
            "took": round(last["took"], 1), "images": last["images"]}


def compute(program, hosts):
    """An epoch of the rank with the most images, without what it sends: the least of five medians, as others disturb."""
    environment = dict(os.environ, RT_CPU_THREADS="1", RT_DISABLE="opencl,cuda", RT_CPU_BUILD="optimized")
    seconds, memory = [], 0.0
    for _ in range(5):
        with subprocess.Popen([program, str(hosts), "60"], stdout=subprocess.PIPE, text=True, env=environment) as child:
            text = child.stdout.read()
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise SystemExit(f"{program} {hosts} ended with {child.returncode}")
        seconds.append(float(text))
        memory = used.ru_maxrss / 1024
    note(f"one rank of {hosts}: an epoch {min(seconds)} s, {memory:.1f} MiB")
    return {"hosts": hosts, "seconds": min(seconds), "memory_mib": round(memory, 1)}


def creation(smpirun, program, folder, hosts):
    """Making a communicator of all hosts, and splitting it, each from the last rank's start to the last rank's end."""
    began = time.monotonic()
    done = checked(smpi.run(smpirun, folder, hosts, [program], timeout=TIMEOUT), f"{hosts} hosts, creation")
    found = {name: float(re.search(rf"^{name} (\S+)$", done.stdout, re.MULTILINE)[1]) for name in ("create", "split")}
    note(f"{hosts} hosts: {found}")
    return {"hosts": hosts, "create": found["create"], "split": found["split"], "took": round(time.monotonic() - began, 1)}


def rank_memory(program, engine, ranks):
    """Bytes of each rank of a communicator of one process: the process's own, and those in /dev/shm."""
    environment = dict(os.environ, RT_DISABLE="opencl,cuda", RT_COMM_ENGINE=engine)
    done = checked(subprocess.run([program, str(ranks)], capture_output=True, text=True, env=environment, check=False),
                   f"{engine}, {ranks} ranks")
    own, shared = map(int, done.stdout.split())
    note(f"{engine}, {ranks} ranks: {own} bytes, {shared} shared")
    return {"engine": engine, "ranks": ranks, "own": own, "shared": shared}


def first_line(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT).stdout.split("\n")[0]


def smpirun_path():
    smpirun = shutil.which("smpirun")
    if smpirun is None:
        raise SystemExit("There is no smpirun: scripts/install-packages.sh scale")
    return smpirun


def commit():
    return first_line("git", "describe", "--always", "--dirty")


def add_epochs(data, build, most, core, keep):
    """Measures the epochs that the figures lack, and calls keep(data) after each."""
    os.sched_setaffinity(0, {core})
    have = {row["hosts"] for row in data["epochs"]}
    with tempfile.TemporaryDirectory() as folder:
        for hosts in [each for each in HOSTS if each <= most and each not in have]:
            row = epoch(smpirun_path(), str(build / "smpi/digits_parallel"), folder, hosts)
            data["epochs"].append(dict(row, commit=commit()))
            keep(data)


def add_creations(data, build, most, core, keep):
    """Measures creations and the memory of ranks anew, and keeps the rest."""
    os.sched_setaffinity(0, {core})
    data["creation"] = {"commit": commit(), "rows": [], "memory": [
        rank_memory(str(build / "bin/scale_memory"), engine, ranks) for engine, ranks in MEMORY]}
    with tempfile.TemporaryDirectory() as folder:
        for hosts in [each for each in HOSTS if each <= most]:
            data["creation"]["rows"].append(creation(smpirun_path(), str(build / "smpi/scale_create"), folder, hosts))
    keep(data)


def measure(build, most, core):
    smpirun = smpirun_path()
    programs = build / "smpi"
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    data = {"context": {"commit": commit(), "cpu": cpu[1] if cpu else "",
                        "simulator": first_line(smpirun, "-version").strip(), "settings": smpi.SETTINGS,
                        "link_bytes_per_second": smpi.LINK_BYTES_PER_SECOND, "link_seconds": smpi.LINK_SECONDS,
                        "gradient_bytes": GRADIENT}}
    hosts_of_run = [each for each in HOSTS if each <= most]
    data["compute"] = [compute(str(build / "bin/scale_compute"), hosts) for hosts in [1, *hosts_of_run]]
    os.sched_setaffinity(0, {core})  # simulated ranks take turns in any case
    data["all_reduce"], data["epochs"] = [], []
    add_creations(data, build, most, core, lambda _: None)
    with tempfile.TemporaryDirectory() as folder:
        for hosts in hosts_of_run:
            data["all_reduce"] += all_reduces(smpirun, str(programs / "scale_all_reduce"), folder, hosts)
            data["epochs"].append(epoch(smpirun, str(programs / "digits_parallel"), folder, hosts))
    return data
