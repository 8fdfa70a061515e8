"""Encoding a column of a stripe as streams, with the positions of its row groups.

    streams in the order of positions       DATA of
    PRESENT  DATA                           numbers, bits, bytes of IEEE 754, ids of a dictionary, tags
    PRESENT  DATA  LENGTH                   text and bytes, stored directly
    PRESENT  DATA  SECONDARY                DECIMAL (scales), timestamps (nanoseconds)
    PRESENT  LENGTH                         lists and maps
    PRESENT  DATA                           DECIMAL of at most 18 digits in files of version 1.9999
    DICTIONARY_DATA  LENGTH                 have no positions: a dictionary is read as a whole

LENGTH counts bytes, or the children of a collection.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, count

import numpy as np

from reference_impl.errors import UsageError
from reference_impl.orc.encodings import boolean_rle, byte_rle, decimal, rle_v1, rle_v2, timestamp
from reference_impl.orc.encodings.runs import Encoded, Run
from reference_impl.orc.plan import Column, Dictionary, DictionaryOrder, Present
from reference_impl.orc.schema import EncodingKind, StreamKind, TypeKind
from reference_impl.orc.shred import Entries
from reference_impl.orc.statistics import FLOATS, TEXTS, TIMES
from reference_impl.orc.tamper import Place, Tamper
from reference_impl.orc.types import BINARIES
from reference_impl.orc.values import MAX_SCALE, decimal_key, decimal_parts, raw

PLAIN_KINDS = (TypeKind.BOOLEAN, TypeKind.BYTE, *FLOATS, TypeKind.STRUCT, TypeKind.UNION)


@dataclass(frozen=True)
class Raw:
    """A stream before compression.

    `marks`: for each row group its byte and the other numbers of its position (values of the run to skip,
    bits), None for a stream without positions.
    """

    kind: StreamKind
    data: bytes
    marks: list[tuple[int, ...]] | None = None


class ColumnWriter:
    """Encodes one column of one stripe. `instant` moves seconds of the writer's clock to UTC."""

    def __init__(
        self,
        entries: Entries,
        layout: Column,
        stripe: int,
        tamper: Tamper,
        instant: Callable[[int], int],
        *,
        is_decimal64: bool,
    ) -> None:
        self.entries = entries
        self.node = entries.node
        self.layout = layout
        self.stripe = stripe
        self.tamper = tamper
        self.instant = instant
        self.is_decimal64 = is_decimal64
        self.present = entries.present
        self.groups = entries.present_groups()
        self.dictionary_size: int | None = None
        if layout.rle not in (1, 2):
            raise UsageError(f"version {layout.rle} of the run length encoding")
        if is_decimal64 and layout.rle != 2:
            raise UsageError("version 1.9999 stores decimals of at most 18 digits in runs of version 2")

    def encoding(self) -> EncodingKind:
        """Return the column's encoding: its dictionary, if any, and the version of its integer runs."""
        if self.node.kind in PLAIN_KINDS:
            return EncodingKind.DIRECT
        by_version = {1: EncodingKind.DIRECT, 2: EncodingKind.DIRECT_V2}
        if self.layout.dictionary is not None:
            by_version = {1: EncodingKind.DICTIONARY, 2: EncodingKind.DICTIONARY_V2}
        return by_version[self.layout.rle]

    def streams(self) -> list[Raw]:
        """Return the streams, those with positions first and in their order."""
        nulls = len(self.present) < len(self.entries.values)
        # a stream that is not stored has no positions either
        always = self.layout.present is Present.ALWAYS and (self.entries.values or self.layout.empty_streams)
        out = []
        if nulls or always:
            bits = [value is not None for value in self.entries.values]
            out.append(self._bits(StreamKind.PRESENT, bits, self.layout.present_runs, self.entries.groups))
        return out + self._values()

    def _values(self) -> list[Raw]:
        kind, layout = self.node.kind, self.layout
        if layout.dictionary is not None:
            return self._dictionary()
        if kind is TypeKind.STRUCT:
            return []
        if kind is TypeKind.BOOLEAN:
            return [self._bits(StreamKind.DATA, self.present, layout.data_runs, self.groups)]
        if kind is TypeKind.BYTE:
            return [self._bytes([value & 0xFF for value in self.present])]
        if kind is TypeKind.UNION:
            return [self._bytes([tag for tag, _ in self.present])]
        if kind in FLOATS:
            return [self._joined([raw(kind, value) for value in self.present])]
        if kind in (*TEXTS, *BINARIES):
            lengths = self._numbers(StreamKind.LENGTH, list(map(len, self.present)), layout.length_runs)
            return [self._joined(self.present), lengths]
        if kind in (TypeKind.LIST, TypeKind.MAP):
            return [self._numbers(StreamKind.LENGTH, list(map(len, self.present)), layout.length_runs)]
        if kind is TypeKind.DECIMAL:
            return self._decimals()
        if kind in TIMES:
            return self._times()
        return [self._numbers(StreamKind.DATA, self.present, layout.data_runs, signed=True)]

    def _decimals(self) -> list[Raw]:
        if self.is_decimal64:
            unit = 10 ** (MAX_SCALE - self.node.scale)
            values = [decimal_key(value, self.node.scale) // unit for value in self.present]
            return [self._numbers(StreamKind.DATA, values, self.layout.data_runs, signed=True)]
        parts = [decimal_parts(value, self.node.scale) for value in self.present]
        unscaled = self.tamper.numbers(self._place(StreamKind.DATA), [value for value, _ in parts])
        data = self._encoded(StreamKind.DATA, decimal.encode(unscaled))
        scales = [scale for _, scale in parts]
        return [data, self._numbers(StreamKind.SECONDARY, scales, self.layout.secondary_runs, signed=True)]

    def _times(self) -> list[Raw]:
        move = self.instant if self.node.kind is TypeKind.TIMESTAMP else int
        epoch = move(timestamp.EPOCH)
        parts = [timestamp.stored(move(seconds), nanos) for seconds, nanos in self.present]
        seconds = [moment - epoch for moment, _ in parts]
        nanos = [digits for _, digits in parts]
        return [
            self._numbers(StreamKind.DATA, seconds, self.layout.data_runs, signed=True),
            self._numbers(StreamKind.SECONDARY, nanos, self.layout.secondary_runs),
        ]

    def _dictionary(self) -> list[Raw]:
        layout = self.layout.dictionary
        if layout is None or self.node.kind not in TEXTS:
            raise UsageError(f"a dictionary of {self.node.kind.name}")
        words, ids = dictionary_of(layout, self.present)
        self.dictionary_size = len(words)
        lengths = self._integers(StreamKind.LENGTH, list(map(len, words)), self.layout.length_runs)
        return [
            self._numbers(StreamKind.DATA, ids, self.layout.data_runs),
            Raw(StreamKind.DICTIONARY_DATA, b"".join(words)),
            Raw(StreamKind.LENGTH, lengths.data),
        ]

    def _numbers(
        self, kind: StreamKind, values: list[int], runs: Sequence[Run], *, signed: bool = False
    ) -> Raw:
        return self._encoded(kind, self._integers(kind, values, runs, signed=signed))

    def _integers(
        self, kind: StreamKind, values: list[int], runs: Sequence[Run], *, signed: bool = False
    ) -> Encoded:
        values = self.tamper.numbers(self._place(kind), values)
        encode = rle_v1.encode if self.layout.rle == 1 else rle_v2.encode
        return encode(values, signed=signed, runs=runs)

    def _bytes(self, values: list[int]) -> Raw:
        values = self.tamper.numbers(self._place(StreamKind.DATA), values)
        encoded = byte_rle.encode(np.array(values, np.uint8), runs=self.layout.data_runs)
        return self._encoded(StreamKind.DATA, encoded)

    def _bits(self, kind: StreamKind, bits: list[bool], runs: Sequence[Run], groups: list[int]) -> Raw:
        encoded = boolean_rle.encode(np.array(bits, np.bool_), runs=runs, padding=self.layout.padding)
        return Raw(kind, encoded.data, [encoded.position(at) for at in groups])

    def _encoded(self, kind: StreamKind, encoded: Encoded) -> Raw:
        """Mark the row groups; a mark behind the values that a tamper removed is the end."""
        return Raw(kind, encoded.data, [encoded.position(min(at, len(encoded))) for at in self.groups])

    def _joined(self, values: list[bytes]) -> Raw:
        ends = list(accumulate(map(len, values), initial=0))
        return Raw(StreamKind.DATA, b"".join(values), [(ends[at],) for at in self.groups])

    def _place(self, kind: StreamKind) -> Place:
        return Place(self.stripe, self.node.id, kind)


def dictionary_of(layout: Dictionary, values: Sequence[bytes]) -> tuple[list[bytes], list[int]]:
    """Return the entries of a dictionary, and the id of each value."""
    words = list(dict.fromkeys((*values, *layout.unused)))
    if layout.order is not DictionaryOrder.SEEN:
        words.sort(reverse=layout.order is DictionaryOrder.REVERSED)
    if not layout.duplicates:
        ids = {word: number for number, word in enumerate(words)}
        return words, [ids[value] for value in values]
    turns = {word: count() for word in words}
    firsts = {word: 2 * number for number, word in enumerate(words)}
    return [word for word in words for _ in range(2)], [
        firsts[value] + next(turns[value]) % 2 for value in values
    ]
