"""Exceptions that are no clean refusal: the engine's own code failed. Standard library only, Python 3.9.

A panic of Rust, and what Python raises where code has a mistake: an engine that ends so has not decided that
the file is wrong.
"""

from __future__ import annotations

import linecache
import re
from types import TracebackType

# Python raises these itself, for a mistake of the code that it executes.
_MISTAKES = (
    *(TypeError, IndexError, KeyError, AttributeError, NameError, UnboundLocalError),
    *(AssertionError, ZeroDivisionError, SystemError),
)
_RUST_CLASS = "PanicException"  # of PyO3; Polars has it as polars.exceptions.PanicException
# https://doc.rust-lang.org/std/macro.panic.html: "thread 'main' panicked at src/main.rs:2:5"; of tokio, a
# JoinError says "task 5 panicked".
_RUST_TEXT = re.compile(r"\bpanicked at\b|\btask \d+ panicked\b|\bpanicked with message\b")
# What libstdc++ says in std::out_of_range, which pybind11 raises as an IndexError; `_Map_base` is what its
# older releases call unordered_map.
_OUT_OF_RANGE = re.compile(r"(?:unordered_map|_Map_base|map|vector|deque|array|basic_string)::")


def is_panic(error: BaseException, package: str) -> bool:
    """Return whether an exception is a failure of the engine's own code; `package` is that of the engine."""
    if type(error).__name__ == _RUST_CLASS or _RUST_TEXT.search(str(error)):
        return True
    if is_out_of_range(error):
        return True
    return type(error) in _MISTAKES and bool(package) and _is_unmeant(error.__traceback__, package)


def is_out_of_range(error: BaseException) -> bool:
    """Return whether an exception is a std::out_of_range of C++."""
    return type(error) is IndexError and _OUT_OF_RANGE.match(str(error)) is not None


def _is_unmeant(traceback: TracebackType | None, package: str) -> bool:
    """Return whether the innermost frame is in a package, and has no `raise`, which would be meant."""
    if traceback is None:
        return False
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    frame = traceback.tb_frame
    module = str(frame.f_globals.get("__name__", ""))
    if module.partition(".")[0] != package:
        return False
    line = linecache.getline(frame.f_code.co_filename, traceback.tb_lineno, frame.f_globals)
    return not line.lstrip().startswith("raise ")
