"""Faults of compression: chunks of the DATA of a column."""

from __future__ import annotations

from dataclasses import replace

from corpora.build.orc.samples import TYPES
from properties.strategies.faults.fault import Fault, File, put
from properties.strategies.faults.orc.edits import BARE, edit, table
from properties.strategies.faults.orc.places import compressed_streams
from reference_impl.orc.framing_writer import squeezed
from reference_impl.orc.plan import Chunks, Original
from reference_impl.orc.schema import CompressionKind, TypeKind

_BLOCK = 64
_BINARY = TYPES[TypeKind.BINARY]
_ZLIB = CompressionKind.ZLIB
_FULL = table(_BINARY, (b"a" * _BLOCK,), BARE, compression=_ZLIB, block_size=_BLOCK)
_LONGER = replace(_FULL, rows=((0, b"a" * _BLOCK + b"a"),))
_ORIGINAL = replace(_FULL, chunks=Chunks(original=Original.ALWAYS))
_SHORT = replace(_FULL, rows=((0, b"abc"),))


def _chunk(body: bytes, *, original: bool = False) -> bytes:
    return (len(body) << 1 | original).to_bytes(3, "little") + body


FAULTS = (
    Fault(
        "ORC-COMP-001/header-of-two-bytes",
        "a stream ends with two bytes of a chunk's header",
        File(_FULL, edit(stored=lambda data: data + b"\1\0")),
        "it ends with a chunk",
        places=compressed_streams(),
    ),
    Fault(
        "ORC-COMP-002/chunk-beyond-the-stream",
        "the header of a chunk says that it has 65 bytes, and it has 64",
        File(_ORIGINAL, edit(stored=put(b"\x83\0\0" + b"a" * _BLOCK))),
        "it has 64",
        places=compressed_streams(
            "a chunk goes on beyond its stream", stored=lambda data: data + b"\5\0\0\0"
        ),
    ),
    Fault(
        "ORC-COMP-003/chunk-of-65",
        "a chunk expands to 65 bytes, and the chunk size is 64",
        File(_LONGER, edit(stored=put(_chunk(squeezed(_ZLIB, b"a" * 65))))),
        "it expands to 64",
        File(_FULL),
    ),
    Fault(
        "ORC-COMP-004/no-deflate",
        "a chunk is nothing that DEFLATE makes",
        File(_FULL, edit(stored=put(_chunk(b"\xff\xff\xff\xff")))),
        "it is, of bytes that are stored as they are",
        File(_SHORT, edit(stored=put(_chunk(b"\1\3\0\xfc\xffabc")))),
        also_breaks=("ORC-COMP-007",),
    ),
    Fault(
        "ORC-COMP-005/empty-chunk",
        "a chunk of no bytes stands behind the others",
        File(_FULL, edit(stored=lambda data: data + b"\1\0\0")),
        "there is none",
    ),
    Fault(
        "ORC-COMP-006/byte-behind-deflate",
        "a byte stands in a chunk behind the end of DEFLATE",
        File(_FULL, edit(stored=put(_chunk(squeezed(_ZLIB, b"a" * _BLOCK) + b"\0")))),
        "DEFLATE ends with the chunk",
    ),
    Fault(
        "ORC-COMP-007/larger-than-before",
        "a chunk of 3 bytes is compressed, to 5",
        File(_SHORT, edit(stored=put(_chunk(squeezed(_ZLIB, b"abc"))))),
        "it is stored as it is",
    ),
)
