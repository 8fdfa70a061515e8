"""Errors of Spark: the root cause's class and message instead of two hundred lines of stack."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

_DEPTH = 20
_LINE = 600
_JVM_GONE = 70
CONDITION = re.compile(r"\[([A-Z][A-Z0-9_]+(?:\.[A-Z0-9_]+)*)\]")
# Spark's error conditions for what it has no reader or writer for:
# https://spark.apache.org/docs/latest/sql-error-conditions.html
_UNSUPPORTED = re.compile(
    r"PARQUET_TYPE_(ILLEGAL|NOT_SUPPORTED|NOT_RECOGNIZED)|UNSUPPORTED_|NOT_IMPLEMENTED|FEATURE_NOT_ENABLED"
    r"|UNKNOWN_PRIMITIVE_TYPE_IN_VARIANT"
    r"|DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION"  # "The precision can be up to 38": DecimalType's page
    r"|COLUMN_ALREADY_EXISTS"  # names differ, without regard to case: sql-ref-identifier.html
)
# What it says instead of a condition where it has no type for one of ORC's, does not bring a codec's library,
# or is to answer aggregates from statistics that are not there ("exception would be thrown", says the page of
# spark.sql.orc.aggregatePushdown); and what versions before 4.0 said without their conditions.
_LACKS = re.compile(
    r"\b(?:uniontype<|geometry\(|geography\()|brotli4j|\.BrotliCodec\b"
    r"|Unknown type (?:TIMESTAMP_INSTANT|GEOMETRY|GEOGRAPHY)"
    r"|No enum constant org\.apache\.parquet\.hadoop\.metadata\.CompressionCodecName\."
    r"|consider disabling ORC aggregate push down|getMinMaxFromColumnStatistics should not take"
    r"|\b(?:Illegal Parquet type|Parquet type not (?:yet )?supported|Unrecognized Parquet type): "
    r"|\bUnsupported encoding: "
)
_UNSUPPORTED_CLASSES = (
    "java.lang.ClassNotFoundException",  # of a codec that Spark does not bring (Brotli, LZO)
    "org.apache.spark.SparkUnsupportedOperationException",
)
_NOT_THERE = frozenset(
    f"java.lang.{name}"
    for name in (
        "ClassNotFoundException",
        "NoClassDefFoundError",
        "NoSuchFieldException",
        "NoSuchMethodException",
        "NoSuchMethodError",
    )
)
# "Thrown to indicate some unexpected internal error has occurred in the Java Virtual Machine" (java.lang).
_PANICS = ("java.lang.InternalError",)
_MEMORY_CLASSES = ("java.lang.OutOfMemoryError", "org.apache.spark.memory.SparkOutOfMemoryError")


class SparkError(Exception):
    """An error of Spark; shown under the name of the Java class at its root. `kind` is the protocol's."""

    kind = "refused"


@contextmanager
def translated(session: Any, links: Mapping[str, str]) -> Iterator[None]:
    """Raise SparkError for what Spark raises inside, with the files' own names for those of `links`.

    If the JVM is gone, so is this process: that is a crash, not an answer.
    """
    try:
        yield
    except Exception as error:
        java = _java_error(error)
        if java is None:
            die_if_gone(session)
            condition = getattr(error, "getErrorClass", lambda: "")() or ""
            text = getattr(error, "desc", None)  # of 3.2, which keeps no more of the Java error
            if not condition and not text:
                raise
            message = f"[{condition}] {error}" if condition else str(text)
            chain = [(f"pyspark.errors.{type(error).__name__}", message)]
        else:
            chain = _causes(java)
        raise _error(chain, links) from None


def die_if_gone(session: Any) -> None:
    """End this process if its JVM does not answer."""
    try:
        session.sparkContext._jvm.java.lang.System.nanoTime()
    except Exception as error:  # noqa: BLE001 - whatever is wrong, it does not answer
        print(f"the JVM is gone: {error}", file=sys.stderr, flush=True)
        os._exit(_JVM_GONE)


def lacks_class(error: BaseException) -> bool:
    """Return whether an error says that this Spark has no class, method or field of a name.

    py4j takes the name of a class that is not there for that of a package.
    """
    java = _java_error(error)
    if java is None:
        return isinstance(error, TypeError) and "'JavaPackage' object" in str(error)
    return any(name in _NOT_THERE for name, _ in _causes(java))


def _java_error(error: BaseException) -> Any:
    return getattr(error, "_origin", None) or getattr(error, "java_exception", None)


def _causes(java: Any) -> list[tuple[str, str]]:
    """Return class and message of an error and its causes, the outermost first."""
    chain: list[tuple[str, str]] = []
    while java is not None and len(chain) < _DEPTH:
        chain.append((str(java.getClass().getName()), str(java.getMessage() or "")))
        java = java.getCause()
    return chain


def _error(chain: list[tuple[str, str]], links: Mapping[str, str]) -> SparkError:
    """Return an exception whose class has the name of the root cause's, and whose text is first lines."""
    root, _ = chain[-1]
    description: list[str] = []
    for _, message in chain:
        line = message.strip().partition("\n")[0][:_LINE]
        if line and not line.startswith("Exception thrown in awaitResult"):
            description += [line] if not description or description[-1] not in line else []
    text = " | caused by: ".join(description) or root
    for link, file in links.items():
        text = file.join(re.split(rf"(?:file:(?://)?)?{re.escape(link)}", text))
    module, _, name = root.rpartition(".")
    cls = type(name, (SparkError,), {"__module__": module, "kind": _kind(chain)})
    error: SparkError = cls(text)
    return error


def _kind(chain: list[tuple[str, str]]) -> str:
    classes = [name for name, _ in chain]
    if any(name in _PANICS for name in classes):
        return "panicked"
    if any(name in _MEMORY_CLASSES for name in classes):
        return "out_of_memory"
    conditions = [condition for _, message in chain for condition in CONDITION.findall(message)]
    lacking = any(_UNSUPPORTED.match(condition) for condition in conditions)
    lacking = lacking or any(_LACKS.search(message) for _, message in chain)
    return "unsupported" if lacking or classes[-1] in _UNSUPPORTED_CLASSES else "refused"
