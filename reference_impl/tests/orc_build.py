"""Small ORC files byte by byte, for tests of the reader that must not depend on the writer."""

from __future__ import annotations

from reference_impl.orc.schema import (
    INDEX_KINDS,
    CalendarKind,
    ColumnEncoding,
    CompressionKind,
    EncodingKind,
    Footer,
    PostScript,
    Stream,
    StreamKind,
    StripeFooter,
    StripeInformation,
    Type,
    TypeKind,
)
from reference_impl.wire.protobuf import encode

PRESENT, DATA, LENGTH = StreamKind.PRESENT, StreamKind.DATA, StreamKind.LENGTH
SECONDARY, DICTIONARY_DATA, ROW_INDEX = (
    StreamKind.SECONDARY,
    StreamKind.DICTIONARY_DATA,
    StreamKind.ROW_INDEX,
)


def struct(**fields):
    """Types of a struct of columns without children, by name: a kind, or a Type."""
    children = [kind if isinstance(kind, Type) else Type(kind=kind) for kind in fields.values()]
    root = Type(kind=TypeKind.STRUCT, subtypes=tuple(range(1, len(children) + 1)), field_names=tuple(fields))
    return (root, *children)


def stripe(types, rows, streams, encodings=None, **footer):
    """A stripe: `streams` is a dict of (column, kind) to bytes as stored; `encodings` by column id.

    Answers bytes and StripeInformation without an offset.
    """
    found = encodings or {}
    message = StripeFooter(
        streams=tuple(
            Stream(kind=kind, column=column, length=len(raw)) for (column, kind), raw in streams.items()
        ),
        columns=tuple(
            found.get(column, ColumnEncoding(kind=EncodingKind.DIRECT)) for column in range(len(types))
        ),
        **footer,
    )
    tail = encode(message)
    index = sum(len(raw) for (_, kind), raw in streams.items() if kind in INDEX_KINDS)
    body = b"".join(streams.values())
    info = StripeInformation(
        index_length=index, data_length=len(body) - index, footer_length=len(tail), number_of_rows=rows
    )
    return body + tail, info


def file(types, stripes=(), *, footer=None, postscript=None, framed=None, metadata=b""):
    """A file of stripes. `footer` and `postscript` are fields to change; `framed` frames the footer."""
    out = bytearray(b"ORC")
    infos = []
    for body, info in stripes:
        info.offset = len(out)
        infos.append(info)
        out += body
    fields = {
        "header_length": 3,
        "content_length": len(out),
        "stripes": tuple(infos),
        "types": types,
        "number_of_rows": sum(info.number_of_rows for info in infos),
        "row_index_stride": 0,
        "calendar": CalendarKind.PROLEPTIC_GREGORIAN,
    }
    raw = encode(Footer(**(fields | (footer or {}))))
    raw = framed(raw) if framed else raw
    fields = {
        "footer_length": len(raw),
        "compression": CompressionKind.NONE,
        "version": (0, 12),
        "metadata_length": len(metadata),
        "magic": "ORC",
    }
    end = encode(PostScript(**(fields | (postscript or {}))))
    return bytes(out + metadata + raw + end + bytes([len(end)]))


def original(raw):
    """One chunk stored as it is."""
    return (len(raw) << 1 | 1).to_bytes(3, "little") + raw


def chunk(raw):
    """One chunk of what a codec has made."""
    return (len(raw) << 1).to_bytes(3, "little") + raw
