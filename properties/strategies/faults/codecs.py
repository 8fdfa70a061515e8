"""Faults of compressed pages."""

from __future__ import annotations

from properties.strategies.faults.edits import edit, ints
from properties.strategies.faults.fault import Fault, File, fields, one_more
from properties.strategies.faults.places import compressed, pages
from reference_impl.parquet.plan import Column
from reference_impl.parquet.schema import CompressionCodec

_VALUES = [7] * 40
_SNAPPY = ints(_VALUES, Column(codec=CompressionCodec.SNAPPY))
_GZIP = ints(_VALUES, Column(codec=CompressionCodec.GZIP))
_BROTLI = ints(_VALUES, Column(codec=CompressionCodec.BROTLI))

FAULTS = (
    Fault(
        "PQ-CODEC-001/one-byte-more",
        "a page of SNAPPY says that it expands to one byte more than it does",
        File(_SNAPPY, edit(page_header=fields(uncompressed_page_size=one_more))),
        "it says what it expands to",
        places=pages(compressed()),
    ),
    Fault(
        "PQ-CODEC-002/gzip-without-its-end",
        "a page of GZIP lacks the last byte of its trailer, but no data",
        File(_GZIP, edit(stored=lambda data: data[:-1])),
        "it is complete",
        places=pages(compressed(CompressionCodec.GZIP)),
    ),
    Fault(
        "PQ-CODEC-003/byte-behind-brotli",
        "a byte stands behind the end of a page's BROTLI stream",
        File(_BROTLI, edit(stored=lambda data: data + b"\0")),
        "the stream is the whole page",
    ),
    Fault(
        "PQ-CODEC-004/deprecated-lz4",
        "a chunk is compressed by LZ4, which is deprecated",
        File(ints(_VALUES, Column(codec=CompressionCodec.LZ4))),
        "it is compressed by LZ4_RAW",
        File(ints(_VALUES, Column(codec=CompressionCodec.LZ4_RAW))),
    ),
    Fault(
        "PQ-CODEC-005/two-gzip-members",
        "a page is two members of GZIP",
        File(ints(_VALUES, Column(codec=CompressionCodec.GZIP, parts=2))),
        "it is one",
        File(_GZIP),
    ),
)
