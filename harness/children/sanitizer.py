"""Reports of sanitizers (AddressSanitizer and its relatives) on the standard error of a child that died.

A build with a sanitizer is an engine as any other. Its report says what kind of mistake it was, and in which
function, so that crashes of different causes are different findings; the form of reports:
https://github.com/google/sanitizers/wiki/AddressSanitizer. The last line of a report that counts is
`SUMMARY: AddressSanitizer: heap-buffer-overflow file.cc:2:7 in decode`, its place with or without a column.
"""

from __future__ import annotations

import re
from typing import NamedTuple

# Options of sanitizers, which every engine is given, foreign ones, too.
VARIABLES = (
    *("ASAN_OPTIONS", "ASAN_SYMBOLIZER_PATH", "UBSAN_OPTIONS", "LSAN_OPTIONS"),
    *("MSAN_OPTIONS", "MSAN_SYMBOLIZER_PATH", "TSAN_OPTIONS"),
)
_SUMMARY = re.compile(r"^SUMMARY: (?P<tool>\w*Sanitizer): (?P<what>.+)$", re.MULTILINE)
_ERROR = re.compile(r"^==\d+==\s?(?:ERROR|WARNING): (?P<tool>\w*Sanitizer): (?P<what>\S+)", re.MULTILINE)
# "data race file.cc:3:1 in f(int)": the kind, a place, and the function; place and function may be missing.
_WHERE = re.compile(
    r"(?P<kind>.+?)(?: (?P<place>[^\s()]+:\d+(?::\d+)?|\(.+\+0x[0-9a-f]+\)))?(?: in(?: (?P<function>.+))?)?"
)
_RUNTIME = re.compile(r"^(?P<place>\S+?):\d+:\d+: runtime error: (?P<what>.+)$", re.MULTILINE)
_UNDEFINED = "undefined-behavior"
_LONGEST = 200  # characters of a function's name, which templates make long


class Report(NamedTuple):
    """A report: the sanitizer, and a line on what happened and where, without addresses and line numbers."""

    tool: str
    message: str


def report(stderr: str) -> Report | None:
    """Return the last report on a standard error, or None if there is none."""
    summaries = list(_SUMMARY.finditer(stderr))
    if summaries:
        return Report(summaries[-1]["tool"], _message(summaries[-1]["what"], stderr))
    errors = list(_ERROR.finditer(stderr))  # the summary may be cut off, or be switched off
    return Report(errors[-1]["tool"], errors[-1]["what"]) if errors else None


def _message(what: str, stderr: str) -> str:
    where = _WHERE.fullmatch(what.strip())
    assert where is not None  # `kind` matches any text
    kind, function = where["kind"], where["function"]
    runtime = list(_RUNTIME.finditer(stderr))
    if kind == _UNDEFINED and runtime:  # which says nothing of what is undefined
        kind, function = runtime[-1]["what"], function or runtime[-1]["place"].rpartition("/")[2]
    if not function:
        place = (where["place"] or "").partition(":")[0]
        function = "" if place.startswith("(") else place.rpartition("/")[2]
    return f"{kind} in {_short(function)}" if function else kind


def _short(function: str) -> str:
    """Return a function without its parameters, which say nothing more."""
    name = function.partition("(")[0].strip()
    return (name or function)[:_LONGEST]
