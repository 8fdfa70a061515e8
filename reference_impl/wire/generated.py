"""Decoders that are generated as Python source from tables, as those of `dataclasses`.

Reading field by field from a table costs a look-up and a call for each field, and a footer has thousands. A
generated decoder states the fields of one struct one after the other. It reads what is usual, and gives up on
the rest (Unusual), which a strict reader then reads from the beginning: nothing is defined here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from reference_impl.wire.table import Row, Struct, Table, table_of

Names = dict[str, Any]  # what the source of a decoder refers to
Source = Callable[[Table, Names], Iterator[str]]  # yields the lines of `def decode(…)`, and adds to the names


class Unusual(Exception):  # noqa: N818 - no error: the strict reader decides what the bytes are
    """The bytes are not what a generated decoder knows."""


def function_of(cls: type[Struct], source: Source) -> Any:
    """Return the function `decode` that the lines of a source define."""
    names: Names = {"Unusual": Unusual, "new": object.__new__, "cls": cls}
    text = "\n".join(source(table_of(cls), names))
    code = compile(text, f"<decoder of {cls.__name__}>", "exec")
    exec(code, names)  # noqa: S102 - the source follows from our own tables alone
    return names["decode"]


def instance(rows: Iterable[Row], begin: str, end: str) -> Iterator[str]:
    """Yield the lines that make `value`, an instance of `cls`, of the variables v1, v2, … by field id."""
    yield "    value = new(cls)"
    for row in rows:
        yield f"    value.{row.name} = v{row.id}"
    yield f"    value.span = (base + {begin}, base + {end})"
    yield "    value.field_spans = None"
    yield "    value.unknown = ()"
