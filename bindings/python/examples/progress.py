# SPDX-License-Identifier: Apache-2.0
"""A bar on stderr for long work, and a callback that moves it; used by the other examples."""

import sys
from types import TracebackType
from typing import Optional, Type


class Progress:
    """`with Progress("Rows", 100) as progress: progress(1)`; without a terminal it prints one line at the end."""

    WIDTH = 40

    def __init__(self, title: str, total: int) -> None:
        self.title, self.total, self.done = title, total, 0

    def __enter__(self) -> "Progress":
        return self

    def __call__(self, steps: int = 1) -> None:
        self.done += steps
        if sys.stderr.isatty():
            filled = self.WIDTH * self.done // max(1, self.total)
            print(f"\r{self.title} [{'#' * filled}{'.' * (self.WIDTH - filled)}] {self.done}/{self.total}", end="",
                  file=sys.stderr, flush=True)

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        print("" if sys.stderr.isatty() else f"{self.title}: {self.done} of {self.total}", file=sys.stderr)
