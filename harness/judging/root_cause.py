"""The innermost cause in the text of an error: what libraries wrap around it is the same for every cause."""

from __future__ import annotations

import re
from collections.abc import Iterable

CAUSE = "| caused by: "  # how the adapter of Spark joins the messages of a chain of Java's exceptions
_DEPTH = 20
_JAVA = re.compile(r"(?:^|\n)\s*Caused by: ")  # of Throwable.printStackTrace

# What Rust's runtime, tokio, Polars and DataFusion wrap around a panic, and DuckDB around an error: the group
# is what was wrapped. A text in quotes is as `{:?}` of Rust has it.
_WRAPPERS = (
    # std, of Result::unwrap
    re.compile(r"called `Result::\w+\(\)` on an `Err` value: (?P<inner>.+)", re.DOTALL),
    # tokio: JoinError, by Debug and by Display
    re.compile(r'(?:.*\b)?JoinError::Panic\(Id\(\d+\), "(?P<quoted>.*)", \.\.\.\)', re.DOTALL),
    re.compile(r'.*\btask \d+ panicked with message "(?P<quoted>.*)"', re.DOTALL),
    # std: the default hook names the place, then the message
    re.compile(r"(?:.*\b)?thread '[^']*' (?:\(\d+\) )?panicked at [^\n]*:\d+:\d+:\n(?P<inner>.+)", re.DOTALL),
    # polars_error: a variant of PolarsError around a text
    re.compile(r'\w+\(ErrString\("(?P<quoted>.*)"\)\)', re.DOTALL),
    # datafusion_common: the kinds of DataFusionError by Display, outermost first
    re.compile(
        r"(?:DataFusion error: |External error: |Join Error\s+caused by\s+|ArrowError: )(?P<inner>.+)",
        re.DOTALL,
    ),
    # duckdb: what failed while a result was fetched, or before
    re.compile(r".*unsuccessful query result\s*: Error (?P<inner>.+)", re.DOTALL),
    re.compile(r".*unsuccessful or closed pending query result\s*Error: (?P<inner>.+)", re.DOTALL),
)
# Hyper: the file, what was being read, on a line each, advice, and a number of the place in its own code.
_HYPER = re.compile(
    r"error while reading Parquet file: Error in [^\n]*\n(?P<chain>(?:[ \t]+[^\n]*(?:\n|$))+)"
)
# ClickHouse: what it was doing, an error in it, then the stage, the column, the file, the error's name.
_CLICKHOUSE = re.compile(
    r"Code: \d+\. DB::Exception: "
    r"(?:The table structure cannot be extracted from an? \w+ format file\. Error:\s*"
    r"(?:Code: \d+\. DB::Exception: )?)?"
    r"(?P<inner>.+?)"
    r"(?:: read stage: |: SchemaElement\(|:? \((?:in file|version )"
    r"|:? \([A-Z_]+\)(?=\s*(?:\(version|\n|$))|$)",
    re.DOTALL,
)
_PLACES = re.compile(r"Error while decoding row group|Decompressing compressed page|\(compressed region")
_COLUMN = re.compile(r"\b(column|columns named) (?:\"[^\"]*\"|'[^']*'|.+?)(?= in rowgroup| has |\.$)")
_ESCAPED = re.compile(r'\\([\\"\'nrt0])')
_PLAIN = {"n": "\n", "r": "\r", "t": "\t", "0": "\0"}


# Standard error of a process that Rust's runtime ends because a panic may pass no further.
_PANIC = re.compile(r"\bpanicked at [^\n]*:\d+:\d+:\n([^\n]+)")
# That of a process that Arrow C++ ends because a check of its own failed, perhaps of a status.
_CHECK = re.compile(r"\bCheck failed: ([^\n]+)(?:\nBad status: ([^\n]+))?")
_NO_FURTHER = "panic in a function that cannot unwind"


def panic_in(stderr: str) -> str:
    """Return the panic or failed check that a process ended with by its standard error, "" without one."""
    check = _CHECK.search(stderr)
    if check:
        return f"Check failed: {check[2] or check[1]}"
    return next((text for text in _PANIC.findall(stderr) if text.strip() != _NO_FURTHER), "")


def root_cause(message: str) -> str:
    """Return the innermost cause that a message names, the message itself if it wraps none."""
    message = _JAVA.split(message.rpartition(CAUSE)[2])[-1]
    for _ in range(_DEPTH):
        inner = _unwrapped(message.strip(), _WRAPPERS)
        if not inner.strip():
            break
        message = inner
    return _of_hyper(message) or _of_clickhouse(message) or message


def _of_clickhouse(message: str) -> str:
    """Return the error that ClickHouse names, without text from the file; "" for other messages."""
    match = _CLICKHOUSE.match(message)
    return f"DB::Exception: {match['inner'].strip()}" if match else ""


def _of_hyper(message: str) -> str:
    """Return the causes that Hyper names, on one line without chunks and columns, "" of another's message."""
    match = _HYPER.match(message)
    lines = [line.strip().rstrip(":") for line in match["chain"].splitlines()] if match else []
    return _COLUMN.sub(r"\1 <name>", ": ".join(line for line in lines if not _PLACES.match(line)))


def _unwrapped(message: str, wrappers: Iterable[re.Pattern[str]]) -> str:
    """Return the text inside the first matching wrapper, "" if none matches."""
    for wrapper in wrappers:
        match = wrapper.fullmatch(message)
        if match:
            held = match.groupdict()
            quoted = held.get("quoted")
            return held["inner"] if quoted is None else _ESCAPED.sub(_character, quoted)
    return ""


def _character(match: re.Match[str]) -> str:
    return _PLAIN.get(match[1], match[1])
