"""Faults of Bloom filters."""

from __future__ import annotations

from dataclasses import replace

from properties.strategies.faults.common import Fault, Made, fields
from properties.strategies.faults.fault import chunk, edit, ints
from reference_impl.parquet.plan import Bloom, Column
from reference_impl.parquet.schema import BloomFilterHash

_FILTER = ints(column=Column(bloom=Bloom()))
_HASH = BloomFilterHash(unknown=((2, 12, b"\0"),))
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
        "it has as many",
        Made(_FILTER),
    ),
    Fault(
        "PQ-BLOOM-005",
        "value-not-admitted",
        "a Bloom filter says that a value is not there, and it is",
        Made(_FILTER, edit(bloom=lambda found: (found[0], bytes(32)))),
        "it says that every value is there",
        Made(_FILTER, edit(bloom=lambda found: (found[0], b"\xff" * 32))),
    ),
    Fault(
        "PQ-BLOOM-003",
        "part-of-a-block",
        "a Bloom filter has 33 bytes",
        Made(_FILTER, edit(bloom=lambda found: (replace(found[0], numBytes=33), found[1] + b"\0"))),
        "it has 32, one block",
        Made(_FILTER),
    ),
    Fault(
        "PQ-BLOOM-004",
        "hash-two",
        "the hash of a Bloom filter is one of a later revision",
        Made(_FILTER, edit(bloom=lambda found: (replace(found[0], hash=_HASH), found[1]))),
        "it is XXHASH, and bits are set that no value needs",
        Made(_FILTER, edit(bloom=lambda found: (found[0], b"\xff" * 32))),
    ),
    Fault(
        "PQ-BLOOM-006",
        "no-length",
        "a Bloom filter has no bloom_filter_length",
        Made(_NO_LENGTH),
        "it has one",
        Made(_FILTER),
    ),
)
