"""Shared parts of engines built on ORC C++: numbers of columns, and words for features that it lacks.

Of a table, the root is column 0 and every type below it follows in preorder.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any

from corpora.tagged import NANOSECONDS, Field, Table, Type, timestamp
from harness.engines.scripts.writing import SMALL
from harness.engines.writer_options import changed

_LACKS = re.compile(
    r"not (?:yet )?implemented|unsupported|unknown (?:compression codec|batch type|(?:orc )?type kind)"
    r"|exceeds Arrow union limit",
    re.IGNORECASE,
)
_UNKNOWN_CODEC = "unknown compression type"


def lacks(text: str, release: str, first_of_orc_2: tuple[int, int]) -> bool:
    """Return whether a message of ORC C++ says that it lacks something; `release` is the engine's.

    Before ORC C++ 2.0, an unknown compression type is Brotli. Since then it is a field `compression` that is
    left out, whose default is NONE (orc_proto.proto): a refusal.
    """
    numbers = [int(number) for number in re.findall(r"[0-9]+", release)[:2]]
    is_old = tuple(numbers) < first_of_orc_2
    return bool(_LACKS.search(text)) or (is_old and _UNKNOWN_CODEC in text.lower())


def flat_columns(fields: Iterable[Field]) -> list[int]:
    """Return the numbers of the columns of a table that have no columns below them."""
    result, number = [], 1
    for field in fields:
        if not field.type.children:
            result.append(number)
        number += _columns(field.type)
    return result


def numbers_of(fields: Iterable[Field], names: Collection[str]) -> list[int]:
    """Return the numbers of the columns of these names."""
    result, number = [], 1
    for field in fields:
        if field.name in names:
            result.append(number)
        number += _columns(field.type)
    return result


def in_nanoseconds(table: Table) -> Table:
    """Return a table with timestamps in nanoseconds, which ORC's are (ORCv1.md, Timestamp Columns)."""

    def change(type_: Type) -> Any:
        if type_.kind != "timestamp":
            return None
        scale = NANOSECONDS[str(type_.unit)]
        return timestamp("ns", utc=bool(type_.utc)), lambda value: str(int(value) * scale)

    return changed(table, change)


def orc_options(table: Table, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of ORC C++ for the size of stripes, the stride of row indexes, and Bloom filters.

    A stripe ends where a batch does, once it has the bytes of `stripe_size`.
    """
    result: dict[str, Any] = {}
    if options.get("row_group_rows"):
        result.update(batch_size=options["row_group_rows"], stripe_size=1)
    if options.get("indexed"):
        result.update(row_index_stride=SMALL, bloom_filter_columns=flat_columns(table.columns))
    return result


def _columns(type_: Type) -> int:
    return 1 + sum(_columns(child.type) for child in type_.children)
