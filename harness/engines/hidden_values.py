"""Values behind nulls of nested columns, in a table of Arrow that a writer is given.

A null struct may have fields that are not null, and a null list a range of items: "a null value may
correspond to a non-empty segment in the child array" (https://arrow.apache.org/docs/format/Columnar.html).
They are no part of the table. The builder of our tables leaves none, other libraries do. Standard library
only, Python 3.9.
"""

from __future__ import annotations

from corpora.tagged import Table, Type
from harness.engines.writer_options import Chosen, Option, paths, plain, some_columns

HIDDEN = "hidden"  # the columns
_PAGE = "https://arrow.apache.org/docs/format/Columnar.html"
_KINDS = ("struct", "list", "map")


def _can_hide(type_: Type) -> bool:
    return type_.kind in _KINDS


OPTION = Option(HIDDEN, some_columns(paths(_can_hide)), _PAGE)


def hidden(table: Table, chosen: Chosen) -> list[str]:
    """Return the source that puts values behind the nulls of columns of `table`, with `pa`.

    They are those of the first row that has any: of each field, or of the list.
    """
    lines = list(_FILLED) if HIDDEN in chosen else []
    for name in plain(chosen.get(HIDDEN, [])):
        at, field = next((at, field) for at, field in enumerate(table.columns) if field.name == name)
        lines += [
            f"column = pa.concat_arrays(table.column({at}).chunks)",
            "valid = column.is_valid().to_pylist()",
            *(_STRUCT if field.type.kind == "struct" else _LIST),
            f"table = table.set_column({at}, {name!a}, column)",
        ]
    return lines


_FILLED = (
    "def filled(values, valid, has_values):",
    "    first = has_values.index(True) if True in has_values else 0",
    "    rows = [row if there else first for row, there in enumerate(valid)]",
    "    return values.take(pa.array(rows, pa.int64()))",
    "",
)
_STRUCT = (
    "fields = [column.field(number) for number in range(column.type.num_fields)]",
    "fields = [filled(each, valid, each.is_valid().to_pylist()) for each in fields]",
    "column = pa.Array.from_buffers(column.type, len(column), column.buffers()[:1], children=fields)",
)
_LIST = (
    "lists = filled(column, valid, [there and len(column[row]) > 0 for row, there in enumerate(valid)])",
    "buffers = [column.buffers()[0], lists.buffers()[1]]",
    "column = pa.Array.from_buffers(column.type, len(column), buffers, children=[lists.values])",
)
