"""Whose code raised an exception: an adapter, an engine's binding for Python, or the engine itself.

A Python exception for a programming error is not due to the file if the code is ours, or if the binding of
this version does not accept the adapter's arguments. Standard library only, Python 3.9.
"""

from __future__ import annotations

import os
import re
from types import FrameType, TracebackType

from harness.children.protocol import ADAPTER, BINDING
from harness.engines.panics import is_out_of_range

ENGINE = ""

# Of these classes themselves: a library's own class that derives from them is an error that is meant.
_MISTAKES = (
    *(TypeError, AttributeError, ImportError, ModuleNotFoundError, NameError, UnboundLocalError),
    *(IndexError, KeyError, OverflowError, AssertionError, ZeroDivisionError),
)
QUERY_TEXT = "<query>"  # the file name of source text that an adapter evaluates
_OURS = ("harness", "corpora")
_STANDARD_LIBRARY = os.path.join(os.path.dirname(os.__file__), "")
_INSTALLED = ("site-packages", "dist-packages")
# What Python says of a call whose arguments do not fit. Compiled code says so in a frame of its own.
_ARGUMENTS = re.compile(r"(?:\w+\.)*(\w+)\(\) (?:got (?:an unexpected|multiple|some)|takes|missing|needs) ")
_MARK = "raised_by_engine"


class EngineCall:
    """A block that calls an engine's compiled code with arguments that cannot be wrong.

    Compiled code has no frames: what it raises seems to be raised by the adapter's line. In this block it is
    the engine's, such as pyorc's TypeError for a map whose keys are lists; what Python code that the engine
    calls raises (a converter's) is not.
    """

    def __enter__(self) -> None:
        """Begin the block."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Mark an exception that was raised in the block's own frame; lets it pass."""
        if type(error) in _MISTAKES and traceback is not None and traceback.tb_next is None:
            setattr(error, _MARK, True)


def origin(error: BaseException, *, in_python: bool) -> str:
    """Return whose Python code has a mistake: ADAPTER, BINDING, or ENGINE for all other exceptions.

    The innermost frame decides, beside those of the standard library, which does what it is called for, and
    those of compiled calls that do not take their arguments.
    `in_python`: the engine itself is written in Python, so that a frame of a library is the engine's.
    """
    if type(error) not in _MISTAKES or hasattr(error, _MARK) or is_out_of_range(error):
        return ENGINE
    frames = []
    traceback = error.__traceback__
    while traceback is not None:
        frames.append(traceback.tb_frame)
        traceback = traceback.tb_next
    frame = next((frame for frame in reversed(frames) if not _is_standard(frame)), None)
    if frame is None:
        return ENGINE
    before = frames[frames.index(frame) - 1] if frames.index(frame) else None
    if _is_ours(frame) or (before and _is_ours(before) and _refuses_arguments(frame, error)):
        return ADAPTER
    return ENGINE if in_python else BINDING


def _refuses_arguments(frame: FrameType, error: BaseException) -> bool:
    """Return whether a frame is that of a call whose arguments do not fit: the caller's mistake."""
    match = _ARGUMENTS.match(str(error)) if type(error) is TypeError else None
    return match is not None and match[1] == frame.f_code.co_name.rpartition(".")[2]


def _is_ours(frame: FrameType) -> bool:
    package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    return package in _OURS or frame.f_code.co_filename == QUERY_TEXT


def _is_standard(frame: FrameType) -> bool:
    file = frame.f_code.co_filename
    if file.startswith("<frozen "):  # as importlib's
        return True
    return file.startswith(_STANDARD_LIBRARY) and not any(name in file for name in _INSTALLED)
