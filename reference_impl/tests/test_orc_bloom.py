"""Bloom filters of ORC admit what is stored, whoever wrote them."""

from __future__ import annotations

import datetime as dt
import decimal
import io
import os
import struct
from pathlib import Path

import pytest

from reference_impl.columns import to_python
from reference_impl.errors import UsageError
from reference_impl.orc import bloom
from reference_impl.orc.file import OrcFile
from reference_impl.orc.plan import Bloom, Column
from reference_impl.orc.schema import BloomFilter, StreamKind, Type, TypeKind
from reference_impl.orc.writer import write
from reference_impl.tests.orc_plans import PRIMITIVES, of_values, plan, with_columns

HASHED = [name for name in PRIMITIVES if name != "boolean"]
WORDS = 40


def missing(file, skip=()):
    """Return what the filters of a file do not admit though it is there: (column, row group, value)."""
    out, seen = [], 0
    for stripe in range(len(file.footer.stripes)):
        for node, column in zip(file.root.children, file.read(stripes=[stripe]).columns, strict=True):
            if node.name in skip:
                continue
            values = to_python(column)
            scale = node.scale if node.kind is TypeKind.DECIMAL else 0
            stride = file.footer.row_index_stride
            for kind, index in file.bloom_filters(stripe, node.id).items():
                for group, found in enumerate(index.bloom_filter):
                    words = bloom.words_of(found)
                    here = [each for each in values[group * stride :][:stride] if each is not None]
                    seen += len(here)
                    hashes = [bloom.hash_of(node.kind, each, scale) for each in here]
                    admitted = [bloom.might_contain(words, found.num_hash_functions, each) for each in hashes]
                    out += [(kind, node.name, group) for ok in admitted if not ok]
    return out, seen


@pytest.mark.parametrize("original", [False, True])
def test_own(original):
    """All that is stored is admitted, by both kinds of streams."""
    layout = Column(bloom=Bloom(WORDS, 4, utf8=not original, original=original))
    found = with_columns(plan(100, HASHED, row_index_stride=30), Column(), layout)
    out, seen = missing(OrcFile(write(found)))
    assert out == []
    assert seen > 80 * len(HASHED)


def test_a_nan_of_another_writer():
    """A NaN may be hashed as the one of Java or by its own bits; any other value in one way alone."""
    payload = bytes.fromhex("2a00c07f")
    (bits,) = struct.unpack("<q", struct.pack("<d", *struct.unpack("<f", payload)))
    assert list(bloom.hashes_of(TypeKind.FLOAT, payload)) == [
        bloom.of_long(0x7FF8000000000000),
        bloom.of_long(bits),
    ]
    assert bits & 0x7FFFFFFFFFFFF == 0x2A << 29
    assert list(bloom.hashes_of(TypeKind.LONG, 7)) == [bloom.of_long(7)]


def test_absent():
    """A filter with room refuses most of what is not there."""
    words = bloom.build(map(bloom.of_long, range(100)), WORDS, 4)
    admitted = [bloom.might_contain(words, 4, bloom.of_long(value)) for value in range(1000, 2000)]
    assert sum(admitted) < 30


def test_both_forms():
    """The bytes of `utf8bitset` are the words of `bitset`, little-endian."""
    as_bytes = BloomFilter(num_hash_functions=1, utf8bitset=bytes(range(16)) + b"rest")
    as_words = BloomFilter(bitset=(0x0706050403020100, 0x0F0E0D0C0B0A0908))
    assert bloom.words_of(as_bytes) == bloom.words_of(as_words)


@pytest.mark.unmeasured
def test_pyorc():
    """What pyorc wrote admits all of its values; not so CHAR, of which it hashes what stands behind."""
    pyorc = pytest.importorskip("pyorc")
    names = [f"c{number}" for number in range(13)]
    kinds = (
        "int,bigint,smallint,tinyint,double,float,string,binary,date,timestamp,"
        "decimal(20;4),varchar(8),timestamp with local time zone"
    )
    types = [kind.replace(";", ",") for kind in kinds.split(",")]
    out = io.BytesIO()
    schema = f"struct<{','.join(f'{name}:{kind}' for name, kind in zip(names, types, strict=True))}>"
    writer = pyorc.Writer(out, schema, bloom_filter_columns=names, row_index_stride=1000)
    first = dt.datetime(1960, 1, 1, tzinfo=dt.UTC)
    for i in range(1500):
        moment = first + dt.timedelta(seconds=i * 500_003.123)
        day = dt.date(1965, 1, 1) + dt.timedelta(days=i)
        part = decimal.Decimal(i) / 10 - 40
        numbers = (i - 100, i * 10**12, i, i % 100, i / 3, i / 4)
        row = (*numbers, f"s{i}", b"%d" % i, day, moment, part, f"v{i}", moment)
        writer.write(tuple(None if (i + at) % 9 == 0 else value for at, value in enumerate(row)))
    writer.close()
    out, seen = missing(OrcFile(out.getvalue()))
    assert out == []
    assert seen > 1300 * len(names)


def test_zone():
    """Without bloom_encoding 1, and in the older streams, a TIMESTAMP is hashed as an instant."""
    layout = Column(bloom=Bloom(original=True))
    wall, instant = (1_700_000_000, 0), (1_700_000_000 + 5 * 3600, 0)
    found = of_values(Type(kind=TypeKind.TIMESTAMP), [wall], writer_timezone="America/New_York")
    file = OrcFile(write(with_columns(found, Column(), layout)))
    streams = file.bloom_filters(0, 1)
    for kind, value in ((StreamKind.BLOOM_FILTER, instant), (StreamKind.BLOOM_FILTER_UTF8, wall)):
        (one,) = streams[kind].bloom_filter
        found = bloom.hash_of(TypeKind.TIMESTAMP, value)
        assert bloom.might_contain(bloom.words_of(one), 3, found), kind


@pytest.mark.parametrize(
    ("kind", "left", "right"),
    [
        (TypeKind.DECIMAL, (100, 2), (1, 0)),
        (TypeKind.DECIMAL, (-50, 3), (-5, 2)),
        (TypeKind.FLOAT, 0.5, b"\x00\x00\x00\x3f"),
        (TypeKind.DOUBLE, float("nan"), b"\x01\x00\x00\x00\x00\x00\xf8\xff"),
        (TypeKind.TIMESTAMP_INSTANT, (-1, 999_999_999), (-1, 999_000_000)),
    ],
)
def test_alike(kind, left, right):
    """Values that are equal, or of one millisecond, or NaN, have one hash."""
    assert bloom.hash_of(kind, left) == bloom.hash_of(kind, right)


def test_no_filter():
    """There are no Bloom filters of nested types."""
    with pytest.raises(UsageError):
        bloom.hash_of(TypeKind.LIST, [])


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["TestOrcFile.testPredicatePushdown", "bad_bloom_filter_1.6.0"])
def test_examples(name):
    """Other writers' files are as their specification says; those of C++ 1.6.0 are known not to be."""
    folder = os.environ.get("ORC_TEST_DATA")
    if folder is None:
        pytest.skip("ORC_TEST_DATA is not set")
    out, _ = missing(OrcFile(Path(folder, f"{name}.orc").read_bytes()))
    assert bool(out) == name.startswith("bad")
