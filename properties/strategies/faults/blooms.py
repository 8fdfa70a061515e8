"""Faults of Bloom filters."""

from __future__ import annotations

from dataclasses import replace

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

PENDING = (
    Fault(
        "B:value",
        "value-not-admitted",
        "a Bloom filter says that a value is not there, and it is",
        Made(_FILTER, edit(bloom=lambda found: (found[0], bytes(32)))),
        "it says that every value is there",
        Made(_FILTER, edit(bloom=lambda found: (found[0], b"\xff" * 32))),
    ),
    Fault(
        "B:blocks",
        "part-of-a-block",
        "a Bloom filter has 33 bytes",
        Made(_FILTER, edit(bloom=lambda found: (replace(found[0], numBytes=33), found[1] + b"\0"))),
        "it has 32, one block",
        Made(_FILTER),
    ),
    Fault(
        "B:empty",
        "no-block",
        "a Bloom filter has no bytes",
        Made(_FILTER, edit(bloom=lambda found: (replace(found[0], numBytes=0), b""))),
        "it has 32, one block",
        Made(_FILTER),
    ),
)
