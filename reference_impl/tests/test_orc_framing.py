"""Compression chunks: every codec, chunks of every kind, positions, and what is refused."""

from __future__ import annotations

import zlib

import cramjam
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference_impl.errors import LimitExceeded, Malformed
from reference_impl.limits import Limits
from reference_impl.orc.framing import open_stream
from reference_impl.orc.schema import CompressionKind
from reference_impl.tests.orc_build import chunk, original

NONE, ZLIB, SNAPPY, LZO, LZ4, ZSTD, BROTLI = CompressionKind


def deflate(raw):
    """RFC 1951, without a header."""
    stream = zlib.compressobj(wbits=-15)
    return stream.compress(raw) + stream.flush()


def lzo(raw):
    """One LZO1X block."""
    return bytes(pytest.importorskip("lzallright").LZOCompressor().compress(raw))


CODECS = {
    ZLIB: deflate,
    SNAPPY: lambda raw: bytes(cramjam.snappy.compress_raw(raw)),
    LZO: lzo,
    LZ4: lambda raw: bytes(cramjam.lz4.compress_block(raw, store_size=False)),
    ZSTD: lambda raw: bytes(cramjam.zstd.compress(raw)),
    BROTLI: lambda raw: bytes(cramjam.brotli.compress(raw)),
}


def opened(raw, codec=ZLIB, block_size=1000, base=50, limits=None):
    """A stream at byte 50 of a file."""
    return open_stream(memoryview(raw), codec, block_size, base, limits or Limits())


def refused(raw, rule, offset, codec=ZLIB, block_size=1000):
    """Decompressing breaks this rule, at this offset of the file."""
    stream = opened(raw, codec, block_size)
    with pytest.raises(Malformed) as caught:
        _ = stream.data
    assert (caught.value.rule, caught.value.offset) == (rule, offset)


def test_headers_of_the_text():
    """100,000 compressed bytes have the header 40 0d 03, 5 original ones 0b 00 00."""
    (first,) = opened(bytes.fromhex("400d03") + bytes(100_000)).chunks
    assert first == (0, 100_000, False)
    (first,) = opened(bytes.fromhex("0b0000") + bytes(5)).chunks
    assert first == (0, 5, True)


def test_nothing_and_no_compression():
    """Without compression bytes are what they are; no bytes hold no bytes."""
    assert bytes(opened(b"abc", NONE).data) == b"abc"
    assert bytes(opened(b"", NONE).data) == b""
    assert bytes(opened(b"").data) == b""
    assert opened(b"abc", NONE).chunks == ()


@pytest.mark.parametrize("codec", CODECS)
@given(
    parts=st.lists(st.tuples(st.binary(max_size=60), st.integers(1, 20), st.booleans()), max_size=5),
    data=st.data(),
)
@settings(max_examples=25, deadline=None)
def test_round_trip_and_positions(codec, parts, data):
    """Chunks of any codec, original or not, join to their bytes; a position finds each of them."""
    parts = [(raw * times, stored) for raw, times, stored in parts]
    # Codecs have no block that stands for no bytes in few bytes of all of them; an empty chunk has none.
    chunks = [original(raw) if stored or not raw else chunk(CODECS[codec](raw)) for raw, stored in parts]
    stream = opened(b"".join(chunks), codec, block_size=1200)
    whole = b"".join(raw for raw, _ in parts)
    assert bytes(stream.data) == whole
    if not parts:
        return
    at = data.draw(st.integers(0, len(parts) - 1))
    within = data.draw(st.integers(0, len(parts[at][0])))
    before = sum(len(raw) for raw, _ in parts[:at])
    assert stream.locate(sum(map(len, chunks[:at])), within) == before + within
    assert stream.locate(len(stream.raw), 0) == len(whole)


@pytest.mark.parametrize("codec", CODECS)
def test_a_chunk_as_large_as_the_block_and_larger(codec):
    """A chunk may fill its block, and not a byte more."""
    raw = bytes(range(200)) * 5
    framed = chunk(CODECS[codec](raw))
    assert bytes(opened(framed, codec, 1000).data) == raw
    with pytest.raises(Malformed) as caught:
        _ = opened(framed, codec, 999).data
    # An LZ4 block does not say how long it is: that more follows looks like a stream that is broken.
    assert caught.value.rule in ("ORC-COMP-003", "ORC-COMP-004")
    assert codec == LZ4 or caught.value.rule == "ORC-COMP-003"


@pytest.mark.parametrize("codec", CODECS)
def test_no_bytes_in_a_chunk(codec):
    """A chunk of no bytes at all, said to be compressed, holds nothing and hides nothing."""
    raw = chunk(b"") + original(b"") + chunk(CODECS[codec](b"abcabc")) + chunk(b"")
    assert bytes(opened(raw, codec).data) == b"abcabc"


def test_broken_chunks():
    """Headers and bodies that are cut short, and what no codec has made."""
    refused(b"\x01", "ORC-COMP-001", 50)
    refused(original(b"abc") + b"\x01\x00", "ORC-COMP-001", 56)
    refused(original(b"abc")[:-1], "ORC-COMP-002", 50)
    refused(original(b"a" * 1001), "ORC-COMP-003", 50)
    refused(chunk(b"\xff\xff"), "ORC-COMP-004", 53)
    refused(chunk(deflate(b"abc")[:-1]), "ORC-COMP-004", 53)
    refused(chunk(zlib.compress(b"abc")), "ORC-COMP-004", 53)  # with a zlib header, that is
    refused(original(b"") + chunk(deflate(b"abc") + b"?"), "ORC-COMP-006", 56)


@pytest.mark.parametrize("codec", CODECS)
@given(st.binary(max_size=80))
@settings(max_examples=60, deadline=None)
def test_any_bytes(codec, raw):
    """Any bytes decompress to no more than the block, or are Malformed at an offset within them."""
    try:
        found = opened(chunk(raw), codec).data
    except Malformed as error:
        broken = error
    else:
        assert len(found) <= 1000
        return
    assert broken.rule.startswith("ORC-COMP-00")
    assert 50 <= broken.offset <= 53 + len(raw)


def test_positions_that_lead_nowhere():
    """A position names a chunk that begins there, and a byte that it has or the end of it."""
    stream = opened(original(b"abc") + original(b"de"))
    assert [stream.locate(0, 3), stream.locate(6, 0), stream.locate(6, 2), stream.locate(11, 0)] == [
        3,
        3,
        5,
        5,
    ]
    for start, offset in ((1, 0), (0, 4), (6, 3), (11, 1), (12, 0), (1 << 63, 0), (0, 1 << 63)):
        with pytest.raises(Malformed) as caught:
            stream.locate(start, offset)
        assert caught.value.rule == "ORC-INDEX-003"
    plain = opened(b"abc", NONE)
    assert plain.locate(0, 3) == 3
    with pytest.raises(Malformed):
        plain.locate(0, 4)


def test_a_stream_has_a_limit():
    """Chunks of a few bytes each expand to blocks of millions; their sum is limited."""
    body = chunk(CODECS[ZSTD](bytes(1 << 20)))
    with pytest.raises(LimitExceeded):
        _ = opened(body * 100, ZSTD, 1 << 20, limits=Limits(page_bytes=10 << 20)).data
