"""Faults of types in the footer; the stripes are legal."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from corpora.build.orc.schemas import INT, column_plan, leaf, list_of, plan, struct_of, union_of
from properties.strategies.faults.fault import Fault, File, fields
from properties.strategies.faults.orc.edits import edit, ints, table
from properties.strategies.faults.orc.places import types
from reference_impl.orc.schema import Footer, Type, TypeKind
from reference_impl.orc.tamper import Place, Tamper

_PLAIN = ints()
_EMPTY = column_plan(INT, (), file_statistics=False)
_TEXT = table(leaf(TypeKind.VARCHAR, maximum_length=1), (b"a", b"b"))
_FULL = leaf(TypeKind.DECIMAL, precision=38, scale=2)
_FRACTION = leaf(TypeKind.DECIMAL, precision=5, scale=5)
_WIDE = table(union_of(*[INT] * 256), (), file_statistics=False)


def _type(number: int, **changes: Any) -> Tamper:
    """Return the edit of fields of a type."""
    return edit(Place(0, number), type=fields(**changes))


def _another_child(footer: Footer) -> Footer:
    """Return a footer whose union, type 2, has another child."""
    union = replace(footer.types[2], subtypes=(*footer.types[2].subtypes, len(footer.types)))
    return replace(footer, types=(*footer.types[:2], union, *footer.types[3:], Type(kind=TypeKind.INT)))


FAULTS = (
    Fault(
        "ORC-TYPE-001/no-types",
        "there is no type",
        File(_EMPTY, edit(footer=fields(types=()))),
        "there are two, and no row",
    ),
    Fault(
        "ORC-TYPE-002/second-field-first",
        "the first child of the root is type 2, the second type 1",
        File(_PLAIN, _type(0, subtypes=(2, 1))),
        "the children of the root are types 1 and 2, of which the second has a child",
        File(table(list_of(INT), ([1], []))),
    ),
    Fault(
        "ORC-TYPE-003/map-of-one",
        "a map has one child",
        File(table(list_of(INT), ([1], [])), _type(2, kind=TypeKind.MAP)),
        "a union has one",
        File(table(union_of(INT), ((0, 1), (0, 2)))),
    ),
    Fault(
        "ORC-TYPE-004/nameless-field",
        "a struct of two fields has one name",
        File(_PLAIN, _type(0, field_names=lambda names: names[:-1])),
        "it has two, one of no characters",
        File(plan(struct_of(**{"row": INT, "": INT}), [(0, 1)])),
        places=types(lambda node: node.kind is TypeKind.STRUCT and bool(node.children)),
    ),
    Fault(
        "ORC-TYPE-005/no-kind",
        "a type has no kind",
        File(_PLAIN, _type(2, kind=None)),
        "it has the last one that there is",
        File(table(leaf(TypeKind.GEOGRAPHY), (b"",))),
        places=types(),
    ),
    Fault(
        "ORC-TYPE-006/varchar-of-no-length",
        "a VARCHAR has no maximum length",
        File(_TEXT, _type(2, maximum_length=None)),
        "it has one of 1",
    ),
    Fault(
        "ORC-TYPE-007/precision-39",
        "a decimal has 39 digits",
        File(table(_FULL, (1, 2)), _type(2, precision=39)),
        "it has 38",
    ),
    Fault(
        "ORC-TYPE-008/scale-above-precision",
        "a decimal of 5 digits has 6 behind the point",
        File(table(_FRACTION, (1, 2)), _type(2, scale=6)),
        "it has 5",
    ),
    Fault(
        "ORC-TYPE-009/union-of-257",
        "a union has 257 variants",
        File(_WIDE, edit(footer=_another_child)),
        "it has 256",
    ),
)
