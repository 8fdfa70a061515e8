"""Faults of size statistics."""

from __future__ import annotations

from typing import Any

from corpora.build.recipe import leaf
from properties.strategies.faults.edit import Change
from properties.strategies.faults.edits import REPEATED, edit, ints, metadata, table
from properties.strategies.faults.fault import Fault, File, fields
from properties.strategies.faults.places import chunks
from reference_impl.parquet.plan import Column
from reference_impl.parquet.schema import ColumnMetaData, Type


def sizes(**changes: Any) -> Change:
    """Change fields of the size statistics of a chunk."""
    return metadata(size_statistics=fields(**changes))


_SIZED = Column(size_statistics=True)
_TEXTS = table(leaf("x", Type.BYTE_ARRAY, REPEATED), ([], [b"ab"], [b"", b"c"]), _SIZED)


def _has_texts(meta: ColumnMetaData) -> bool:
    sizes = meta.size_statistics
    return sizes is not None and sizes.unencoded_byte_array_data_bytes is not None


FAULTS = (
    Fault(
        "PQ-SIZE-001/bytes-of-integers",
        "a column of INT32 has unencoded_byte_array_data_bytes",
        File(ints((1, 2), _SIZED), edit(chunk=sizes(unencoded_byte_array_data_bytes=8))),
        "a column of BYTE_ARRAY has",
        File(_TEXTS),
    ),
    Fault(
        "PQ-SIZE-002/lengths-counted",
        "unencoded_byte_array_data_bytes counts the lengths in front of the byte arrays",
        File(_TEXTS, edit(chunk=sizes(unencoded_byte_array_data_bytes=lambda size: size + 3 * 4))),
        "it counts their bytes only",
        places=chunks(_has_texts),
    ),
    Fault(
        "PQ-SIZE-003/histogram-too-long",
        "repetition_level_histogram has 3 elements for the levels 0 and 1",
        File(_TEXTS, edit(chunk=sizes(repetition_level_histogram=lambda counts: [*counts, 0]))),
        "it has 2",
    ),
    Fault(
        "PQ-SIZE-004/histogram-of-values",
        "definition_level_histogram leaves out the entry that stands for an empty list",
        File(_TEXTS, edit(chunk=sizes(definition_level_histogram=[0, 3]))),
        "it counts it",
    ),
)
