"""Column orders: floats with both zeros and NaN, INT96, and orders that readers cannot use."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from itertools import product
from typing import Any

from corpora.build import samples
from corpora.build.kinds import ORDERED
from corpora.build.recipe import OPTIONAL, Recipe, leaf, schema
from reference_impl.parquet.plan import Column, FilePlan, Index, Page, Statistics
from reference_impl.parquet.schema import ColumnOrder, Empty, LogicalType, Type

_ORDER_SPEC = "parquet.thrift, ColumnOrder"
_TYPE_ORDER = ColumnOrder(TYPE_ORDER=Empty())
_TOTAL = ColumnOrder(IEEE_754_TOTAL_ORDER=Empty())
_INT96 = ColumnOrder(INT96_TIMESTAMP_ORDER=Empty())
_PLAIN = Statistics()
_COUNTED = Statistics(nan_count=True)  # which is mandatory in total order
_OLD = Statistics(False, deprecated=True)
_FUTURE = ColumnOrder(unknown=((40, 12, b"\x00"),))  # an unknown member: an empty struct
_FLOAT_FIELDS: dict[str, tuple[str, dict[str, Any]]] = {
    "float": ("<f", {"kind": Type.FLOAT}),
    "double": ("<d", {"kind": Type.DOUBLE}),
    "float16": (
        "<e",
        {"kind": Type.FIXED_LEN_BYTE_ARRAY, "type_length": 2, "logicalType": LogicalType(FLOAT16=Empty())},
    ),
}
_NANS = {
    "<f": samples.FLOAT_NANS[:2],
    "<d": samples.DOUBLE_NANS[:2],
    "<e": (struct.pack("<H", 0x7E00), struct.pack("<H", 0xFE00)),
}
# Row groups of two pages each: `N` and `n` are the NaN of either sign.
_CONTENTS: dict[str, tuple[tuple[Any, ...], ...]] = {
    "negative-zero": ((-0.0, -0.0, 1.0, 2.0), (-1.0, -0.0, -3.0, -2.0)),
    "positive-zero": ((0.0, 0.0, 1.0, 2.0), (-1.0, 0.0, -3.0, -2.0)),
    "both-zeros": ((-0.0, 0.0, 0.0, -0.0), (1.0, 2.0, 3.0, 4.0)),
    "nan-among": ((1.0, "N", 2.0, 3.0), (-1.0, -2.0, "n", -3.0)),
    "nan-first": (("N", 1.0, 2.0, 3.0), ("n", 5.0, 6.0, 7.0)),
    "nan-only": (("N", "N", "n", "N"), (1.0, 2.0, 3.0, 4.0)),
    "nan-page": (("N", "N", 1.0, 2.0), (3.0, 4.0, "n", "n")),
    "infinities": ((-samples.INFINITY, 1.0, 2.0, samples.INFINITY), ("N", None, 3.0, None)),
    "nulls-only": ((None, None, None), (1.0, 2.0)),
    "nulls-and-nan": ((None, "N", None, None), (None, 1.0, None, "n")),
}


def recipes_of_orders() -> Iterator[Recipe]:
    """Yield floats × orders × contents, INT96, and all orders that readers cannot use."""
    for (name, (form, fields)), (content, given) in product(_FLOAT_FIELDS.items(), _CONTENTS.items()):
        values = [_values(form, group) for group in given]
        yield _order(f"{name}/type/{content}", fields, values, (_TYPE_ORDER,), _PLAIN)
        yield _order(f"{name}/total/{content}", fields, values, (_TOTAL,), _COUNTED)
        if content in {"both-zeros", "infinities"}:
            for case, modern in (("total-deprecated", False), ("total-both", True)):
                statistics = Statistics(nan_count=True, modern=modern, deprecated=True)
                yield _order(f"{name}/{case}/{content}", fields, values, (_TOTAL,), statistics)
        if name == "double":
            yield _order(f"{name}/type-nan-count/{content}", fields, values, (_TYPE_ORDER,), _COUNTED)
            yield _order(f"{name}/absent/{content}", fields, values, None, _PLAIN)
    yield from _timestamps()
    for kind in ORDERED:
        if kind.name in {"int32", "uint-32", "string", "double", "decimal-5-2/fixed-4"}:
            groups = [list(kind.values[:4]), list(kind.values[4:])]
            yield _order(f"{kind.name}/absent/values", kind.fields, groups, None)
            yield _order(f"{kind.name}/absent/deprecated", kind.fields, groups, None, _OLD)
            yield _order(f"{kind.name}/unknown/values", kind.fields, groups, (_FUTURE,))


def _values(form: str, group: tuple[Any, ...]) -> list[Any]:
    signs = dict(zip("Nn", _NANS[form], strict=True))
    values = [signs.get(value, value) if isinstance(value, str) else value for value in group]
    if form != "<e":
        return values
    return [struct.pack(form, value) if isinstance(value, float) else value for value in values]


def _order(
    name: str,
    fields: dict[str, Any],
    groups: list[list[Any]],
    orders: tuple[ColumnOrder, ...] | None,
    statistics: Statistics = _PLAIN,
) -> Recipe:
    index = Index(statistics=statistics) if statistics.modern else None
    layout = Column((Page(2, statistics=statistics),), statistics=statistics, index=index)
    rows = tuple({"x": value} for group in groups for value in group)
    plan = FilePlan(
        schema(leaf("x", repetition=OPTIONAL, **fields)),
        rows,
        (layout,),
        row_groups=tuple(map(len, groups)),
        column_orders=orders,
    )
    return Recipe(f"order/{name}", plan, _ORDER_SPEC, probed=("x",))


def _timestamps() -> Iterator[Recipe]:
    """Yield INT96 columns with bounds in the order of time, and in the undefined type order."""
    values = sorted(samples.VALUES[Type.INT96], key=lambda raw: struct.unpack("<qi", raw)[::-1])
    groups = [values[:2], values[2:], [*values[1:3], None], [None]]
    for name, orders in {"time": (_INT96,), "type": (_TYPE_ORDER,), "absent": None}.items():
        yield _order(f"int96/{name}/values", {"kind": Type.INT96}, groups, orders)
