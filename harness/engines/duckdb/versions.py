"""Calls that differ between releases of DuckDB, as source text of adapter and script."""

from __future__ import annotations

import re

from harness.engines.scripts.request import is_before

PARAMETERS = (0, 9)  # the first release whose `sql` takes parameters
OPTIMIZERS = (0, 10)  # the first one that lists the passes of its optimizer
UNLISTED = ("filter_pushdown", "statistics_propagation")  # passes of those before
_DAYS = re.compile(r"make_date\((\$p[0-9]+::INTEGER)\)")
_MICROS = re.compile(r"make_timestamp\((\$p[0-9]+::BIGINT)\)")
_OF_DAYS, _OF_MICROS = (1, 2), (0, 9)  # the first releases whose functions take these counts


def of_version(text: str, version: str) -> str:
    """Return a statement with sums where `make_date` or `make_timestamp` of a version takes no count."""
    if is_before(version, *_OF_MICROS):
        text = _MICROS.sub(r"(TIMESTAMP '1970-01-01' + to_microseconds(\1))", text)
    return _DAYS.sub(r"(DATE '1970-01-01' + \1)", text) if is_before(version, *_OF_DAYS) else text


def summed_days(text: str, version: str) -> list[str]:
    """Return the parameters that a statement adds to a date: a sum ends before the greatest date."""
    names = (name[1:].partition(":")[0] for name in _DAYS.findall(text))
    return list(names) if is_before(version, *_OF_DAYS) else []
