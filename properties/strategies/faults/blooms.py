"""Faults of Bloom filters."""

from __future__ import annotations

from properties.strategies.faults.fault import Fault, Made, chunk, edit, fields, ints
from reference_impl.parquet.plan import Bloom, Column

_FILTER = ints(column=Column(bloom=Bloom()))
_NO_LENGTH = ints(column=Column(bloom=Bloom(length=False)))

FAULTS = (
    Fault(
        "PQ-BLOOM-001",
        "filter-in-the-magic",
        "a Bloom filter begins inside the leading magic number",
        Made(_FILTER, edit(row_group=chunk(meta_data=fields(bloom_filter_offset=3)))),
        "it is the last thing before the footer",
        Made(_FILTER),
    ),
    Fault(
        "PQ-BLOOM-002",
        "filter-one-byte-longer",
        "a Bloom filter has one byte less than bloom_filter_length says",
        Made(_FILTER, edit(row_group=chunk(meta_data=fields(bloom_filter_length=lambda size: size + 1)))),
        "nothing says its length but its own header",
        Made(_NO_LENGTH),
    ),
)
