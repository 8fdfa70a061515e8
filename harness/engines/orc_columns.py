"""What the engines that are built on ORC C++ share: numbers of columns, and words for what it lacks.

Of a table, the root is column 0 and every type below it follows in preorder.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from corpora.tagged import Field, Table, Type
from harness.engines.scripts.writing import SMALL

LACKS = re.compile(
    r"not (?:yet )?implemented|unsupported"
    r"|unknown (?:compression (?:codec|type)|batch type|(?:orc )?type kind)"
    r"|exceeds Arrow union limit",
    re.IGNORECASE,
)


def flat_columns(fields: Iterable[Field]) -> list[int]:
    """Return the numbers of the columns of a table that have no columns below them."""
    result, number = [], 1
    for field in fields:
        if not field.type.children:
            result.append(number)
        number += _columns(field.type)
    return result


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
