"""Faults of definition and repetition levels: entries that form no nested value."""

from __future__ import annotations

import numpy as np

from corpora.build.recipe import group, leaf
from properties.strategies.faults.edit import Change
from properties.strategies.faults.edits import OPTIONAL, REPEATED, edit, table
from properties.strategies.faults.fault import Fault, File, put
from reference_impl.parquet.encodings import rle
from reference_impl.parquet.plan import Column, Page
from reference_impl.parquet.schema import Type

INT32 = Type.INT32


def levels(*entries: int, width: int = 1, prefixed: bool = True) -> Change:
    """Return the change of a section to these levels, which have their size in front in v1 pages."""
    encode = rle.encode_prefixed if prefixed else rle.encode
    return put(encode(np.array(entries), width))


_DEEP = table(group("x", OPTIONAL, leaf("y", INT32, OPTIONAL)), ({"y": None}, None, {"y": 1}))
_LISTS = table(group("x", REPEATED, leaf("y", INT32, REPEATED)), ([{"y": [1, 2]}], [{"y": [3]}, {"y": [4]}]))
_REPEATED = leaf("x", INT32, REPEATED)
_ELEMENTS = group("x", OPTIONAL, group("list", REPEATED, leaf("element", INT32, OPTIONAL)))
_TWO = group("x", OPTIONAL, leaf("y", INT32, OPTIONAL), leaf("z", INT32, OPTIONAL))

FAULTS = (
    Fault(
        "PQ-LEVELS-001/definition-three-of-two",
        "a definition level is 3, and the maximum 2",
        File(_DEEP, edit(definition=levels(1, 3, 2, width=2))),
        "a definition level is 2",
    ),
    Fault(
        "PQ-LEVELS-002/repetition-three-of-two",
        "a repetition level is 3, and the maximum 2",
        File(_LISTS, edit(repetition=levels(0, 3, 0, 1, width=2))),
        "a repetition level is 2",
    ),
    Fault(
        "PQ-LEVELS-003/chunk-inside-a-row",
        "the first repetition level of a chunk is 1",
        File(table(_REPEATED, ([1], [2, 3])), edit(repetition=levels(1, 0, 0))),
        "that of its second page is",
        File(table(_REPEATED, ([1], [2, 3]), Column((Page(2),)))),
    ),
    Fault(
        "PQ-LEVELS-004/list-goes-on-after-empty",
        "an entry continues the list of the one before, which says that the list is empty",
        File(table(_REPEATED, ([], [1, 2])), edit(repetition=levels(0, 1, 0))),
        "the one before is a null in the list",
        File(table(_ELEMENTS, (None, {"list": [{"element": None}, {"element": 1}]}))),
    ),
    Fault(
        "PQ-LEVELS-005/columns-disagree",
        "of a group that is null in one row, one column says that it is not",
        File(table(_TWO, (None, {"y": 1, "z": None})), edit(definition=levels(1, 2, width=2))),
        "in a row where the group is not null, one column is and the other is not",
    ),
)
