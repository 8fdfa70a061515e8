"""Faults of types: what the footer says of them, the stripes being as they should."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from corpora.build.orc.schemas import INT, column_plan, leaf, list_of, plan, struct_of, union_of
from properties.strategies.faults.common import Fault, Made, at, fields
from properties.strategies.faults.orc.fault import edit, ints, table
from reference_impl.orc.schema import Type, TypeKind

if TYPE_CHECKING:
    from typing import Any

    from reference_impl.orc.schema import Footer
    from reference_impl.orc.tamper import Tamper

_PLAIN = ints()
_EMPTY = column_plan(INT, (), file_statistics=False)
_TEXT = table(leaf(TypeKind.VARCHAR, maximum_length=1), (b"a", b"b"))
_FULL = leaf(TypeKind.DECIMAL, precision=38, scale=2)
_FRACTION = leaf(TypeKind.DECIMAL, precision=5, scale=5)
_WIDE = table(union_of(*[INT] * 256), (), file_statistics=False)


def _type(number: int, **changes: Any) -> Tamper:
    return edit(footer=fields(types=at(number, fields(**changes))))


def _one_more(footer: Footer) -> Footer:
    """Give the union, type 2, another child."""
    union = replace(footer.types[2], subtypes=(*footer.types[2].subtypes, len(footer.types)))
    return replace(footer, types=(*footer.types[:2], union, *footer.types[3:], Type(kind=TypeKind.INT)))


FAULTS = (
    Fault(
        "ORC-TYPE-001",
        "no-types",
        "there is no type",
        Made(_EMPTY, edit(footer=fields(types=()))),
        "there are two, and no row",
        Made(_EMPTY),
    ),
    Fault(
        "ORC-TYPE-002",
        "second-field-first",
        "the first child of the root is type 2, the second type 1",
        Made(_PLAIN, _type(0, subtypes=(2, 1))),
        "the children of the root are types 1 and 2, of which the second has a child",
        Made(table(list_of(INT), ([1], []))),
    ),
    Fault(
        "ORC-TYPE-003",
        "map-of-one",
        "a map has one child",
        Made(table(list_of(INT), ([1], [])), _type(2, kind=TypeKind.MAP)),
        "a union has one",
        Made(table(union_of(INT), ((0, 1), (0, 2)))),
    ),
    Fault(
        "ORC-TYPE-004",
        "nameless-field",
        "a struct of two fields has one name",
        Made(_PLAIN, _type(0, field_names=("row",))),
        "it has two, one of no characters",
        Made(plan(struct_of(**{"row": INT, "": INT}), [(0, 1)])),
    ),
    Fault(
        "ORC-TYPE-005",
        "no-kind",
        "a type has no kind",
        Made(_PLAIN, _type(2, kind=None)),
        "it has the last one that there is",
        Made(table(leaf(TypeKind.GEOGRAPHY), (b"",))),
    ),
    Fault(
        "ORC-TYPE-006",
        "varchar-of-no-length",
        "a VARCHAR has no maximum length",
        Made(_TEXT, _type(2, maximum_length=None)),
        "it has one of 1",
        Made(_TEXT),
    ),
    Fault(
        "ORC-TYPE-007",
        "precision-39",
        "a decimal has 39 digits",
        Made(table(_FULL, (1, 2)), _type(2, precision=39)),
        "it has 38",
        Made(table(_FULL, (1, 2))),
    ),
    Fault(
        "ORC-TYPE-008",
        "scale-above-precision",
        "a decimal of 5 digits has 6 behind the point",
        Made(table(_FRACTION, (1, 2)), _type(2, scale=6)),
        "it has 5",
        Made(table(_FRACTION, (1, 2))),
    ),
    Fault(
        "ORC-TYPE-009",
        "union-of-257",
        "a union has 257 variants",
        Made(_WIDE, edit(footer=_one_more)),
        "it has 256",
        Made(_WIDE),
    ),
)
