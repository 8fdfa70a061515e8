"""Pages of very different sizes side by side: filters of one column skip into the middle of another's pages.

"Once rows of a column are skipped, the corresponding rows in the other columns have to be skipped"
(PageIndex.md, "Technical Approach"): they begin and end inside of pages,
miniblocks and runs of the column `x`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple

from corpora.build.recipe import (
    OPTIONAL,
    REPEATED,
    REQUIRED,
    Elements,
    Recipe,
    group,
    leaf,
    list_group,
    schema,
    slug,
)
from corpora.queries import And, Compare, Filter, In, Or, Predicate
from corpora.tagged import integer
from reference_impl.parquet.plan import Column, Dictionary, FilePlan, Index, Page, Row
from reference_impl.parquet.schema import Encoding, Type

_SPEC = "PageIndex.md"
_ROWS = 300
_NARROW, _WIDE = 15, 150
_NULLS = 7  # every so many rows


class _Beside(NamedTuple):
    """A column beside the filter's: the name of its type, its type, its encoding, and its length."""

    name: str
    type: Type
    encoding: Encoding
    length: int | None = None


_BESIDE = (
    _Beside("int32", Type.INT32, Encoding.DELTA_BINARY_PACKED),
    _Beside("int64", Type.INT64, Encoding.BYTE_STREAM_SPLIT),
    _Beside("boolean", Type.BOOLEAN, Encoding.RLE),
    _Beside("double", Type.DOUBLE, Encoding.BYTE_STREAM_SPLIT),
    _Beside("text", Type.BYTE_ARRAY, Encoding.DELTA_LENGTH_BYTE_ARRAY),
    _Beside("text", Type.BYTE_ARRAY, Encoding.DELTA_BYTE_ARRAY),
    _Beside("text", Type.BYTE_ARRAY, Encoding.RLE_DICTIONARY),
    _Beside("fixed", Type.FIXED_LEN_BYTE_ARRAY, Encoding.DELTA_BYTE_ARRAY, 5),
    _Beside("fixed", Type.FIXED_LEN_BYTE_ARRAY, Encoding.PLAIN, 5),
)


def recipes() -> Iterator[Recipe]:
    """Yield each encoding in wide and in narrow pages, with and without nulls, and in lists."""
    for number, (beside, wide) in enumerate(product(_BESIDE, (True, False))):
        version = 1 + number // 2 % 2
        yield _recipe(beside, "nulls" if (number // 2 + wide) % 2 else "required", version, wide=wide)
    for version, wide in product((1, 2), (True, False)):
        yield _recipe(_BESIDE[0], "list", version, wide=wide)


def _recipe(beside: _Beside, form: str, version: int, *, wide: bool) -> Recipe:
    value = _VALUES[beside.type]
    values: list[Any] = [value(row) for row in range(_ROWS)]
    if form == "nulls":
        values = [None if row % _NULLS == 0 else value for row, value in enumerate(values)]
    if form == "list":
        values = [{"list": [{"element": value}] * (row % 4)} for row, value in enumerate(values)]
    rows: tuple[Row, ...] = tuple({"id": row, "x": value} for row, value in enumerate(values))
    of_id, of_x = (_NARROW, _WIDE) if wide else (_WIDE, _NARROW)
    pages = (Page(of_x - 7, beside.encoding, version), Page(of_x, beside.encoding, version))
    dictionary = Dictionary() if beside.encoding == Encoding.RLE_DICTIONARY else None
    columns = (Column((Page(of_id),), index=Index()), Column(pages, dictionary=dictionary, index=Index()))
    name = f"page-skipping/{'wide' if wide else 'narrow'}/{beside.name}-{slug(beside.encoding.name)}/{form}"
    plan = FilePlan(schema(leaf("id", Type.INT32), _field(beside, form)), rows, columns)
    return Recipe(f"{name}-v{version}", plan, _SPEC, queries=tuple(_queries()))


def _field(beside: _Beside, form: str) -> Elements:
    more = {} if beside.length is None else {"type_length": beside.length}
    if form == "list":
        return list_group("x", REQUIRED, group("list", REPEATED, leaf("element", beside.type, **more)))
    return leaf("x", beside.type, OPTIONAL if form == "nulls" else REQUIRED, **more)


# The value of a row; values near each other differ, and one row's are in few others.
_VALUES: dict[Type, Callable[[int], Any]] = {
    Type.INT32: lambda row: row * 37 % 1_009,
    Type.INT64: lambda row: row << 33,
    Type.BOOLEAN: lambda row: row % 3 == 0 or row % 100 < 20,
    Type.DOUBLE: lambda row: row / 8,
    Type.BYTE_ARRAY: lambda row: b"%03d" % (row * 7 % 250),
    Type.FIXED_LEN_BYTE_ARRAY: lambda row: b"%05d" % row,
}


def _queries() -> Iterator[Filter]:
    """Yield filters of `id` whose rows begin and end inside of pages."""
    for start, stop in ((0, 1), (149, 151), (173, 174), (_ROWS - 1, _ROWS), (37, 255)):
        yield Filter(_range(start, stop), ("x",))
    yield Filter(Or((_range(3, 5), _range(140, 160), _range(290, 291))))
    yield Filter(In(("id",), integer(32), ("1", "46", "143", "299")), ("x",))


def _range(start: int, stop: int) -> Predicate:
    return And((_compare(">=", start), _compare("<", stop)))


def _compare(op: str, row: int) -> Compare:
    return Compare(("id",), op, integer(32), str(row))
