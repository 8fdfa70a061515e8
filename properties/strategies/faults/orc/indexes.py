"""Faults of row indexes and Bloom filters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from properties.strategies.faults.fault import Fault, File, at, fields
from properties.strategies.faults.orc.edits import edit, ints
from properties.strategies.faults.orc.places import row_indexes
from reference_impl.orc.plan import Bloom, Column, FilePlan, Index
from reference_impl.orc.schema import BloomFilter
from reference_impl.orc.tamper import Tamper

_GROUPS = ints((1, 2, 4, 9, 7), row_index_stride=2)


def _blooms(**form: Any) -> FilePlan:
    return ints((1, 2, 4, 9, 7), Column(bloom=Bloom(**form)), row_index_stride=2)


def _first(**changes: Any) -> Tamper:
    """Change the Bloom filter of the first row group."""
    return edit(bloom=fields(bloom_filter=at(0, fields(**changes))))


def _encoding(number: int) -> Tamper:
    return edit(encoding=fields(bloom_encoding=number))


FAULTS = (
    Fault(
        "ORC-INDEX-001/last-entry-missing",
        "there are two entries for three row groups",
        File(_GROUPS, edit(row_index=fields(entry=lambda entries: entries[:-1]))),
        "there are three, the last of one row",
        places=row_indexes(
            "an entry of a row index occurs twice",
            row_index=fields(entry=lambda entries: (*entries, entries[-1])),
        ),
    ),
    Fault(
        "ORC-INDEX-002/position-missing",
        "a position of the second row group is missing",
        File(_GROUPS, edit(positions=lambda positions: positions[:-1])),
        "the positions of the first row group are, which are all 0",
        File(replace(_GROUPS, columns=(Column(), Column(), Column(index=Index(empty_first=True))))),
    ),
    Fault(
        "ORC-INDEX-003/one-value-further",
        "the positions of the second row group lead to its second value",
        File(_GROUPS, edit(positions=lambda positions: (*positions[:-1], positions[-1] + 1))),
        "they lead to its first",
    ),
    Fault(
        "ORC-INDEX-004/column-without-index",
        "a column has no row index, and others have",
        File(replace(_GROUPS, columns=(Column(), Column(), Column(index=None)))),
        "none has",
        File(replace(_GROUPS, row_index_stride=0)),
    ),
    Fault(
        "ORC-BLOOM-001/filter-of-nothing",
        "a Bloom filter has no bit set",
        File(_blooms(), _first(utf8bitset=bytes(8))),
        "it has all of them",
        File(_blooms(), _first(utf8bitset=b"\xff" * 8)),
    ),
    Fault(
        "ORC-BLOOM-002/bit-set-of-7-bytes",
        "a bit set has 7 bytes",
        File(_blooms(), _first(utf8bitset=b"\xff" * 7)),
        "it has 8",
    ),
    Fault(
        "ORC-BLOOM-003/no-hash-functions",
        "a Bloom filter has 0 hash functions",
        File(_blooms(), _first(num_hash_functions=0)),
        "it has 1",
        File(_blooms(hashes=1)),
    ),
    Fault(
        "ORC-BLOOM-004/filter-too-many",
        "there are four Bloom filters for three row groups",
        File(
            _blooms(),
            edit(
                bloom=fields(
                    bloom_filter=lambda filters: (
                        *filters,
                        BloomFilter(num_hash_functions=1, utf8bitset=bytes(8)),
                    )
                )
            ),
        ),
        "there are three",
    ),
    Fault(
        "ORC-BLOOM-005/encoding-of-the-future",
        "bloom_encoding is 2",
        File(_blooms(), _encoding(2)),
        "it is 0",
        File(_blooms(), _encoding(0)),
    ),
    Fault(
        "ORC-BLOOM-006/words-in-bytes",
        "the bit set of a BLOOM_FILTER is in utf8bitset",
        File(_blooms(utf8=False, original=True), _first(bitset=(), utf8bitset=b"\xff" * 8)),
        "it is in bitset",
    ),
)
