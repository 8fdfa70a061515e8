"""Faults of size statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from corpora.build.recipe import leaf
from properties.strategies.faults.common import Fault, Made, fields
from properties.strategies.faults.fault import REPEATED, edit, ints, metadata, table
from reference_impl.parquet.plan import Column
from reference_impl.parquet.schema import Type

if TYPE_CHECKING:
    from properties.strategies.faults.common import Change


def sizes(**changes: Any) -> Change:
    """Change fields of the size statistics of a chunk."""
    return metadata(size_statistics=fields(**changes))


_SIZED = Column(size_statistics=True)
_TEXTS = table(leaf("x", Type.BYTE_ARRAY, REPEATED), ([], [b"ab"], [b"", b"c"]), _SIZED)

FAULTS = (
    Fault(
        "PQ-SIZE-001",
        "bytes-of-integers",
        "a column of INT32 has unencoded_byte_array_data_bytes",
        Made(ints((1, 2), _SIZED), edit(chunk=sizes(unencoded_byte_array_data_bytes=8))),
        "a column of BYTE_ARRAY has",
        Made(_TEXTS),
    ),
    Fault(
        "PQ-SIZE-002",
        "lengths-counted",
        "unencoded_byte_array_data_bytes counts the lengths in front of the byte arrays",
        Made(_TEXTS, edit(chunk=sizes(unencoded_byte_array_data_bytes=15))),
        "it counts their bytes only",
        Made(_TEXTS),
    ),
    Fault(
        "PQ-SIZE-003",
        "histogram-too-long",
        "repetition_level_histogram has 3 elements for the levels 0 and 1",
        Made(_TEXTS, edit(chunk=sizes(repetition_level_histogram=lambda counts: [*counts, 0]))),
        "it has 2",
        Made(_TEXTS),
    ),
    Fault(
        "PQ-SIZE-004",
        "histogram-of-values",
        "definition_level_histogram leaves out the entry that stands for an empty list",
        Made(_TEXTS, edit(chunk=sizes(definition_level_histogram=[0, 3]))),
        "it counts it",
        Made(_TEXTS),
    ),
)
