"""Forms of a table of Arrow that other libraries make, and the builder of our tables does not.

They are options of all writers that are given Arrow. No form changes the table: what stands behind a null, or
stands in a dictionary twice, is no part of it. Standard library only, Python 3.9.
"""

from __future__ import annotations

from corpora.tagged import Table, Type
from harness.engines.writer_options import Chosen, Option, paths, plain, some_columns

HIDDEN = "hidden"
TWICE = "dictionary_twice"
WITH_NULL = "dictionary_with_null"
NAMES = (HIDDEN, TWICE, WITH_NULL)
# "A null value may correspond to a non-empty segment in the child array"; of dictionaries: "whether or not a
# value is null is determined by the indices", and they may have nulls and duplicates.
_PAGE = "https://arrow.apache.org/docs/format/Columnar.html"


def _can_hide(type_: Type) -> bool:
    return type_.kind in {"struct", "list", "map"}


def _is_text(type_: Type) -> bool:
    return type_.kind in {"string", "bytes"}


_OPTIONS = (
    Option(HIDDEN, some_columns(paths(_can_hide)), _PAGE),
    Option(TWICE, some_columns(paths(_is_text)), _PAGE),
    Option(WITH_NULL, some_columns(paths(_is_text)), _PAGE),
)


def options(*, without: str = "") -> tuple[Option, ...]:
    """Return the options of a writer; one that it says is not implemented can be left out."""
    return tuple(option for option in _OPTIONS if option.name != without)


def statements(table: Table, chosen: Chosen) -> list[str]:
    """Return the source that gives columns of `table` the chosen forms, with `pa`.

    Hidden: behind the nulls of a column stand the values of the first row that has any, of each field, or of
    the list. A dictionary has each value twice, or a null that every other null refers to.
    """
    lines = list(_FILLED) if HIDDEN in chosen else []
    for option in NAMES:
        for name in plain(chosen.get(option, [])):
            at, field = next((at, field) for at, field in enumerate(table.columns) if field.name == name)
            form = _FORMS.get(option) or (_STRUCT if field.type.kind == "struct" else _LIST)
            lines += [
                f"column = pa.concat_arrays(table.column({at}).chunks)",
                *form,
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
    "valid = column.is_valid().to_pylist()",
    "fields = [column.field(number) for number in range(column.type.num_fields)]",
    "fields = [filled(each, valid, each.is_valid().to_pylist()) for each in fields]",
    "column = pa.Array.from_buffers(column.type, len(column), column.buffers()[:1], children=fields)",
)
_LIST = (
    "valid = column.is_valid().to_pylist()",
    "lists = filled(column, valid, [there and len(column[row]) > 0 for row, there in enumerate(valid)])",
    "buffers = [column.buffers()[0], lists.buffers()[1]]",
    "column = pa.Array.from_buffers(column.type, len(column), buffers, children=[lists.values])",
)
_FORMS = {
    TWICE: (
        "column = column.dictionary_encode()",
        "size, values = len(column.dictionary), column.dictionary",
        "turns = [(row % 2, place) for row, place in enumerate(column.indices.to_pylist())]",
        "places = [None if place is None else place + odd * size for odd, place in turns]",
        "values = pa.concat_arrays([values, values])",
        "column = pa.DictionaryArray.from_arrays(pa.array(places, pa.int32()), values)",
    ),
    WITH_NULL: (
        "column = column.dictionary_encode()",
        "nulls = [None, len(column.dictionary)]",
        "turns = [(row % 2, place) for row, place in enumerate(column.indices.to_pylist())]",
        "places = [nulls[odd] if place is None else place for odd, place in turns]",
        "values = pa.concat_arrays([column.dictionary, pa.array([None], column.dictionary.type)])",
        "column = pa.DictionaryArray.from_arrays(pa.array(places, pa.int32()), values)",
    ),
}
