#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Starts a program as processes of this host with the variables that torchrun sets.

    launched.py [--variables | --shells | --torchrun] RANKS PROGRAM [ARGUMENTS...]

With --shells it sets those alone that a user sets in two shells; --torchrun has torchrun start them, where it is installed.
PROGRAM is a file of Python or an option of Python's own, else an executable. Ends with 0 if all processes do."""

import os
import shutil
import socket
import subprocess
import sys

SKIP = 77


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def main():
    arguments = sys.argv[1:]
    way = arguments.pop(0) if arguments[0].startswith("--") else "--variables"
    size, program = int(arguments[0]), arguments[1:]
    if not program[0].endswith(".py") and not program[0].startswith("-"):
        program = program if way != "--torchrun" else ["--no-python", *program]
    elif way != "--torchrun":
        program = [sys.executable, *program]
    port = free_port()
    if way == "--torchrun":
        torchrun = shutil.which("torchrun")
        if torchrun is None:
            print("SKIP: torchrun is not installed", flush=True)
            return SKIP
        where = ["--master-addr", "127.0.0.1", "--master-port", str(port)]
        return subprocess.run([torchrun, "--nproc-per-node", str(size), *where, *program], check=False).returncode
    processes = []
    for rank in range(size):
        variables = {"RANK": rank, "WORLD_SIZE": size, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
        if way != "--shells":
            variables.update(LOCAL_RANK=rank, LOCAL_WORLD_SIZE=size, GROUP_RANK=0, GROUP_WORLD_SIZE=1, ROLE_RANK=rank,
                             ROLE_WORLD_SIZE=size, TORCHELASTIC_RUN_ID="none", TORCHELASTIC_RESTART_COUNT=0)
        environment = {**os.environ, **{name: str(value) for name, value in variables.items()}}
        processes.append(subprocess.Popen(program, env=environment))
    return max(process.wait() != 0 for process in processes)


if __name__ == "__main__":
    sys.exit(main())
