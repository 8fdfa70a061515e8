"""Faults of Bloom filters."""

from __future__ import annotations

from dataclasses import replace

from properties.strategies.faults.edits import edit, ints
from properties.strategies.faults.fault import Fault, File, fields, one_more
from properties.strategies.faults.places import blooms_of_values, chunks
from reference_impl.parquet.page_structs import BloomFilterHash
from reference_impl.parquet.plan import Bloom, Column

_FILTER = ints(column=Column(bloom=Bloom()))
_HASH = BloomFilterHash(unknown=((2, 12, b"\0"),))
_NO_LENGTH = ints(column=Column(bloom=Bloom(length=False)))

FAULTS = (
    Fault(
        "PQ-BLOOM-001/filter-in-the-magic",
        "a Bloom filter begins inside the leading magic number",
        File(_FILTER, edit(placed_chunk=fields(meta_data=fields(bloom_filter_offset=3)))),
        "it is the last thing before the footer",
        places=chunks(lambda meta: meta.bloom_filter_offset is not None),
    ),
    Fault(
        "PQ-BLOOM-002/filter-one-byte-longer",
        "a Bloom filter has one byte less than bloom_filter_length says",
        File(_FILTER, edit(placed_chunk=fields(meta_data=fields(bloom_filter_length=one_more)))),
        "it has as many",
        places=chunks(lambda meta: meta.bloom_filter_length is not None),
    ),
    Fault(
        "PQ-BLOOM-005/value-not-admitted",
        "a Bloom filter says that a value is not there, and it is",
        File(_FILTER, edit(bloom=lambda pair: (pair[0], bytes(len(pair[1]))))),
        "it says that every value is there",
        File(_FILTER, edit(bloom=lambda pair: (pair[0], b"\xff" * 32))),
        places=blooms_of_values(),
    ),
    Fault(
        "PQ-BLOOM-003/part-of-a-block",
        "a Bloom filter has 33 bytes",
        File(_FILTER, edit(bloom=lambda pair: (replace(pair[0], numBytes=33), pair[1] + b"\0"))),
        "it has 32, one block",
    ),
    Fault(
        "PQ-BLOOM-004/hash-two",
        "the hash of a Bloom filter is one of a later revision",
        File(_FILTER, edit(bloom=lambda pair: (replace(pair[0], hash=_HASH), pair[1]))),
        "it is XXHASH, and bits are set that no value needs",
        File(_FILTER, edit(bloom=lambda pair: (pair[0], b"\xff" * 32))),
    ),
    Fault(
        "PQ-BLOOM-006/no-length",
        "a Bloom filter has no bloom_filter_length",
        File(_NO_LENGTH),
        "it has one",
        File(_FILTER),
    ),
)
