"""Every codec there and back, against other writers, and against bytes and sizes that lie."""

from __future__ import annotations

import gzip
import random
import struct
import time
import tracemalloc
from contextlib import suppress
from importlib.util import find_spec

import cramjam
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.compression import blocks, compress, decompress, decompress_all, shrink
from reference_impl.compression import expand as expand_block
from reference_impl.compression.stream_ends import snappy_end, zstd_end
from reference_impl.errors import Malformed, Unsupported, UsageError
from reference_impl.parquet.schema import CompressionCodec as Codec
from reference_impl.tests.refusals import refused

HAS_LZO = find_spec("lzallright") is not None
CODECS = [codec for codec in Codec if codec != Codec.LZO or HAS_LZO]
SMALL = b"Hello, hello, hello Parquet! " * 50
NOISE = random.Random(1).randbytes(100_000)
ZEROS = bytes(5_000_000)
TEXT = " ".join(map(str, range(20_000))).encode()
every_codec = pytest.mark.parametrize("codec", CODECS, ids=lambda codec: codec.name)
needs_lzo = pytest.mark.skipif(not HAS_LZO, reason="lzallright is not installed")
HADOOP = [Codec.LZ4, pytest.param(Codec.LZO, marks=needs_lzo)]


def expand(codec, data, size):
    """Decompress, with a copy to compare."""
    return bytes(decompress(codec, memoryview(data), size))


@every_codec
@pytest.mark.parametrize("data", [b"", b"a", SMALL, NOISE, ZEROS], ids=["0", "1", "text", "noise", "zeros"])
def test_round_trip(codec, data):
    """Everything comes back."""
    assert expand(codec, compress(codec, data), len(data)) == data


@every_codec
@given(data=st.binary(max_size=200))
def test_any_bytes(codec, data):
    """Any small data comes back, also LZ4 blocks that could be taken for something else."""
    assert expand(codec, compress(codec, data), len(data)) == data


@pytest.mark.parametrize("data", [b"", b"a", SMALL, NOISE])
def test_a_frame_without_the_size_of_its_content(data):
    """A streamed frame of ZSTD has no size of its content, and comes back; other codecs have none."""
    frame = compress(Codec.ZSTD, data, streamed=True)
    assert not frame[4] & 0xE0  # Frame_Content_Size_flag and Single_Segment_flag (RFC 8878, 3.1.1.1.1)
    assert expand(Codec.ZSTD, frame, len(data)) == data
    with pytest.raises(UsageError):
        compress(Codec.GZIP, data, streamed=True)


@pytest.mark.parametrize("codec", [Codec.GZIP, Codec.ZSTD, *HADOOP])
@pytest.mark.parametrize("parts", [2, 3, 7])
def test_parts(codec, parts):
    """Several members, frames and blocks make one page, empty ones among them."""
    for data in (b"", b"ab", SMALL, NOISE):
        assert expand(codec, compress(codec, data, parts=parts), len(data)) == data


@every_codec
def test_no_bytes_for_no_values(codec):
    """An empty section of a v2 page may be left out altogether."""
    assert expand(codec, b"", 0) == b""
    with pytest.raises(Malformed):
        decompress(codec, memoryview(b""), 1)


@every_codec
@pytest.mark.parametrize("data", [SMALL, NOISE, ZEROS], ids=["text", "noise", "zeros"])
def test_declared_size_lies(codec, data):
    """A size that is not what comes out is refused, at once if it is beyond what the codec can do."""
    packed = memoryview(compress(codec, data))
    for size in (0, 1, len(data) - 1, len(data) + 1, 2 * len(data), 2**31 - 1):
        with pytest.raises(Malformed) as caught:
            decompress(codec, packed, size)
        assert caught.value.rule in {"PQ-CODEC-001", "PQ-CODEC-002"}
    with refused("PQ-CODEC-001"):
        decompress(codec, packed, -1)


@every_codec
def test_small_page_of_two_gigabytes(codec):
    """A declared size decides neither time nor memory."""
    packed = memoryview(compress(codec, b"x" * 1000)[:30])
    tracemalloc.start()
    start = time.process_time()
    with pytest.raises(Malformed):
        decompress(codec, packed, 2**31 - 1)
    seconds, (_, peak) = time.process_time() - start, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert seconds < 0.5
    assert peak < 10 << 20


@every_codec
def test_cut_off(codec):
    """A stream without any of its last bytes is refused."""
    packed = compress(codec, SMALL)
    for size in range(len(packed)):
        with pytest.raises(Malformed):
            decompress(codec, memoryview(packed)[:size], len(SMALL))


@every_codec
@pytest.mark.parametrize("follows", [b"\0", b"\0\0\0\0", b"\0" * 8, b"\xff", b"garbage, garbage"])
def test_bytes_behind_the_end(codec, follows):
    """Nothing may follow a stream, but for what is another part of it."""
    packed = compress(codec, SMALL) + follows
    if codec in (Codec.LZ4, Codec.LZO) and follows in (b"\0\0\0\0", b"\0" * 8):
        assert expand(codec, packed, len(SMALL)) == SMALL  # Hadoop blocks of no bytes
        return
    with pytest.raises(Malformed) as caught:
        decompress(codec, memoryview(packed), len(SMALL))
    assert caught.value.rule.startswith("PQ-CODEC-")


@pytest.mark.parametrize("codec", [Codec.SNAPPY, Codec.GZIP, Codec.ZSTD, Codec.BROTLI])
@pytest.mark.parametrize(
    "data", [b"", SMALL, NOISE[:70_000], ZEROS[:300_000]], ids=["0", "text", "noise", "0s"]
)
def test_bytes_behind_the_end_are_named(codec, data):
    """A stream that shows where it ends is whole: what follows is wrong, and the data are known."""
    for parts in (1, 3) if codec in {Codec.GZIP, Codec.ZSTD} else (1,):
        for follows in (b"\0", b"\0" * 8, b"\xff", b"\x1f", b"\x28\xb5\x2f", b"garbage, garbage"):
            packed = memoryview(compress(codec, data, parts=parts) + follows)
            with refused("PQ-CODEC-003"):
                decompress(codec, packed, len(data))
            assert decompress_all(codec, packed, len(data)) == data


@pytest.mark.parametrize(("codec", "end"), [(Codec.SNAPPY, snappy_end), (Codec.ZSTD, zstd_end)])
@pytest.mark.parametrize("data", [b"a", SMALL, NOISE[:5_000], ZEROS[:5_000]])
def test_where_a_stream_ends(codec, end, data):
    """The framing alone shows the end, and that a stream which is cut short has none."""
    packed = compress(codec, data)
    assert end(memoryview(packed)) == len(packed)
    assert end(memoryview(packed + b"\0\1")) == len(packed)
    for size in range(len(packed)):
        assert end(memoryview(packed)[:size]) is None


@every_codec
def test_hostile(codec):
    """Random and damaged bytes raise Malformed, or give as many bytes as declared; soon."""
    dice = random.Random(codec.name)
    streams = [dice.randbytes(dice.randrange(1, 100)) for _ in range(150)]
    packed = compress(codec, SMALL + NOISE[:200])
    for _ in range(150):
        damaged = bytearray(packed)
        damaged[dice.randrange(len(damaged))] ^= 1 << dice.randrange(8)
        streams.append(bytes(damaged))
    start = time.process_time()
    for stream in streams:
        for size in (len(SMALL) + 200, 50):
            with suppress(Malformed):
                assert len(decompress(codec, memoryview(stream), size)) == size
    assert time.process_time() - start < 10


@pytest.mark.parametrize("room", [2**31, 2**63 - 1, 2**64 - 1])
@pytest.mark.parametrize("codec", ["ZLIB", "SNAPPY", "LZ4", "ZSTD", "BROTLI"])
def test_blocks_of_any_size(codec, room):
    """ORC's blocks may be as large as a uint64 says, and hold as little as they hold."""
    assert bytes(expand_block(codec, memoryview(shrink(codec, b"abc" * 9)), room)) == b"abc" * 9


def test_unknown_codec():
    """A codec that the enum has not is not supported."""
    with pytest.raises(Unsupported, match="codec 99"):
        decompress(99, memoryview(b""), 0)


def test_panic(monkeypatch):
    """A panic in Rust code, which is no Exception, is the stream's fault; what is not ours goes through."""
    panic = type("PanicException", (BaseException,), {"__module__": "pyo3_runtime"})
    for raised, expected in ((panic("out of bounds"), Malformed), (KeyboardInterrupt(), KeyboardInterrupt)):

        def fail(*_args, raised=raised):
            raise raised

        monkeypatch.setattr(cramjam.snappy, "decompress_raw_into", fail)
        with pytest.raises(expected):
            decompress(Codec.SNAPPY, memoryview(compress(Codec.SNAPPY, SMALL)), len(SMALL))


def test_snappy_header():
    """The size in Snappy's own header is the page's."""
    with refused("PQ-CODEC-001"):
        decompress(Codec.SNAPPY, memoryview(compress(Codec.SNAPPY, SMALL)), len(SMALL) - 1)
    with refused("PQ-CODEC-002"):
        decompress(Codec.SNAPPY, memoryview(b"\xff" * 10), 100)


@pytest.mark.parametrize("stream", [b"\x78\x9c", b"\x1f\x8b\x08\x00"])
def test_gzip_is_not_zlib(stream):
    """GZIP is RFC 1952, whole, "not the closely-related zlib or deflate formats"."""
    with refused("PQ-CODEC-002"):
        decompress(Codec.GZIP, memoryview(stream), 10)


def test_gzip_damaged_checksum():
    """The checksum of a member is checked."""
    packed = bytearray(compress(Codec.GZIP, SMALL))
    packed[-5] ^= 1
    with refused("PQ-CODEC-002"):
        decompress(Codec.GZIP, memoryview(bytes(packed)), len(SMALL))


def test_gzip_many_empty_members():
    """Thousands of empty members take a time in proportion to their bytes."""
    stream = gzip.compress(b"") * 50_000
    start = time.process_time()
    assert expand(Codec.GZIP, stream, 0) == b""
    assert time.process_time() - start < 5


def test_zstd_skippable_frame():
    """RFC 8878, "Skippable Frames": they hold nothing, and may stand between others."""
    skip = struct.pack("<II", 0x184D2A50, 4) + b"note"
    packed = compress(Codec.ZSTD, b"ab") + skip + compress(Codec.ZSTD, b"cd")
    assert expand(Codec.ZSTD, packed, 4) == b"abcd"


def test_brotli_trailing_byte():
    """What the Brotli library ignores is refused all the same."""
    with refused("PQ-CODEC-003"):
        decompress(Codec.BROTLI, memoryview(compress(Codec.BROTLI, SMALL) + b"\0"), len(SMALL))


def test_expansion_that_is_real():
    """The largest expansions are read: a buffer grows with what really comes out."""
    for codec in (Codec.ZSTD, Codec.BROTLI, Codec.GZIP):
        data = bytes(10_000_000)
        packed = compress(codec, data)
        assert decompress(codec, memoryview(packed), len(data)) == memoryview(data)
        with refused("PQ-CODEC-001"):
            decompress(codec, memoryview(packed), len(data) - 1)


@pytest.mark.parametrize("codec", HADOOP)
def test_hadoop_chunks(codec):
    """A block may come in several chunks; a bare block is read too."""
    halves = [shrink(codec.name, SMALL[:700]), shrink(codec.name, SMALL[700:])]
    chunks = b"".join(struct.pack(">I", len(half)) + half for half in halves)
    assert expand(codec, struct.pack(">I", len(SMALL)) + chunks, len(SMALL)) == SMALL
    assert expand(codec, shrink(codec.name, SMALL), len(SMALL)) == SMALL


@pytest.mark.parametrize("codec", HADOOP)
@pytest.mark.parametrize("size", [10, 1449, 1451, 2**32 - 1])
def test_hadoop_block_size_lies(codec, size):
    """The size of a block is what its chunks hold, within the page."""
    packed = struct.pack(">I", size) + compress(codec, SMALL)[4:]
    with refused("PQ-CODEC-002" if (codec, size) == (Codec.LZ4, 10) else "PQ-CODEC-001"):
        decompress(codec, memoryview(packed), len(SMALL))


@pytest.mark.parametrize("codec", HADOOP)
def test_hadoop_chunk_of_nothing(codec):
    """A chunk that holds no bytes brings a block no further: refused, not read for ever."""
    empty = shrink(codec.name, b"")
    packed = struct.pack(">II", 5, len(empty)) + empty
    with refused("PQ-CODEC-001"):
        decompress(codec, memoryview(packed), 5)


def test_lz4_block_behind_its_size():
    """What python-lz4 writes, a length and a block, is none of the forms of Parquet."""
    packed = cramjam.lz4.compress_block(SMALL, store_size=True)
    for codec in (Codec.LZ4_RAW, Codec.LZ4):
        with pytest.raises(Malformed):
            decompress(codec, memoryview(bytes(packed)), len(SMALL))


def test_lz4_block_that_looks_like_a_size():
    """A block whose first bytes could be such a length, before another block, is read for what it is."""
    literals = NOISE[: 15 + 255 * 254 + 254]
    packed = b"\x1f\0\x01\0" + b"\xff" * 257 + b"\0" + b"\xf0" + b"\xff" * 254 + b"\xfe" + literals
    data = bytes(1 + 19 + 255 * 257) + literals
    mistaken = bytearray(len(data))
    assert cramjam.lz4.decompress_block_into(packed, mistaken) == 65295  # what the library makes of it alone
    assert expand(Codec.LZ4_RAW, packed, len(data)) == data
    with pytest.raises(Malformed):
        decompress(Codec.LZ4_RAW, memoryview(packed), 65295)


@pytest.mark.parametrize("room", [1 << 24, (1 << 24) + 1])
def test_lz4_limit_makes_no_block(room):
    """What we put before a block, to learn its size, never makes a block of bytes that are none."""
    packed = b"\x01\0\xf0" + b"\xff" * 300 + bytes(80_000)
    with refused("PQ-CODEC-002"):
        blocks.lz4_block(memoryview(packed[: 3 + 300 + 1 + 15 + 300 * 255]), room, 0)


@needs_lzo
def test_lzo_trailing_bytes():
    """An LZO block ends with its end marker."""
    block = shrink("LZO", SMALL) + b"\0"
    with refused("PQ-CODEC-003"):
        blocks.lzo_block(memoryview(block), len(SMALL), 0)


def test_without_the_lzo_library(monkeypatch):
    """The error says what to install."""
    monkeypatch.setattr(blocks, "lzallright", None)
    with pytest.raises(Unsupported, match=r"pip install \"colconf\[lzo\]\""):
        decompress(Codec.LZO, memoryview(b"\0\0\0\1\0\0\0\1a"), 1)
    with pytest.raises(Unsupported, match=r"pip install"):
        compress(Codec.LZO, b"a")


def test_compress_refuses():
    """Parts that a codec has not are the caller's mistake."""
    for codec, parts in ((Codec.SNAPPY, 2), (Codec.GZIP, 0)):
        with pytest.raises(UsageError):
            compress(codec, SMALL, parts=parts)


def test_levels():
    """A level is passed on to the codecs that have one."""
    for codec in (Codec.GZIP, Codec.ZSTD, Codec.BROTLI):
        assert len(compress(codec, TEXT, level=9)) != len(compress(codec, TEXT, level=1))


@pytest.mark.parametrize(
    ("codec", "name"),
    [
        (Codec.SNAPPY, "snappy"),
        (Codec.GZIP, "gzip"),
        (Codec.BROTLI, "brotli"),
        (Codec.ZSTD, "zstd"),
        (Codec.LZ4_RAW, "lz4_raw"),
        (Codec.LZ4, "lz4_raw"),  # as parquet-cpp wrote it before Arrow 1.0
    ],
)
def test_against_arrow(codec, name):
    """What Arrow's codec writes is read, and what we write Arrow's codec reads."""
    pa = pytest.importorskip("pyarrow")
    arrow = pa.Codec(name)
    for data in (b"a", SMALL, NOISE):
        assert expand(codec, arrow.compress(data, asbytes=True), len(data)) == data
        ours = shrink("LZ4", data) if codec == Codec.LZ4 else compress(codec, data)
        assert arrow.decompress(ours, len(data), asbytes=True) == data
