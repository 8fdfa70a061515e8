"""Faults of the schema as a tree, and of its elements."""

from __future__ import annotations

from dataclasses import replace

from corpora.build.recipe import group, leaf, schema
from properties.strategies.faults.edits import REPEATED, REQUIRED, ROW, edit, ints, metadata, table
from properties.strategies.faults.fault import Fault, File, fields, one_more, places
from properties.strategies.faults.places import elements
from reference_impl.parquet.plan import FilePlan
from reference_impl.parquet.schema import SchemaElement, Type
from reference_impl.parquet.tamper import Place

_PLAIN = ints()
_FIXED = leaf("x", Type.FIXED_LEN_BYTE_ARRAY, type_length=1)
_GROUPED = schema(ROW, leaf("x", Type.INT32), group("g", REQUIRED, leaf("y", Type.INT32)))
_ROOT_PLACE = Place(0, -1)  # of the element before that of the first leaf
_ROOT = SchemaElement(name="schema", num_children=0)


FAULTS = (
    Fault(
        "PQ-SCHEMA-001/no-root",
        "the schema is an empty list",
        File(FilePlan((_ROOT,)), edit(footer=fields(schema=[]))),
        "the schema is a root and nothing else",
    ),
    Fault(
        "PQ-SCHEMA-002/root-with-one-child-more",
        "the root has one child more than elements follow",
        File(_PLAIN, edit(_ROOT_PLACE, element=fields(num_children=one_more))),
        "the last element is the only child of a group",
        File(table(group("x", REQUIRED, leaf("y", Type.INT32)), ({"y": 1}, {"y": 2}))),
        places=places(lambda _: [_ROOT_PLACE]),
    ),
    Fault(
        "PQ-SCHEMA-003/column-with-a-child",
        "the last element has a type and a child",
        File(_PLAIN, edit(element=fields(num_children=1))),
        "it has a type and a type_length, which an INT32 does not need",
        File(table(leaf("x", Type.INT32, type_length=32), (1, 2, 3))),
    ),
    Fault(
        "PQ-SCHEMA-004/repetition-type-three",
        "a column has the repetition type 3, which does not exist",
        File(_PLAIN, edit(element=fields(repetition_type=3))),
        "it has the repetition type 2, REPEATED",
        File(table(leaf("x", Type.INT32, REPEATED), ([1], [2, 3]))),
        places=elements(),
    ),
    Fault(
        "PQ-SCHEMA-005/group-without-children",
        "the schema ends with a group of no fields",
        File(_PLAIN, edit(footer=fields(schema=[*_GROUPED[:-2], replace(_GROUPED[-2], num_children=0)]))),
        "it ends with a group of one field",
        File(FilePlan(_GROUPED, ({"row": 0, "x": 1, "g": {"y": 1}}, {"row": 1, "x": 2, "g": {"y": 2}}))),
    ),
    Fault(
        "PQ-SCHEMA-006/type-eight",
        "a column has the type 8, which does not exist",
        File(table(_FIXED, (b"a", b"b")), edit(chunk=metadata(type=8), element=fields(type=8))),
        "it has the type 7, FIXED_LEN_BYTE_ARRAY",
    ),
    Fault(
        "PQ-SCHEMA-007/length-below-zero",
        "a FIXED_LEN_BYTE_ARRAY has the type_length -1",
        File(table(_FIXED, (b"a", b"b")), edit(element=fields(type_length=-1))),
        "it has the type_length 1",
    ),
    Fault(
        "PQ-SCHEMA-008/required-root",
        "the root is required",
        File(_PLAIN, edit(_ROOT_PLACE, element=fields(repetition_type=REQUIRED))),
        "only the columns say that they are",
    ),
    Fault(
        "PQ-SCHEMA-009/column-of-no-children",
        "a column says that it has 0 children",
        File(_PLAIN, edit(element=fields(num_children=0))),
        "it says nothing about children",
    ),
    Fault(
        "PQ-SCHEMA-010/int96",
        "a column is of the deprecated type INT96",
        File(table(leaf("x", Type.INT96), (bytes(12), bytes((*range(5), 0, 0, 0, *range(8, 12)))))),
        "it is a FIXED_LEN_BYTE_ARRAY of the same bytes",
        File(
            table(
                leaf("x", Type.FIXED_LEN_BYTE_ARRAY, type_length=12),
                (bytes(12), bytes((*range(5), 0, 0, 0, *range(8, 12)))),
            )
        ),
    ),
)
