# Any bytes are a stripe of some type or a documented error; it reads the same when rows before it are read
# first, and what its indexes, filters and positions name is there or a documented error.
"""A whole stripe (ORCv1.md, "Stripes"), behind the types of its columns.

| codec | block size >> 8 | rows: 2 | index: 2 | data: 2 | types: 2 | Footer, of types | stripe |
"""

from __future__ import annotations

import struct
from collections.abc import Iterable

from properties.fuzz import cut_orc, inputs
from properties.fuzz.bounds import limits
from properties.fuzz.claims import attempt
from properties.fuzz.orc_file import hold_rows
from reference_impl.orc.file import OrcFile
from reference_impl.orc.schema import CompressionKind, Footer, PostScript, StripeInformation
from reference_impl.orc.stripe import Stripe
from reference_impl.wire import protobuf

NAME = "orc_stripe"
_HEAD = struct.Struct("<BBHHHH")
_MOST = (1 << 16) - 1
_KINDS = tuple(CompressionKind)


def seeds() -> Iterable[bytes]:
    """Return the stripes of the checked-in files."""
    return inputs.some(seed for pair in cut_orc.stripes() if len(seed := _seed(*pair)) < _MOST)


def _seed(file: OrcFile, stripe: Stripe) -> bytes:
    types = protobuf.encode(Footer(types=file.footer.types, row_index_stride=file.footer.row_index_stride))
    sizes = (stripe.rows, stripe.data_offset - stripe.offset, stripe.footer_offset - stripe.data_offset)
    head = (_KINDS.index(file.tail.codec), min(255, file.tail.block_size >> 8), *sizes, len(types))
    if max(head) > _MOST:
        return b""
    end = stripe.footer_offset + (stripe.info.footer_length or 0)
    return _HEAD.pack(*head) + types + bytes(file.data[stripe.offset : end])


def check(data: bytes) -> None:
    """Build a file around the stripe, and read the file."""
    codec, block, rows, index, body, size = _HEAD.unpack_from(data.ljust(_HEAD.size, b"\0"))
    footer = attempt(protobuf.decode, Footer, data[_HEAD.size : _HEAD.size + size])
    stripe = data[_HEAD.size + size :]
    if footer is None or index + body > len(stripe):
        return
    info = StripeInformation(
        offset=3,
        index_length=index,
        data_length=body,
        footer_length=len(stripe) - index - body,
        number_of_rows=rows,
    )
    file = attempt(OrcFile, _around(stripe, info, footer, codec, block), limits=limits(data))
    if file is None or attempt(file.stripe, 0) is None:
        return
    for column in range(file.root.max_id + 1):
        attempt(file.row_index, 0, column)
        attempt(file.bloom_filters, 0, column)
    table = attempt(file.read)
    if table is not None:
        hold_rows(file, 0, table)


def _around(stripe: bytes, info: StripeInformation, footer: Footer, codec: int, block: int) -> bytes:
    kind = _KINDS[codec % len(_KINDS)]
    listed = Footer(types=footer.types, row_index_stride=footer.row_index_stride, stripes=(info,))
    raw = protobuf.encode(listed)
    if kind != CompressionKind.NONE:
        raw = (len(raw) << 1 | 1).to_bytes(3, "little") + raw
    postscript = protobuf.encode(
        PostScript(
            footer_length=len(raw),
            compression=kind,
            compression_block_size=max(block << 8, len(raw)),
            version=(0, 12),
            magic="ORC",
        )
    )
    return b"".join((b"ORC", stripe, raw, postscript, bytes([len(postscript)])))
