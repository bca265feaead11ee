# SPDX-License-Identifier: Apache-2.0
"""Exceptions: one class for each status of rt.h, with the library's own sentence.

Classes that mean the same as one of Python's are that class, too: `except MemoryError` catches OutOfMemory.
"""

from typing import Dict, NoReturn, Optional, Type

from ._library import ffi, lib


class Error(Exception):
    """A call failed: `status` is the number, `name` its name in rt.h, `message` the sentence.

    `rank` is the rank that a communicator's failure is about, where there is one."""

    status = 0
    name = ""
    rank: Optional[int] = None

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class InvalidValue(Error, ValueError):
    """An argument is outside what the call documents."""


class InvalidHandle(Error):
    """An object was closed, or belongs to a context that was."""


class InvalidDevice(Error, LookupError):
    """There is no device of that number."""


class WrongContext(Error):
    """The objects of one call belong to different contexts."""


class OutOfMemory(Error, MemoryError):
    """Memory of the device, of the host, or within a pool's limit is used up."""


class NotSupported(Error):
    """The device, or this version, cannot do it."""


class NotFound(Error, LookupError):
    """There is no device, kernel or symbol of that name."""


class BuildFailed(Error):
    """The kernel compiler refused the source; the message has its log."""


class CompilerNotFound(Error):
    """The kernel compiler is not installed."""


class InvalidImage(Error):
    """A kernel image is damaged, or for another device."""


class LaunchFailed(Error, RuntimeError):
    """A kernel, copy or callback failed while it ran."""


class CaptureUnsafe(Error):
    """The call cannot be part of a capture."""


class CaptureInvalidated(Error):
    """The capture was broken earlier."""


class Busy(Error):
    """The object is in use, or the call would wait for itself."""


class Timeout(Error, TimeoutError):
    """The given time passed first."""


class DeviceLost(Error):
    """The device is gone for the rest of the process."""


class BackendUnavailable(Error):
    """The driver of the backend is missing or disabled."""


class Driver(Error):
    """The driver failed in a way that has no status of its own."""


class Forked(Error):
    """The process was forked after the first use of the library: start processes with "spawn"."""


class ShutDown(Error):
    """The library has ended."""


class IO(Error, OSError):
    """A file could not be read or written."""


class Internal(Error):
    """A defect of the library."""


def _number(error: Type[Error]) -> int:
    """The status that a class stands for: OutOfMemory is RT_ERROR_OUT_OF_MEMORY."""
    words = error.__name__ if error.__name__ == "IO" else "".join(
        "_" + letter if letter.isupper() and at else letter for at, letter in enumerate(error.__name__))
    error.name = "RT_ERROR_" + words.upper()
    error.status = getattr(lib, error.name)
    return error.status


BY_STATUS: Dict[int, Type[Error]] = {_number(error): error for error in Error.__subclasses__()}


def last_message() -> str:
    """The sentence of this thread's last failure, whole."""
    needed = ffi.new("size_t *")
    if lib.rtGetLastErrorMessage(ffi.NULL, 0, needed) < 0 or needed[0] <= 1:
        return ""
    buffer = ffi.new("char[]", needed[0])
    lib.rtGetLastErrorMessage(buffer, needed[0], ffi.NULL)
    return str(ffi.string(buffer).decode("utf-8", "replace"))


def error_of(status: int, message: str) -> Error:
    """The exception of a negative status. Without a message it has the general sentence of the status."""
    kind = BY_STATUS.get(status, Error)
    error = kind(message or ffi.string(lib.rtGetErrorString(status)).decode())
    if kind is Error:  # of a newer library
        error.status, error.name = status, ffi.string(lib.rtGetErrorName(status)).decode()
    return error


def raise_error(status: int) -> NoReturn:
    """Raises the exception of a negative status. Has to run on the thread that got it: the sentence is the thread's."""
    # A time-out leaves no sentence: the thread's last one is about another call.
    raise error_of(status, "" if status == lib.RT_ERROR_TIMEOUT else last_message())


def check(status: int) -> int:
    """The status of a call if it is no failure; else raises its exception."""
    if status < 0:
        raise_error(status)
    return status
