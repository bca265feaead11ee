#!/usr/bin/env python3
"""Kills one of three processes in the middle of their all-reduces. Usage: killed.py MPIRUN PROGRAM [TIMES [SEED]]

Each time after another while and with another size, so that it dies in a meeting, within a collective or between two. Both
survivors must be told which rank is missing, and exit. Needs a mpirun that lets the others live: Open MPI's --enable-recovery.
"""
import random
import re
import subprocess
import sys

TOLD = re.compile(r'^rank ([01]), [\d.]+ s: Rank 2 of "world" did not (come to|end) collective \d+ within 0.3 s', re.MULTILINE)
MOST_SECONDS = 60


def main():
    mpirun, program = sys.argv[1:3]
    times = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(2**31)
    print(f"seed {seed}")
    chance = random.Random(seed)
    where = {"come to": 0, "end": 0}
    for number in range(times):
        life, size = chance.randrange(60000), 4 << chance.randrange(19)
        words = [mpirun, "--allow-run-as-root", "--oversubscribe", "--enable-recovery", "-n", "3", program, str(life),
                 str(size)]
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=MOST_SECONDS, check=False)
        except subprocess.TimeoutExpired as hangs:
            print(f"{number}: {life} us, {size} bytes: hangs\n{hangs.stdout}\n{hangs.stderr}")
            return 1
        told = TOLD.findall(done.stdout)
        if sorted(rank for rank, _ in told) != ["0", "1"]:
            print(f"{number}: {life} us, {size} bytes: ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
            return 1
        for _, verb in told:
            where[verb] += 1
    print(f"{times} times: both survivors were told, {where['come to']} in a meeting and {where['end']} after it")
    return 0


if __name__ == "__main__":
    sys.exit(main())
