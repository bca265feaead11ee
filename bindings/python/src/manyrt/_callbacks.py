# SPDX-License-Identifier: Apache-2.0
"""Python functions that the library calls: host functions of streams, log lines, and the end of borrowed memory.

The C side sees one function and a number; the number finds the Python function here, so that no object has to live until C
has forgotten it. An exception cannot pass through C: it goes to threading.excepthook, which prints it unless it was replaced.
"""

import itertools
import sys
import threading
from typing import Any, Callable, Dict, Optional, Tuple

from ._library import NULL, ffi, lib
from ._object import choice, utf8
from .errors import Error, InvalidValue, check

HostFunction = Callable[[], object]
LogFunction = Callable[[int, str], object]

_numbers = itertools.count(1)
_functions: Dict[int, Tuple[HostFunction, Optional[Callable[[int], object]]]] = {}


def report() -> None:
    """Hands the exception at hand to threading.excepthook."""
    kind, error, trace = sys.exc_info()
    if kind is not None:
        threading.excepthook(threading.ExceptHookArgs((kind, error, trace, None)))


def _invoke(user: Any, status: int) -> None:
    function, on_failure = _functions[int(ffi.cast("uintptr_t", user))]
    try:
        if status >= 0:
            function()
        elif on_failure is not None:
            on_failure(status)
    except BaseException:  # pylint: disable=broad-except
        report()


def _forget(user: Any) -> None:
    _functions.pop(int(ffi.cast("uintptr_t", user)), None)


_invoke_from_c = ffi.callback("rtHostFunction_t", _invoke)
_forget_from_c = ffi.callback("rtReleaseFunction_t", _forget)


def host_node(function: HostFunction, on_failure: Optional[Callable[[int], object]], add: Callable[[Any], Any]) -> Any:
    """What add() gives for the rtGraphHostParams_t of a Python function, which is kept until its graph and execs are gone."""
    number = next(_numbers)
    _functions[number] = (function, on_failure)
    params = ffi.new("rtGraphHostParams_t *", {
        "struct_size": ffi.sizeof("rtGraphHostParams_t"), "function": _invoke_from_c, "user": ffi.cast("void *", number),
        "release": _forget_from_c})
    try:
        return add(params)
    except Error:
        _functions.pop(number, None)
        raise


def launch(function: HostFunction, on_failure: Optional[Callable[[int], object]], stream: Any) -> None:
    """rtLaunchHostFunction of a Python function, which is kept until its last call: a captured one with its last exec."""
    number = next(_numbers)
    _functions[number] = (function, on_failure)
    try:
        check(lib.rtLaunchHostFunctionWithRelease(_invoke_from_c, ffi.cast("void *", number), _forget_from_c, stream))
    except Error:
        _functions.pop(number, None)
        raise


# Threads that wait until the driver has what a stream was given.
_waiting: Dict[int, threading.Event] = {}


def _nothing(native: Any, user: Any) -> int:  # pylint: disable=unused-argument
    return 0


def _passed(user: Any) -> None:
    passed = _waiting.pop(int(ffi.cast("uintptr_t", user)), None)
    if passed is not None:
        passed.set()


_nothing_from_c = ffi.callback("rtNativeFunction_t", _nothing)
_passed_from_c = ffi.callback("rtReleaseFunction_t", _passed)


def wait_until_submitted(stream: Any) -> None:
    """Waits until the driver has all that the stream has been given, also what was held back after a fence or a host function.

    Other libraries see the driver's stream alone: what comes to that later is then after it. Mostly there is no wait."""
    number, passed = next(_numbers), threading.Event()
    _waiting[number] = passed
    try:
        check(lib.rtStreamLaunchNativeWithRelease(_nothing_from_c, ffi.cast("void *", number), _passed_from_c, stream))
        passed.wait()
    finally:
        _waiting.pop(number, None)  # after a refusal, or an exception that ended the wait


_log_function: Optional[LogFunction] = None


def _log(level: int, message: Any, user: Any) -> None:  # pylint: disable=unused-argument
    function = _log_function
    if function is None:
        return
    try:
        function(level, ffi.string(message).decode("utf-8", "replace"))
    except BaseException:  # pylint: disable=broad-except
        report()


_log_from_c = ffi.callback("rtLogCallback_t", _log)
LEVELS = {"none": lib.RT_LOG_NONE, "error": lib.RT_LOG_ERROR, "warning": lib.RT_LOG_WARNING, "info": lib.RT_LOG_INFO,
          "debug": lib.RT_LOG_DEBUG}


def set_log(function: Optional[LogFunction], level: str = "warning") -> None:
    """Sends the library's log lines up to a level ("error" to "debug") to function(level, line), on any thread.

    None sends them to stderr again. May wait while another thread is inside the earlier function; inside it is Busy."""
    global _log_function  # pylint: disable=global-statement
    if level not in LEVELS:
        raise InvalidValue(f"'{level}' is no log level; there are {', '.join(LEVELS)}")
    earlier, _log_function = _log_function, function
    try:
        check(lib.rtSetLogCallback(NULL if function is None else _log_from_c, NULL, LEVELS[level]))
    except Error:  # inside a log function it is Busy, and the function that is running stays
        _log_function = earlier
        raise


def write_log(line: str, level: str = "warning") -> None:
    """Writes a line to the library's log, for packages that are built on this one. It goes where set_log() says."""
    check(lib.rtLogWrite(choice(level, LEVELS, "log level"), utf8(line, "a line of the log")))
