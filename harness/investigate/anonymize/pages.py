"""The values of pages, decoded by the reference and encoded again in the same encoding."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reference_impl.byte_arrays import ByteArrays, Values
from reference_impl.cursor import Cursor
from reference_impl.errors import Unsupported
from reference_impl.limits import DEFAULT
from reference_impl.notes import Notes
from reference_impl.parquet.anatomy import PagePart, sections, with_sections
from reference_impl.parquet.anatomy.bodies import Sections
from reference_impl.parquet.encodings import (
    alp,
    byte_stream_split,
    delta_binary_packed,
    delta_byte_array,
    delta_length_byte_array,
    plain,
)
from reference_impl.parquet.encodings.dispatch import DELTA_ENCODINGS, DICTIONARY_ENCODINGS
from reference_impl.parquet.orders import raws
from reference_impl.parquet.page import PageDecoder
from reference_impl.parquet.page_walk import Page
from reference_impl.parquet.schema import CompressionCodec, Encoding, PageType, Type
from reference_impl.parquet.tree import Node
from reference_impl.parquet.types import Physical


def values_of(page: PagePart, node: Node, codec: CompressionCodec | int) -> list[bytes] | None:
    """Return the values of a page as PLAIN bytes, None for indices and booleans, which stay.

    Raises the reference's errors for a page that cannot be read.
    """
    physical = node.physical
    assert physical is not None
    arrays = decoded(page, node, codec)
    return None if arrays is None else raws(arrays)


def decoded(page: PagePart, node: Node, codec: CompressionCodec | int) -> Values | None:
    """Return the values of a page as arrays; see `values_of`.

    Bytes behind the values are passed over, because the page is written without them. Where it would keep
    them, behind levels or no values, they are an error: nobody knows what they are.
    """
    whole = Page(page.header, 0, 0, memoryview(page.stored))
    notes = Notes()
    decoder = PageDecoder(node, codec, DEFAULT, notes)
    if page.header.type == PageType.DICTIONARY_PAGE:
        decoder.load_dictionary(whole)
        return decoder.dictionary
    if not page.is_data or encoding_of(page) in DICTIONARY_ENCODINGS or decoder.physical.type == Type.BOOLEAN:
        return None
    values = decoder.entries(whole).values
    for breach in notes.breaches:
        if not len(values) or not str(breach.message).endswith("follow the values"):
            raise breach
    return values


def encoding_of(page: PagePart) -> Encoding | int:
    """Return the encoding of a page's values."""
    header = page.header.data_page_header or page.header.data_page_header_v2
    return Encoding.PLAIN if header is None else header.encoding


def with_values(
    page: PagePart, node: Node, codec: CompressionCodec | int, other: Callable[[bytes], bytes]
) -> PagePart:
    """Return the page with other values of the same lengths."""
    old = decoded(page, node, codec)
    if old is None:
        return page
    assert node.physical is not None
    new = _arrays([other(raw) for raw in raws(old)], old, node.physical)
    parts = sections(page, node, codec)
    body = _encoded(new, node.physical, encoding_of(page), parts.values) if len(old) else parts.values
    return with_sections(page, Sections(parts.repetition, parts.definition, body), codec)


def _arrays(new_values: list[bytes], like: Values, physical: Physical) -> Values:
    if isinstance(like, ByteArrays):
        return ByteArrays.of(new_values)
    data = np.frombuffer(b"".join(new_values), np.uint8)
    return data.view(like.dtype) if like.ndim == 1 else data.reshape(len(new_values), physical.width)


def _encoded(values: Values, physical: Physical, encoding: Encoding | int, before: bytes) -> bytes:
    if encoding == Encoding.PLAIN:
        return plain.encode(values, physical)
    if encoding == Encoding.BYTE_STREAM_SPLIT:
        assert not isinstance(values, ByteArrays)
        return byte_stream_split.encode(values)
    if encoding == Encoding.ALP:
        assert not isinstance(values, ByteArrays)
        return alp.encode(values, log_vector_size=before[2])  # the vector size of the old page
    if encoding not in DELTA_ENCODINGS:
        raise Unsupported(f"values in encoding {getattr(encoding, 'name', encoding)} are not anonymized")
    cursor = Cursor(before)
    layout = {"block_size": cursor.uleb128(64), "miniblocks": cursor.uleb128(64)}
    if encoding == Encoding.DELTA_BINARY_PACKED:
        assert not isinstance(values, ByteArrays)
        return delta_binary_packed.encode(values, **layout)  # type: ignore[arg-type]  # INT32 or INT64
    if encoding == Encoding.DELTA_LENGTH_BYTE_ARRAY:
        assert isinstance(values, ByteArrays)
        return delta_length_byte_array.encode(values, **layout)
    prefixes = delta_binary_packed.decode_bits(Cursor(before), 32, len(values)).tolist()
    strings = raws(values)
    pairs = zip([b"", *strings], strings, prefixes, strict=False)
    fitting = all(a[:size] == b[:size] for a, b, size in pairs)  # not of numbers, whose digits change
    return delta_byte_array.encode(values, prefixes=prefixes if fitting else None, **layout)
