#!/usr/bin/env python3
"""digits_parallel over eight hosts of SimGrid's SMPI. Usage: simulated.py SMPIRUN PROGRAMS_FOLDER SCRIPTS_FOLDER

The ranks must end with one hash, and be told apart where they train apart; all-reduces of scale_all_reduce must be right and
take the time of the model; a communicator of many ranks is made and split in little simulated time. Ranks on hosts that the
platform does not have, and a rank that fails, end with a failure."""
import math
import pathlib
import re
import sys
import tempfile

RANKS = 8
MANY = 256
TRAINING = ["--epochs", "2", "--images", "200", "--no-threshold"]


def fail(text, done):
    print(f"{text}\nended with {done.returncode}\n{done.stdout}\n{done.stderr}")
    sys.exit(1)


def main():
    smpirun, programs, scripts = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    sys.path.insert(0, scripts)
    import smpi  # pylint: disable=import-outside-toplevel
    digits, all_reduce = str(programs / "digits_parallel"), str(programs / "scale_all_reduce")
    with tempfile.TemporaryDirectory() as folder:
        done = smpi.run(smpirun, folder, RANKS, [digits, *TRAINING])
        hashes = re.findall(r"\b[0-9a-f]{16}\b", done.stdout)
        if done.returncode != 0 or len(hashes) != RANKS or len(set(hashes)) != 1:
            fail("The ranks should have one hash.", done)

        done = smpi.run(smpirun, folder, RANKS, [digits, *TRAINING, "--apart"])
        if done.returncode == 0 or "OTHER WEIGHTS" not in done.stdout:
            fail("Ranks that train apart should be told.", done)

        done = smpi.run(smpirun, folder, RANKS, [all_reduce, "8192"], ["smpi/allreduce:rdb"])
        model = math.log2(RANKS) * (2 * smpi.LINK_SECONDS + 8192 / smpi.LINK_BYTES_PER_SECOND)
        line = re.search(r"^8192 (\S+)$", done.stdout, re.MULTILINE)
        if done.returncode != 0 or line is None or not 0.99 < float(line[1]) / model < 1.01:
            fail(f"An all-reduce of 8 KiB by recursive doubling should take {model} s.", done)

        done = smpi.run(smpirun, folder, MANY, [str(programs / "scale_create")])
        seconds = re.search(r"^create (\S+)$", done.stdout, re.MULTILINE)
        if done.returncode != 0 or "wrong 0" not in done.stdout or seconds is None or float(seconds[1]) > 1e-3:
            fail(f"A communicator of {MANY} ranks and its parts should be right, and made in less than a millisecond.", done)

        platform, hostfile = smpi.write_cluster(folder, RANKS // 2, listed=RANKS)
        done = smpi.run(smpirun, folder, RANKS, [digits, *TRAINING], platform=platform, hostfile=hostfile)
        if done.returncode == 0 or f"host{RANKS // 2}" not in done.stdout + done.stderr:
            fail("A platform with fewer hosts than the host file lists should be refused.", done)

        done = smpi.run(smpirun, folder, RANKS, [digits, *TRAINING, "--data", str(pathlib.Path(folder) / "none.csv")])
        if done.returncode == 0:
            fail("A rank without data should fail the run.", done)
    print(f"{RANKS} simulated ranks have the hash {hashes[0]}")


if __name__ == "__main__":
    main()
