"""What the engines that are built on ORC C++ share: numbers of columns, and words for what it lacks.

Of a table, the root is column 0 and every type below it follows in preorder.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from corpora.tagged import Field, Type

LACKS = re.compile(
    r"not (?:yet )?implemented|unsupported|unknown (?:compression codec|batch type|orc type kind)"
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


def _columns(type_: Type) -> int:
    return 1 + sum(_columns(child.type) for child in type_.children)
