"""Faults of row indexes and Bloom filters."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from properties.strategies.faults.common import Fault, Made, at, fields
from properties.strategies.faults.orc.fault import edit, ints
from reference_impl.orc.plan import Bloom, Column, Index
from reference_impl.orc.schema import BloomFilter

if TYPE_CHECKING:
    from reference_impl.orc.plan import FilePlan
    from reference_impl.orc.tamper import Tamper

_GROUPS = ints((1, 2, 4, 9, 7), row_index_stride=2)


def _blooms(**form: Any) -> FilePlan:
    return ints((1, 2, 4, 9, 7), Column(bloom=Bloom(**form)), row_index_stride=2)


def _first(**changes: Any) -> Tamper:
    """Change the Bloom filter of the first row group."""
    return edit(bloom=fields(bloom_filter=at(0, fields(**changes))))


def _encoding(number: int) -> Tamper:
    return edit(stripe_footer=fields(columns=at(2, fields(bloom_encoding=number))))


FAULTS = (
    Fault(
        "ORC-INDEX-001",
        "last-entry-missing",
        "there are two entries for three row groups",
        Made(_GROUPS, edit(row_index=fields(entry=lambda entries: entries[:-1]))),
        "there are three, the last of one row",
        Made(_GROUPS),
    ),
    Fault(
        "ORC-INDEX-002",
        "position-missing",
        "a position of the second row group is missing",
        Made(_GROUPS, edit(positions=lambda positions: positions[:-1])),
        "the positions of the first row group are, which are all 0",
        Made(replace(_GROUPS, columns=(Column(), Column(), Column(index=Index(empty_first=True))))),
    ),
    Fault(
        "ORC-INDEX-003",
        "one-value-further",
        "the positions of the second row group lead to its second value",
        Made(_GROUPS, edit(positions=lambda positions: (*positions[:-1], positions[-1] + 1))),
        "they lead to its first",
        Made(_GROUPS),
    ),
    Fault(
        "ORC-INDEX-004",
        "column-without-index",
        "a column has no row index, and others have",
        Made(replace(_GROUPS, columns=(Column(), Column(), Column(index=None)))),
        "none has",
        Made(replace(_GROUPS, row_index_stride=0)),
    ),
    Fault(
        "ORC-BLOOM-001",
        "filter-of-nothing",
        "a Bloom filter has no bit set",
        Made(_blooms(), _first(utf8bitset=bytes(8))),
        "it has all of them",
        Made(_blooms(), _first(utf8bitset=b"\xff" * 8)),
    ),
    Fault(
        "ORC-BLOOM-002",
        "bit-set-of-7-bytes",
        "a bit set has 7 bytes",
        Made(_blooms(), _first(utf8bitset=b"\xff" * 7)),
        "it has 8",
        Made(_blooms()),
    ),
    Fault(
        "ORC-BLOOM-003",
        "no-hash-functions",
        "a Bloom filter has 0 hash functions",
        Made(_blooms(), _first(num_hash_functions=0)),
        "it has 1",
        Made(_blooms(hashes=1)),
    ),
    Fault(
        "ORC-BLOOM-004",
        "filter-too-many",
        "there are four Bloom filters for three row groups",
        Made(
            _blooms(),
            edit(
                bloom=fields(
                    bloom_filter=lambda found: (
                        *found,
                        BloomFilter(num_hash_functions=1, utf8bitset=bytes(8)),
                    )
                )
            ),
        ),
        "there are three",
        Made(_blooms()),
    ),
    Fault(
        "ORC-BLOOM-005",
        "encoding-of-the-future",
        "bloom_encoding is 2",
        Made(_blooms(), _encoding(2)),
        "it is 0",
        Made(_blooms(), _encoding(0)),
    ),
    Fault(
        "ORC-BLOOM-006",
        "words-in-bytes",
        "the bit set of a BLOOM_FILTER is in utf8bitset",
        Made(
            _blooms(utf8=False, original=True),
            _first(bitset=(), utf8bitset=b"\xff" * 8),
        ),
        "it is in bitset",
        Made(_blooms(utf8=False, original=True)),
    ),
)
