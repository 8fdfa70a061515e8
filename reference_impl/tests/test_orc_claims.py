"""Stripes and dictionaries that claim more values than the limit: a broken rule, unless they have them."""

from __future__ import annotations

import pytest

from reference_impl.errors import LimitExceeded, Malformed
from reference_impl.limits import Limits
from reference_impl.orc.file import OrcFile
from reference_impl.orc.schema import ColumnEncoding, EncodingKind, StreamKind, TypeKind
from reference_impl.orc.validate import examine
from reference_impl.tests.orc_build import DATA, LENGTH, file, stripe, struct

MANY = (1 << 31) - 1
ONE = b"\xff\x02"  # a literal run of one integer or byte
V2 = ColumnEncoding(kind=EncodingKind.DIRECT_V2)
WORDS = ColumnEncoding(kind=EncodingKind.DICTIONARY, dictionary_size=MANY)
PRESENT, WORD = StreamKind.PRESENT, StreamKind.DICTIONARY_DATA


def of_column(kind, streams, rows, encoding=None):
    """Return a file of one stripe with one column."""
    types = struct(a=kind)
    named = {(1, stream): data for stream, data in streams.items()}
    return file(types, [stripe(types, rows, named, {1: encoding} if encoding else None)])


CLAIMS = {
    "runs": ("ORC-RLE1-001", TypeKind.INT, {DATA: ONE}, MANY, None),
    "runs of version 2": ("ORC-RLE2-001", TypeKind.INT, {DATA: b"\x02\x02"}, MANY, V2),
    "bytes": ("ORC-BYTE-001", TypeKind.BYTE, {DATA: ONE}, MANY, None),
    "booleans": ("ORC-BOOL-001", TypeKind.BOOLEAN, {DATA: b"\xff\x80"}, MANY, None),
    "doubles": ("ORC-FLOAT-001", TypeKind.DOUBLE, {DATA: bytes(8)}, MANY, None),
    "strings": ("ORC-RLE1-001", TypeKind.STRING, {DATA: b"x", LENGTH: b"\xff\x01"}, MANY, None),
    "nulls": ("ORC-BOOL-001", TypeKind.INT, {PRESENT: b"\xff\x80", DATA: ONE}, MANY, None),
    "no stream": ("ORC-STRIPE-012", TypeKind.INT, {}, MANY, None),
    "rows of 64 bits": ("ORC-RLE1-001", TypeKind.INT, {DATA: ONE}, (1 << 64) - 1, None),
    "a dictionary": (
        "ORC-STR-002",
        TypeKind.STRING,
        {DATA: b"\xff\x00", LENGTH: b"\xff\x01", WORD: b"x"},
        1,
        WORDS,
    ),
}


@pytest.mark.parametrize("name", CLAIMS)
def test_a_claim_of_too_many_values_is_a_broken_rule(name):
    """One value that is said to be two thousand million breaks a rule; it reaches no limit of ours."""
    rule, *column = CLAIMS[name]
    data = of_column(*column)
    with pytest.raises(Malformed) as caught:
        OrcFile(data).read()
    assert caught.value.rule == rule
    assert rule in {violation.rule for violation in examine(data).violations}


def test_a_claim_that_is_true_reaches_the_limit():
    """Values that are there, and too many for us, break no rule."""
    data = of_column(TypeKind.INT, {DATA: b"\x7f\x00\x02" * 2}, 260)  # two runs of 130 times 1
    assert OrcFile(data).read().num_rows == 260
    few = Limits(values=200)
    with pytest.raises(LimitExceeded):
        OrcFile(data, limits=few).read()
    report = examine(data, limits=few)
    assert report.violations == []
    assert report.unchecked == ["stripes[0].column 1 (a): 260 values; the limit is 200"]
