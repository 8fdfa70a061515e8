"""Forms of Arrow tables that other libraries produce and `to_arrow` does not.

They are options of all writers that are given Arrow. No form changes the table: the slots of nulls, and
duplicates in a dictionary, are not part of its values. Standard library only, Python 3.9.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from corpora.tagged import Table, Type
from harness.engines.writer_options import Chosen, Option, paths, plain, some_columns

HIDDEN = "hidden"
TWICE = "dictionary_twice"
WITH_NULL = "dictionary_with_null"
PARTS = "dictionary_of_each_part"
INNER = "dictionary_in_list"
ZONE = "zone"
VIEW = "view"
LIST_VIEW = "list_view"
RUN_ENDS = "run_ends"
FIXED = "fixed_size_list"
NAMES = (HIDDEN, TWICE, WITH_NULL, PARTS, INNER, ZONE, VIEW, LIST_VIEW, RUN_ENDS, FIXED)
# "A null value may correspond to a non-empty segment in the child array"; of dictionaries: "whether or not a
# value is null is determined by the indices", and they may have nulls and duplicates.
_PAGE = "https://arrow.apache.org/docs/format/Columnar.html"
_DIGITS = 76
_SCALARS = ("bool", "int", "float", "decimal", "date", "timestamp", "string", "bytes")


def lacks(type_: Type) -> bool:
    """Return whether Arrow has no such type: its decimals have up to 76 digits."""
    return type_.kind == "decimal" and (type_.precision or 0) > _DIGITS


def _can_hide(type_: Type) -> bool:
    return type_.kind in {"struct", "list", "map"}


def _is_text(type_: Type) -> bool:
    return type_.kind in {"string", "bytes"}


def _is_list(type_: Type) -> bool:
    return type_.kind == "list"


def _is_list_of_text(type_: Type) -> bool:
    return type_.kind == "list" and _is_text(type_.children[0].type)


def _is_instant(type_: Type) -> bool:
    return type_.kind == "timestamp" and bool(type_.utc)


def _is_scalar(type_: Type) -> bool:
    return type_.kind in _SCALARS


def _of_one_length(table: Table) -> list[str]:
    """Return the columns of lists that have one length, which is not 0, but for nulls."""
    return [
        field.name
        for at, field in enumerate(table.columns)
        if field.type.kind == "list"
        and len(sizes := {len(each) for each in table.column(at) if isinstance(each, list)}) == 1
        and 0 not in sizes
    ]


# The first releases of pyarrow that make them. Before 25, pyarrow ends the process when it hands out a view
# of short texts alone, whatever library takes it.
_SINCE = {VIEW: 25, LIST_VIEW: 16, RUN_ENDS: 12}
_OPTIONS = (
    Option(HIDDEN, some_columns(paths(_can_hide)), _PAGE),
    Option(TWICE, some_columns(paths(_is_text)), _PAGE),
    Option(WITH_NULL, some_columns(paths(_is_text)), _PAGE),
    Option(PARTS, some_columns(paths(_is_text)), _PAGE),
    Option(INNER, some_columns(paths(_is_list_of_text)), _PAGE),
    Option(ZONE, some_columns(paths(_is_instant)), _PAGE),
    Option(VIEW, some_columns(paths(_is_text)), _PAGE),
    Option(LIST_VIEW, some_columns(paths(_is_list)), _PAGE),
    Option(RUN_ENDS, some_columns(paths(_is_scalar)), _PAGE),
    Option(FIXED, some_columns(_of_one_length), _PAGE),
)


def options(*, without: Collection[str] = ()) -> tuple[Option, ...]:
    """Return the options of a writer, without those that it says are not implemented."""
    return tuple(option for option in _OPTIONS if option.name not in without)


def available(release: str, names: Iterable[str]) -> list[str]:
    """Return the names of options without those of forms that a release of pyarrow does not have."""
    major = int(release.partition(".")[0])
    return [name for name in names if _SINCE.get(name, 0) <= major]


def own_forms(forms: Mapping[str, Any], chosen: Chosen) -> dict[str, Any]:
    """Return an engine's own forms of columns, but for the columns that have one of these forms."""
    formed = {name for option in NAMES for name in plain(chosen.get(option, []))}
    return {name: form for name, form in forms.items() if name not in formed}


def statements(table: Table, chosen: Chosen) -> list[str]:
    """Return the source that gives columns of `table` the chosen forms, with `pa`; a column has one.

    Hidden: the slots of a column's nulls hold the values of the first row that has any, of each field, or of
    the list. Twice: a dictionary has each value twice. With null: every other null refers to a null of the
    dictionary. Of each part: each third of the rows has a dictionary of its own. The views of lists are in
    the opposite order of what they refer to. A column that the table lacks is passed over.
    """
    lines = list(_FILLED) if {HIDDEN, FIXED} & set(chosen) else []
    done: set[str] = set()
    for option in NAMES:
        for name in plain(chosen.get(option, [])):
            matches = [(at, field) for at, field in enumerate(table.columns) if field.name == name]
            if name in done or not matches:
                continue
            done.add(name)
            at, field = matches[0]
            form = _FORMS.get(option) or _BEHIND_NULLS[field.type.kind]
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
_WHOLE = (
    "valid = column.is_valid().to_pylist()",
    "lists = filled(column, valid, [there and len(column[row]) > 0 for row, there in enumerate(valid)])",
)
_LIST = (
    *_WHOLE,
    "buffers = [column.buffers()[0], lists.buffers()[1]]",
    "column = pa.Array.from_buffers(column.type, len(column), buffers, children=[lists.values])",
)
_MAP = (
    *_WHOLE,
    "buffers = [column.buffers()[0], lists.buffers()[1]]",
    "pairs = pa.StructArray.from_arrays([lists.keys, lists.items], names=['key', 'value'])",
    "column = pa.Array.from_buffers(column.type, len(column), buffers, children=[pairs])",
)
_BEHIND_NULLS = {"struct": _STRUCT, "list": _LIST, "map": _MAP}
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
    PARTS: (
        "rows = -(-len(column) // 3)",
        "parts = [column.slice(first, rows).dictionary_encode() for first in (0, rows, 2 * rows)]",
        "column = pa.chunked_array(parts)",
    ),
    INNER: (
        "values = column.values.dictionary_encode()",
        "buffers, coded = column.buffers()[:2], pa.list_(values.type)",
        "column = pa.Array.from_buffers(coded, len(column), buffers, children=[values])",
    ),
    ZONE: ("column = column.cast(pa.timestamp(column.type.unit, 'Asia/Kolkata'))",),
    VIEW: (
        "view = pa.string_view() if pa.types.is_string(column.type) else pa.binary_view()",
        "column = column.cast(view)",
    ),
    LIST_VIEW: (
        "back = column.take(pa.array(range(len(column))[::-1], pa.int64()))",
        "ends = back.offsets.to_pylist()[::-1]",
        "sizes = [end - start for end, start in zip(ends, ends[1:])]",
        "places = pa.array(ends[1:], pa.int32()), pa.array(sizes, pa.int32())",
        "column = pa.ListViewArray.from_arrays(*places, back.values, mask=column.is_null())",
    ),
    RUN_ENDS: (
        "places = column.dictionary_encode().indices.to_pylist()",
        "starts = [row for row, place in enumerate(places) if not row or place != places[row - 1]]",
        "ends = [*starts[1:], len(column)][: len(starts)]",
        "values = column.take(pa.array(starts, pa.int64()))",
        "runs = pa.run_end_encoded(pa.int32(), values.type)",
        "column = pa.RunEndEncodedArray.from_arrays(ends, values, runs)",
    ),
    FIXED: (
        *_WHOLE,
        "size = next((len(column[row]) for row, there in enumerate(valid) if there), 1)",
        "items = lists.values if any(valid) else pa.nulls(len(column), column.type.value_type)",
        "fixed = pa.list_(column.type.value_field, size)",
        "column = pa.Array.from_buffers(fixed, len(column), column.buffers()[:1], children=[items])",
    ),
}
