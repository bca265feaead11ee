# SPDX-License-Identifier: Apache-2.0
"""Starts the command manyrt that is inside a wheel."""

import os
import sys


def main() -> None:
    """Becomes the command: signals, standard streams and the exit status are its own."""
    program = os.path.join(os.path.dirname(os.path.realpath(__file__)), "bin", "manyrt")
    try:
        os.execv(program, ["manyrt", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"manyrt: the command of the wheel cannot be started: {error}.")
