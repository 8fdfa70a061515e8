"""The checked-in ORC files, cut into inputs of targets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import chain
from typing import Any, NamedTuple

from properties.fuzz import inputs
from properties.fuzz.bounds import limits
from properties.fuzz.claims import attempt
from reference_impl.cursor import Cursor
from reference_impl.orc.column_encodings import V2_KINDS
from reference_impl.orc.encodings import boolean_rle, byte_rle, decimal, rle_v2
from reference_impl.orc.file import OrcFile
from reference_impl.orc.framing import Stream
from reference_impl.orc.schema import EncodingKind, StreamKind, TypeKind
from reference_impl.orc.stripe import Stripe

_TYPES = {  # of columns whose DATA a module decodes
    boolean_rle: (TypeKind.BOOLEAN,),
    byte_rle: (TypeKind.BYTE, TypeKind.UNION),
    decimal: (TypeKind.DECIMAL,),
}
_INTEGERS = (
    TypeKind.SHORT,
    TypeKind.INT,
    TypeKind.LONG,
    TypeKind.DATE,
    TypeKind.TIMESTAMP,
    TypeKind.TIMESTAMP_INSTANT,
)
_NO_SIGN = (StreamKind.LENGTH, StreamKind.SECONDARY)


class Cut(NamedTuple):
    """A decompressed stream, with its kind, type and encoding."""

    kind: StreamKind
    type: TypeKind
    encoding: EncodingKind
    rows: int
    raw: bytes
    data: bytes


@cache
def opened() -> tuple[OrcFile, ...]:
    """Return the files that can be opened."""
    attempts = (attempt(OrcFile, data, limits=limits(data)) for data in inputs.files("orc"))
    return tuple(file for file in attempts if file is not None)


def stripes() -> Iterator[tuple[OrcFile, Stripe]]:
    """Yield the stripes of these files that can be opened, each with its file."""
    for file in opened():
        for number in range(len(file.footer.stripes)):
            if (stripe := attempt(file.stripe, number)) is not None:
                yield file, stripe


@cache
def streams() -> tuple[Cut, ...]:
    """Return the streams of these stripes that can be decompressed."""
    return tuple(chain.from_iterable(_streams(file, stripe) for file, stripe in stripes()))


def _streams(file: OrcFile, stripe: Stripe) -> Iterator[Cut]:
    nodes = list(file.root.walk())
    for column, kind in stripe.places:
        stream = stripe.stream(column, kind)
        assert stream is not None
        data = attempt(_bytes, stream)
        if data is not None:
            encoding = stripe.encodings[column][0]
            yield Cut(kind, nodes[column].kind, encoding, stripe.rows, bytes(stream.raw), data)


def _bytes(stream: Stream) -> bytes:
    return bytes(stream.data)


def integers(module: Any) -> list[bytes]:
    """Return inputs of integer streams in a version of runs; `choice` is odd for unsigned integers."""
    seeds = []
    for stream in streams():
        is_data = stream.kind == StreamKind.DATA and (
            stream.type in _INTEGERS or stream.encoding not in (0, 2)
        )
        if (is_data or stream.kind in _NO_SIGN) and (stream.encoding in V2_KINDS) == (module is rle_v2):
            signed = is_data and stream.type in _INTEGERS
            count = fitting(partial(module.decode, signed=signed), stream.data)
            seeds.append(put(count, not signed, stream.data))
    return inputs.some(seeds)


def runs(module: Any) -> list[bytes]:
    """Return inputs of the streams that a module decodes: of booleans, bytes, or unscaled values."""
    return inputs.some(
        put(fitting(module.decode, stream.data), 0, stream.data)
        for stream in streams()
        if (stream.type in _TYPES[module] and (stream.kind == StreamKind.DATA or module is boolean_rle))
        or (stream.kind == StreamKind.PRESENT and module is boolean_rle)
    )


def put(count: int, choice: int, data: bytes) -> bytes:
    """Return an input for `inputs.given`, without a type, which ORC's decoders do not need."""
    return b"\0" + min(count, inputs.MOST_COUNT).to_bytes(2, "little") + bytes([choice]) + data


def fitting(decode: Callable[[Cursor, int], Any], data: bytes) -> int:
    """Return the largest number of values that can be read, up to the limit of an input."""
    low, high = 0, inputs.MOST_COUNT + 1
    while high - low > 1:
        middle = (low + high) // 2
        if attempt(decode, Cursor(data), middle) is None:
            high = middle
        else:
            low = middle
    return low
