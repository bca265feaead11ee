"""Runs a program over simulated hosts with SimGrid's SMPI: the cluster as a platform file, and smpirun with the settings that
docs/lab/scale.md explains. Used by scripts/scale_table.py and by tests/comm/mpi/simulated.py."""
import os
import pathlib
import subprocess

# A crossbar: each host has a link of this bandwidth and latency each way, and a message takes two of them.
LINK_BYTES_PER_SECOND = 12.5e9  # 100 Gbit/s
LINK_SECONDS = 0.75e-6

# Figures that SMPI would add from measurements of other machines are switched off, so that the platform alone counts. They are
# factors of bandwidth and latency by the message's size, and traffic of acknowledgements. Computation costs no simulated time.
SETTINGS = [
    "smpi/simulate-computation:no", "smpi/bw-factor:0:1", "smpi/lat-factor:0:1", "network/crosstraffic:0", "smpi/wtime:0",
    # Each rank a thread, as libraries have thread-local state; all ranks end together, as they share one library.
    "contexts/factory:thread", "smpi/finalization-barrier:yes"
]
# The library calls MPI's collectives: it asks no message again and again, which would be simulated time.
ENVIRONMENT = {"RT_COMM_MPI": "collectives", "RT_CPU_THREADS": "1", "RT_DISABLE": "opencl,cuda", "RT_CPU_BUILD": "optimized"}

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="cluster" prefix="host" suffix="" radical="0-{last}" speed="1Gf" bw="{bandwidth}Bps" lat="{latency}s"/>
</platform>
"""


def write_cluster(folder, hosts, listed=None):
    """Writes the platform of so many hosts, and a host file that lists as many, or `listed`. Returns both paths."""
    folder = pathlib.Path(folder)
    platform, hostfile = folder / f"cluster_{hosts}.xml", folder / f"hosts_{listed or hosts}"
    platform.write_text(PLATFORM.format(last=hosts - 1, bandwidth=LINK_BYTES_PER_SECOND, latency=LINK_SECONDS))
    hostfile.write_text("".join(f"host{i}\n" for i in range(listed or hosts)))
    return platform, hostfile


def run(smpirun, folder, ranks, words, settings=(), platform=None, hostfile=None, timeout=600, extra=()):
    """Runs `words` on so many hosts; returns what subprocess.run gives. `folder` is for files that smpirun makes."""
    if platform is None:
        platform, hostfile = write_cluster(folder, ranks)
    command = [smpirun, "-np", str(ranks), "-platform", str(platform), "-hostfile", str(hostfile),
               "--log=root.thresh:error", *[f"--cfg={each}" for each in [*SETTINGS, *settings]], *extra, *words]
    environment = dict(os.environ, **ENVIRONMENT, TMPDIR=str(folder))
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, env=environment, check=False)
