"""Files as old and other writers leave them: what does not stop decoding is noted, and the values are right.

Each file is that of a writer by what is wrong with it, put together by hand. A strict reader refuses it.
"""

from __future__ import annotations

import struct

import pytest

from reference_impl.columns import to_python
from reference_impl.compression import compress
from reference_impl.errors import LimitExceeded, Malformed
from reference_impl.limits import Limits
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.schema import CompressionCodec, Encoding, Type
from reference_impl.parquet.statistics_structs import Statistics
from reference_impl.parquet.validate import validate
from reference_impl.tests.build import (
    OPTIONAL,
    REPEATED,
    column,
    file,
    page_dictionary,
    page_v1,
    page_v2,
)
from reference_impl.tests.refusals import refused

INTS = struct.pack("<3i", 1, 2, 3)
PLAIN = page_v1(INTS, 3)
DICTIONARY = page_dictionary(INTS, 3)
INDEXED = page_v1(b"\x02\x03\x24\x00", 3, Encoding.RLE_DICTIONARY)
BODY = len(DICTIONARY) + len(INDEXED)
HEADERS = BODY - len(INTS) - 4
CODECS = {
    codec: INTS if codec == CompressionCodec.UNCOMPRESSED else compress(codec, INTS)
    for codec in CompressionCodec
    if codec != CompressionCodec.LZO  # has a library of its own
}


def chunk(**meta):
    """Return a file of a dictionary page and a page of indices."""
    offsets = {"dictionary_page_offset": 4, "data_page_offset": 4 + len(DICTIONARY)}
    return file([DICTIONARY, INDEXED], rows=3, meta=offsets | meta)


def inflating(stored, codec, size):
    """Return a file of a compressed page of three numbers that says that it expands to `size` bytes."""
    raw = page_v1(INTS, 3, stored=stored, uncompressed_page_size=size)
    total = len(raw) - len(stored) + len(INTS)
    return file([raw], rows=3, meta={"codec": codec, "total_uncompressed_size": total})


def lists(header=None, **more):
    """Return a file of the lists [1, 2] and [3] in a v2 page, whose header says something else."""
    raw = page_v2(b"\x03\x02", b"\x03\x07", INTS, {"num_rows": 2} | (header or {}), **more)
    return file([raw], column(repetition=REPEATED), rows=2, values=3)


def footer_and(more):
    """Return a file with bytes behind its metadata, which the footer's length counts."""
    data = file([PLAIN], rows=3)
    length = int.from_bytes(data[-8:-4], "little") + len(more)
    return data[:-8] + more + length.to_bytes(4, "little") + b"PAR1"


TWO, ONE = page_v1(INTS[:8], 2), page_v1(INTS[8:], 1)
SQUEEZED = page_v1(INTS, 3, stored=CODECS[CompressionCodec.SNAPPY])
FILES = {
    "parquet-mr before 1.2.9: the header of the dictionary page is not counted (IMPALA-694)": (
        chunk(total_compressed_size=BODY - (len(DICTIONARY) - len(INTS))),
        ["PQ-CHUNK-017"],
    ),
    "parquet.js: no header is counted": (
        chunk(total_compressed_size=BODY - HEADERS, total_uncompressed_size=BODY - HEADERS),
        ["PQ-CHUNK-017", "PQ-CHUNK-007"],
    ),
    "the compressed size is less than that of the pages": (
        chunk(total_compressed_size=BODY - 1),
        ["PQ-CHUNK-017"],
    ),
    "the compressed size is that of the first page": (
        file([TWO, ONE], rows=3, meta={"total_compressed_size": len(TWO)}),
        ["PQ-CHUNK-017"],
    ),
    "the compressed size is 0": (
        file([TWO, ONE], rows=3, meta={"total_compressed_size": 0}),
        ["PQ-CHUNK-017"],
    ),
    "the chunk would reach into the footer": (chunk(total_compressed_size=BODY + 1), ["PQ-CHUNK-004"]),
    "the chunk would reach beyond the file": (chunk(total_compressed_size=1 << 40), ["PQ-CHUNK-004"]),
    "DuckDB 0.8 and before: the uncompressed size is that of the compressed chunk": (
        file(
            [SQUEEZED],
            rows=3,
            meta={"codec": CompressionCodec.SNAPPY, "total_uncompressed_size": len(SQUEEZED)},
        ),
        ["PQ-CHUNK-007"],
    ),
    "pyarrow 8 to 10: num_rows of a v2 page of lists counts values": (
        lists({"num_rows": 3}),
        ["PQ-PAGE-009"],
    ),
    "num_nulls of a v2 page is 0": (
        file(
            [page_v2(b"", b"\x03\x05", INTS[:8], {"num_values": 3, "num_rows": 3})],
            column(repetition=OPTIONAL),
            rows=3,
        ),
        ["PQ-PAGE-008"],
    ),
    "fastparquet: the encodings leave out that of the pages": (
        file([PLAIN], rows=3, meta={"encodings": [Encoding.RLE, Encoding.BIT_PACKED]}),
        ["PQ-CHUNK-008"],
    ),
    "bytes behind the values": (file([page_v1(INTS + b"\0\0", 3)], rows=3), ["PQ-PAGE-013"]),
    "bytes behind the dictionary": (
        file([page_dictionary(INTS + b"\0", 3), INDEXED], rows=3),
        ["PQ-PAGE-013"],
    ),
    **{
        f"bytes behind the stream of {codec.name}": (
            inflating(CODECS[codec] + bytes(8), codec, len(INTS)),
            ["PQ-CODEC-003"],
        )
        for codec in (CompressionCodec.SNAPPY, CompressionCodec.GZIP, CompressionCodec.ZSTD)
    },
    "a chunk ends in a page of nothing, which lacks the size of its levels": (
        file(
            [page_v1(b"\2\0\0\0\3\5" + INTS[:8], 3), page_v1(b"", 0)],
            column(repetition=OPTIONAL),
            rows=3,
        ),
        ["PQ-RLE-001"],
    ),
    "bytes behind the metadata": (footer_and(b"!!"), ["PQ-FILE-005"]),
    "the file counts other rows": (file([PLAIN], rows=3, footer={"num_rows": 0}), ["PQ-FILE-008"]),
    "the chunk counts other values": (file([PLAIN], rows=3, values=2), ["PQ-CHUNK-006"]),
    "a v2 page that is not compressed has another size": (
        file([page_v2(b"", b"", INTS, {"is_compressed": False}, uncompressed_page_size=0)], rows=3),
        ["PQ-PAGE-007"],
    ),
    "levels are not counted in the size of a v2 page": (lists(uncompressed_page_size=12), ["PQ-CODEC-001"]),
    "the size of a v2 page is less than its levels": (lists(uncompressed_page_size=2), ["PQ-PAGE-006"]),
    "a size below zero": (file([page_v1(INTS, 3, uncompressed_page_size=-5)], rows=3), ["PQ-PAGE-002"]),
}


_FALSE = {"statistics": Statistics(min=struct.pack("<i", 2), max=struct.pack("<i", 3), null_count=0)}


@pytest.mark.parametrize(
    ("pages", "rule"),
    [
        ([page_v1(INTS + b"\0\0", 3)], "PQ-PAGE-013"),
        ([page_v2(b"", b"", INTS, {"num_rows": 2})], "PQ-PAGE-009"),
        ([page_v2(b"", b"", INTS, {"is_compressed": False}, uncompressed_page_size=0)], "PQ-PAGE-007"),
        ([page_v1(INTS, 3, uncompressed_page_size=-5)], "PQ-PAGE-002"),
    ],
)
def test_values_behind_a_breach_are_validated(pages, rule):
    """What the reader reads over does not keep the validator from comparing the values with statistics."""
    violations = {violation.rule: violation for violation in validate(file(pages, rows=3, meta=_FALSE))}
    assert violations[rule].path[-1] == "page[0]"
    assert "PQ-STATS-023" in violations  # there is a 1, and the minimum is 2


def read(data, **more):
    """Return the values of the only column, and the rules that were noted."""
    opened = ParquetFile(data, **more)
    return to_python(opened.read().columns[0]), [note.rule for note in opened.notes]


@pytest.mark.parametrize("name", FILES)
def test_it_is_read_and_noted(name):
    """The values come back, every breach is noted once, and the validator finds the first rule too."""
    data, rules = FILES[name]
    values, noted = read(data)
    assert values in ([1, 2, 3], [[1, 2], [3]], [1, None, 2])
    assert noted == rules
    opened = ParquetFile(data)
    opened.read()
    opened.read()
    assert [note.rule for note in opened.notes] == rules
    assert all(note.offset is not None for note in opened.notes)
    assert rules[0] in {violation.rule for violation in validate(data)}


@pytest.mark.parametrize("name", FILES)
def test_a_strict_reader_refuses_it(name, tmp_path):
    """A strict reader refuses the file by the first rule that it breaks, opened by path as well."""
    data, rules = FILES[name]
    with refused(rules[0]):
        ParquetFile(data, strict=True).read()
    path = tmp_path / "x.parquet"
    path.write_bytes(data)
    with refused(rules[0]):
        ParquetFile.open(path, strict=True).read()
    assert ParquetFile.open(path).read().num_rows in {2, 3}


@pytest.mark.parametrize("size", [0, 11, 13, 1000, (1 << 31) - 1])
@pytest.mark.parametrize("codec", CODECS, ids=lambda codec: codec.name)
def test_any_wrong_size_of_any_codec(codec, size):
    """A page is read whatever size it declares, and is not taken for one that is too large."""
    data = inflating(CODECS[codec], codec, size)
    for limits in (Limits(), Limits(page_bytes=100)):
        assert read(data, limits=limits) == ([1, 2, 3], ["PQ-CODEC-001"])
    with refused("PQ-CODEC-001"):
        ParquetFile(data, strict=True).read()


def test_a_wrong_size_is_named_where_decoding_fails_for_it():
    """A stream that is too short for its values breaks the rule of its size, too, not theirs alone."""
    data = inflating(b"\x01\x00\x2a", CompressionCodec.SNAPPY, 12)  # a stream of one byte
    assert {"PQ-CODEC-001", "PQ-PLAIN-001"} <= {violation.rule for violation in validate(data)}


@pytest.mark.parametrize("codec", [CompressionCodec.GZIP, CompressionCodec.ZSTD, CompressionCodec.SNAPPY])
def test_a_stream_that_is_cut_short_is_refused(codec):
    """A size that is wrong is no reason to return what is left of a damaged stream."""
    with pytest.raises(Malformed):
        read(inflating(CODECS[codec][:-1], codec, 50))


@pytest.mark.parametrize("codec", CODECS, ids=lambda codec: codec.name)
def test_a_size_that_is_right_reaches_the_limit(codec):
    """A page that really is larger than the limit breaks no rule."""
    with pytest.raises(LimitExceeded):
        read(inflating(CODECS[codec], codec, 12), limits=Limits(page_bytes=11))


MANY = (1 << 31) - 1
ALL_THERE = b"\xfe\xff\xff\xff\x0f\x01"  # one run of 2,147,483,647 ones
ONE_DELTA = b"\x80\x01\x04\x01\x02"  # blocks of 128, 4 miniblocks, 1 value, which is 1
ALL_NULL = b"\xfe\xff\xff\xff\x0f\x00"  # one run of 2,147,483,647 zeros
MANY_V2 = {"num_values": MANY, "num_rows": MANY}
CLAIMS = {
    "plain": ("PQ-PLAIN-001", page_v1(INTS[:4], MANY)),
    "plain v2": ("PQ-PLAIN-001", page_v2(b"", b"", INTS[:4], MANY_V2)),
    "indices": ("PQ-RLE-006", page_v1(b"\x02\x03\x24\x00", MANY, Encoding.RLE_DICTIONARY)),
    "runs": ("PQ-RLE-006", page_v1(b"\2\0\0\0\x03\x01", MANY, Encoding.RLE)),
    "streams": ("PQ-BSS-001", page_v1(INTS[:4], MANY, Encoding.BYTE_STREAM_SPLIT)),
    "dictionary": ("PQ-PLAIN-001", page_dictionary(INTS[:4], MANY)),
    "levels": ("PQ-RLE-006", page_v1(b"\2\0\0\0\x03\x01" + INTS[:4], MANY)),
    "levels v2": ("PQ-RLE-006", page_v2(b"", b"\x03\x01", INTS[:4], MANY_V2)),
    "deltas": ("PQ-DBP-004", page_v1(ONE_DELTA, MANY, Encoding.DELTA_BINARY_PACKED)),
    "lengths": ("PQ-DBP-004", page_v1(ONE_DELTA + b"x", MANY, Encoding.DELTA_LENGTH_BYTE_ARRAY)),
    "prefixes": ("PQ-DBP-004", page_v1(ONE_DELTA + ONE_DELTA, MANY, Encoding.DELTA_BYTE_ARRAY)),
    "vectors": ("PQ-ALP-009", page_v1(b"\0\0\3" + MANY.to_bytes(4, "little") + bytes(8), MANY, Encoding.ALP)),
    "levels that are there": ("PQ-PLAIN-001", page_v1(b"\6\0\0\0" + ALL_THERE + INTS, MANY)),
    "levels that are there, v2": ("PQ-PLAIN-001", page_v2(b"", ALL_THERE, INTS, MANY_V2)),
    "bit-packed levels": ("PQ-BITPACKED-001", page_v1(b"\x80", MANY, levels=Encoding.BIT_PACKED)),
}


@pytest.mark.parametrize("name", CLAIMS)
def test_a_claim_of_too_many_values_is_a_broken_rule(name):
    """A page of one value that claims 2,147,483,647 breaks a rule; it reaches no limit of ours."""
    rule, raw = CLAIMS[name]
    kinds = {"lengths": Type.BYTE_ARRAY, "prefixes": Type.BYTE_ARRAY, "vectors": Type.DOUBLE}
    leaf = column(repetition=OPTIONAL if "levels" in name else 0, kind=kinds.get(name, Type.INT32))
    data = file([raw], leaf, rows=MANY)
    for strict in (False, True):
        with refused(rule):
            ParquetFile(data, strict=strict).read()
    assert rule in {violation.rule for violation in validate(data)}


def test_a_claim_that_the_chunk_denies_is_a_broken_rule():
    """A page that claims more values than its chunk breaks a rule, also where its bytes may hold them."""
    with refused("PQ-CHUNK-006"):
        read(file([page_v1(ALL_NULL, MANY, Encoding.DELTA_BINARY_PACKED)], rows=1))


@pytest.mark.parametrize(
    "raw",
    [
        page_v1(len(ALL_NULL).to_bytes(4, "little") + ALL_NULL, MANY),
        page_v2(b"", ALL_NULL, b"", MANY_V2 | {"num_nulls": MANY}),
    ],
)
def test_a_claim_that_is_true_reaches_the_limit(raw):
    """A run of 2,147,483,647 nulls takes six bytes: the file is legal, and too large for us."""
    with pytest.raises(LimitExceeded):
        read(file([raw], column(repetition=OPTIONAL), rows=MANY))


@pytest.mark.parametrize("missing", [1, 3, HEADERS + 1, -5])
def test_a_chunk_ends_where_its_pages_do(missing):
    """Any other size is wrong if the pages end where the next part of the file begins; else nobody knows."""
    pages, size = [DICTIONARY, INDEXED], BODY - missing
    offsets = {"dictionary_page_offset": 4, "data_page_offset": 4 + len(DICTIONARY)}
    meta = {**offsets, "total_compressed_size": size, "total_uncompressed_size": BODY}
    follows = {"chunk": {"column_index_offset": 4 + BODY, "column_index_length": 9}}
    assert read(file([*pages, bytes(9)], rows=3, meta=meta, **follows)) == ([1, 2, 3], ["PQ-CHUNK-017"])
    with pytest.raises(Malformed) as caught:
        read(file([*pages, bytes(9)], rows=3, meta=meta))
    assert caught.value.rule != "PQ-CHUNK-017"
