"""The streams that hold values: reading them, and writing the same runs with other values."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

from harness.investigate.anonymize.orc_columns import FLOATS, INTEGERS, MOMENTS, TEXTS, Column
from reference_impl.cursor import Cursor
from reference_impl.errors import ReferenceError_, Unsupported
from reference_impl.orc.anatomy import Anatomy, StreamPart, StripePart
from reference_impl.orc.column_encodings import DICTIONARY_KINDS, V2_KINDS
from reference_impl.orc.encodings import byte_rle, decimal, rle_v1, rle_v2
from reference_impl.orc.encodings.runs import Run, RunKind
from reference_impl.orc.encodings.scan import Encoding, RunBytes, scan
from reference_impl.orc.encodings.timestamp import EPOCH
from reference_impl.orc.framing import open_stream
from reference_impl.orc.framing_writer import Framed, frame
from reference_impl.orc.plan import Chunks, Original
from reference_impl.orc.schema import EncodingKind, StreamKind, TypeKind

_KINDS = {
    "short repeat": RunKind.SHORT_REPEAT,
    "direct": RunKind.DIRECT,
    "patched base": RunKind.PATCHED_BASE,
    "delta": RunKind.DELTA,
    "run": RunKind.REPEAT,
    "literals": RunKind.LITERALS,
}


@dataclass
class Source:
    """A stream of values: runs (or values) begin at the bytes `starts` and end in `values` at `ends`.

    `by_value`: the values are those of the column's rows, not of its dictionary.
    """

    part: StreamPart
    values: list[Any]
    encoding: Encoding
    starts: list[int]
    ends: list[int]
    pieces: list[RunBytes]
    by_value: bool = True


@dataclass
class Changed:
    """The same stream with other values: `starts` are those of the same runs."""

    source: Source
    starts: list[int]
    framed: Framed

    def moved(self, offset: int) -> tuple[int, int]:
        """Return the new byte of a run that begins at `offset`, and the number of values before it."""
        old = [*self.source.starts]
        at = bisect_right(old, offset) - 1
        if at < 0 or old[at] != offset:
            end = sum(len(run.data) for run in self.source.pieces)
            if self.source.pieces and offset == end:
                return self.framed.length, self.source.ends[-1]
            if not self.source.pieces and not offset:
                return 0, 0
            raise Unsupported("a position inside a run is not anonymized")
        return self.starts[at], self.source.ends[at - 1] if at else 0


def sources(anatomy: Anatomy, stripe: StripePart, columns: Sequence[Column]) -> dict[int, Source]:
    """Return the value streams of a stripe by column; raises Unsupported."""
    footer = stripe.footer.value
    by_column: dict[int, Source] = {}
    for number, column in enumerate(columns):
        if column.stays or footer is None or number >= len(footer.columns):
            continue
        encoding = footer.columns[number].kind or EncodingKind.DIRECT
        in_dictionary = encoding in DICTIONARY_KINDS
        part = stripe.find(number, StreamKind.DICTIONARY_DATA if in_dictionary else StreamKind.DATA)
        if part is None or not part.stored:
            continue
        data = anatomy.opened(part.stored)
        lengths = stripe.find(number, StreamKind.LENGTH)
        given = anatomy.opened(lengths.stored) if lengths is not None else b""
        try:
            if data is None or given is None:
                raise Unsupported("a stream that does not decompress")
            by_column[number] = _source(part, column, data, given, encoding)
        except (ReferenceError_, ValueError, KeyError) as error:
            raise Unsupported(f"column {'.'.join(column.path)}: not anonymized: {error}") from error
        if column.type.kind in MOMENTS:
            _check_moments(column, by_column[number], stripe.find(number, StreamKind.SECONDARY))
        if column.type.kind is TypeKind.DECIMAL:
            _check_scales(anatomy, column, stripe.find(number, StreamKind.SECONDARY), encoding)
    return by_column


def _source(part: StreamPart, column: Column, data: bytes, lengths: bytes, encoding: EncodingKind) -> Source:
    kind = column.type.kind
    runs = Encoding.RLE_V2 if encoding in V2_KINDS else Encoding.RLE_V1
    if kind in FLOATS:
        size = FLOATS[kind] // 8
        values: list[Any] = [
            int.from_bytes(data[at : at + size], "little") for at in range(0, len(data), size)
        ]
        pieces = [RunBytes("raw", 0, 1, data[at : at + size]) for at in range(0, len(data), size)]
        return _source_of(part, values, Encoding.RAW, pieces)
    if kind in TEXTS or kind is TypeKind.BINARY:
        sizes = _integers(lengths, runs, signed=False)
        cuts = list(accumulate(sizes, initial=0))
        if cuts[-1] != len(data):
            raise Unsupported("lengths that do not fit the bytes")
        strings = [data[a:b] for a, b in pairwise(cuts)]
        source = _source_of(
            part, strings, Encoding.RAW, [RunBytes("raw", 0, 1, string) for string in strings]
        )
        source.by_value = encoding not in DICTIONARY_KINDS
        return source
    if kind is TypeKind.DECIMAL:
        pieces = _pieces(data, Encoding.VARINTS)
        return _source_of(
            part, list(map(int, decimal.decode(Cursor(data), len(pieces)))), Encoding.VARINTS, pieces
        )
    if kind is TypeKind.BYTE:
        pieces = _pieces(data, Encoding.BYTE_RLE)
        raw = byte_rle.decode(Cursor(data), sum(run.length for run in pieces)).view("i1")
        return _source_of(part, list(map(int, raw)), Encoding.BYTE_RLE, pieces)
    if kind not in INTEGERS and kind is not TypeKind.DATE and kind not in MOMENTS:
        raise Unsupported(f"{kind.name if kind else 'this type'}")
    base = EPOCH if kind in MOMENTS else 0
    return _source_of(
        part, [value + base for value in _integers(data, runs, signed=True)], runs, _pieces(data, runs)
    )


def _source_of(part: StreamPart, values: list[Any], encoding: Encoding, pieces: list[RunBytes]) -> Source:
    starts = list(accumulate((len(run.data) for run in pieces), initial=0))[:-1]
    ends = list(accumulate(run.length for run in pieces))
    return Source(part, values, encoding, starts, ends, pieces)


def _pieces(data: bytes, encoding: Encoding) -> list[RunBytes]:
    runs = scan(data, encoding)
    if sum(len(run.data) for run in runs) != len(data):
        raise Unsupported("a stream of too many runs, or of invalid ones")
    return runs


def _integers(data: bytes, encoding: Encoding, *, signed: bool) -> list[int]:
    count = sum(run.length for run in _pieces(data, encoding))
    decode = rle_v2.decode if encoding is Encoding.RLE_V2 else rle_v1.decode
    return list(map(int, decode(Cursor(data), count, signed=signed)))


def _check_moments(column: Column, source: Source, nanos: StreamPart | None) -> None:
    """Refuse fractions before 1970, where stored seconds differ from those of bounds."""
    if nanos is not None and any(nanos.stored) and min(source.values, default=0) < 0:
        raise Unsupported(f"column {'.'.join(column.path)}: fractions before 1970 are not anonymized")


def _check_scales(
    anatomy: Anatomy, column: Column, scales: StreamPart | None, encoding: EncodingKind
) -> None:
    data = anatomy.opened(scales.stored) if scales is not None else b""
    runs = Encoding.RLE_V2 if encoding in V2_KINDS else Encoding.RLE_V1
    try:
        scales_used = set(_integers(data or b"", runs, signed=True))
    except ReferenceError_ as error:
        raise Unsupported(f"column {'.'.join(column.path)}: scales: {error}") from error
    if scales_used - {column.type.scale or 0}:
        raise Unsupported(f"column {'.'.join(column.path)}: decimals of several scales are not anonymized")


def changed(anatomy: Anatomy, source: Source, column: Column) -> Changed:
    """Return the stream with other values in the same runs and chunks; raises Unsupported."""
    new = [column.other(value) for value in source.values]
    runs = [Run(_KINDS[run.kind], run.length) for run in source.pieces if run.kind in _KINDS]
    if source.encoding is Encoding.RAW:
        size = FLOATS.get(column.type.kind) if column.type.kind else None
        body = b"".join(value.to_bytes(size // 8, "little") if size else value for value in new)
        starts = source.starts
    elif source.encoding is Encoding.VARINTS:
        encoded = decimal.encode(new)
        body, starts = encoded.data, encoded.starts.tolist()
    else:
        base = EPOCH if column.type.kind in MOMENTS else 0
        values = [value - base for value in new]
        if source.encoding is Encoding.BYTE_RLE:
            encoded_ = byte_rle.encode(values, runs=runs)
        else:
            encode = rle_v2.encode if source.encoding is Encoding.RLE_V2 else rle_v1.encode
            encoded_ = encode(values, signed=True, runs=runs)
        if encoded_.counts.tolist() != [run.length for run in source.pieces]:
            raise Unsupported(
                f"column {'.'.join(column.path)}: runs that other values do not fit are not anonymized"
            )
        body, starts = encoded_.data, encoded_.starts.tolist()
    return Changed(source, starts, _framed(anatomy, source.part, body))


def _framed(anatomy: Anatomy, part: StreamPart, body: bytes) -> Framed:
    """Return bytes in chunks of the old sizes, uncompressed if all old chunks were."""
    old = open_stream(memoryview(part.stored), anatomy.codec, anatomy.block_size, 0, anatomy.limits)
    chunks = old.chunks
    if not chunks:
        return anatomy.frame(body)
    whole = all(part.stored[chunk.start] & 1 for chunk in chunks)
    cuts = [old.locate(chunk.start, 0) for chunk in chunks] + [len(old.data)]
    sizes = tuple(max(1, b - a) for a, b in pairwise(cuts))
    block = anatomy.block_size
    if sizes and len(body) > sum(sizes):
        sizes = (*sizes[:-1], min(block, sizes[-1] + len(body) - sum(sizes)))
    return frame(anatomy.codec, Chunks(sizes, Original.ALWAYS if whole else Original.NEEDED), block, body)
