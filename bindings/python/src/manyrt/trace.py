# SPDX-License-Identifier: Apache-2.0
"""The trace: a timeline for a part of a program, ranges and marks of a thread."""

from __future__ import annotations

import contextlib
import os
from typing import Iterator, Union

from . import _library
from ._library import lib
from .errors import check


def start_trace(file: Union[str, os.PathLike[str]]) -> None:
    """Begins a timeline in Chrome's trace format, which Perfetto opens. Streams and graphs may be older."""
    _library.start()
    check(lib.rtTraceStart(os.fsencode(file)))


def stop_trace() -> None:
    """Ends the timeline; its file is complete then. Work that is not over is not in it: wait for it first."""
    check(lib.rtTraceStop())


@contextlib.contextmanager
def trace(file: Union[str, os.PathLike[str]]) -> Iterator[None]:
    """A timeline of what runs inside: `with manyrt.trace("step.json"):`."""
    start_trace(file)
    try:
        yield
    finally:
        stop_trace()


@contextlib.contextmanager
def trace_range(name: str) -> Iterator[None]:
    """A range of this thread in timelines, and in tools for NVTX: `with manyrt.trace_range("step"):`. Ranges nest."""
    check(lib.rtTraceRangePush(name.encode()))
    try:
        yield
    finally:
        check(lib.rtTraceRangePop())


def trace_mark(name: str) -> None:
    """Puts a mark at this moment of this thread."""
    check(lib.rtTraceMark(name.encode()))
