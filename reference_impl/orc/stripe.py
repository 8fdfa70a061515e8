"""A stripe: its footer has the place of each stream and the encoding of each column ("Stripes").

    index streams | data streams | stripe footer

Streams follow each other without gaps, in the order of the footer, index streams before data streams.
Streams of encrypted columns fill the placeholders ENCRYPTED_INDEX and ENCRYPTED_DATA, variant
by variant ("Stripe Footer").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from reference_impl.errors import BreachHandler, Malformed, located, raise_first, refuse, within
from reference_impl.limits import Limits
from reference_impl.orc.column_encodings import encodings_of, is_immaterial
from reference_impl.orc.decryption import Decryption
from reference_impl.orc.encryption import Variant
from reference_impl.orc.framing import Stream, open_stream
from reference_impl.orc.schema import (
    INDEX_KINDS,
    ColumnEncoding,
    EncodingKind,
    RowIndex,
    StreamKind,
    StripeFooter,
    StripeInformation,
)
from reference_impl.orc.schema import Stream as StreamSaid
from reference_impl.orc.stripe_lengths import wrong_length
from reference_impl.orc.tail import Tail, read_message
from reference_impl.orc.types import TypeNode

PLACEHOLDERS = (StreamKind.ENCRYPTED_INDEX, StreamKind.ENCRYPTED_DATA)  # no streams of a column
_KIND = 1  # field number of `kind` in ColumnEncoding


@dataclass(frozen=True)
class StreamPlace:
    """A stream of a stripe: its kind, and its bytes, which begin at `offset` in the file.

    `kind` is None for an unknown kind. `index`: the stream is in the index area, not the data area.
    `variant` is the number of the encrypted variant, None for unencrypted columns.
    """

    kind: StreamKind | None
    column: int
    offset: int
    length: int
    index: bool
    variant: int | None = None


class Stripe:
    """An opened stripe: its footer has been read and checked, its streams have not.

    `rows` is the number of rows, `streams` are in the order of the file, `encodings` by column. For columns
    that `decryption` opens, `encodings` and `places` are those of the encrypted variant; `masked_encodings`
    are the encodings of the unencrypted data. `row_indexes` has those that `OrcFile.row_index` has read,
    `unreadable` the columns whose encoding is wrong (none, unless errors of the footer are noted instead of
    raised). `breach` gets the errors that decoding does not stop at, with their path.
    """

    def __init__(
        self,
        data: memoryview,
        tail: Tail,
        number: int,
        root: TypeNode,
        limits: Limits,
        *,
        keep_spans: bool = False,
        decryption: Decryption | None = None,
        breach: BreachHandler = refuse,
    ) -> None:
        """Read the footer. Raises Malformed (ORC-STRIPE-*, -CRYPT-*, -PROTO-*, -COMP-*) and Unsupported."""
        self.number = number
        self.breach = breach
        self._breach_of_footer = within(breach, f"stripes[{number}]", "footer")
        self.info: StripeInformation = tail.footer.stripes[number]
        self.rows = self.info.number_of_rows or 0
        self.tail = tail
        self._data = data
        self._limits = limits
        self._opened: dict[tuple[int, StreamKind], Stream] = {}
        self.row_indexes: dict[int, RowIndex | None] = {}
        self.unreadable: set[int] = set()
        self.offset = self.info.offset or 0
        self.data_offset = self.offset + (self.info.index_length or 0)
        self.footer_offset = self.data_offset + (self.info.data_length or 0)
        end = self.footer_offset + (self.info.footer_length or 0)
        raw = data[self.footer_offset : end]
        self.footer_stream = open_stream(raw, tail.codec, tail.block_size, self.footer_offset, limits)
        with located(f"stripes[{number}]", "footer"):
            try:
                with self.footer_stream.decoding():
                    self.footer = read_message(StripeFooter, self.footer_stream, keep_spans=keep_spans)
                self.encodings = self._encodings(root)
            except Malformed as error:
                cause = wrong_length(data, tail, number, root.max_id + 1, limits)
                if cause is None:
                    raise
                raise cause from error
            self.streams = self._places(root)
            self._check_areas()
            self.places = self._named(self.streams)
            self.masked_encodings = self.encodings
            self._decryption = decryption
            if decryption is not None and decryption.opened:
                self._uncover(decryption)

    def stream(self, column: int, kind: StreamKind) -> Stream | None:
        """Return a stream of a column, None if it is not there; it stays open with its decompressed bytes."""
        stream = self._opened.get((column, kind))
        place = self.places.get((column, kind))
        if stream is not None or place is None:
            return stream
        raw = self._data[place.offset : place.offset + place.length]
        if place.variant is not None and self._decryption is not None:
            stream = self._decryption.stream(self.number, column, kind, raw, place.offset)
        else:
            codec, size = self.tail.codec, self.tail.block_size
            breach = within(self.breach, f"stripes[{self.number}]", f"column {column}", kind.name)
            stream = open_stream(raw, codec, size, place.offset, self._limits, breach=breach)
        self._opened[column, kind] = stream
        return stream

    def _fail(self, message: str, rule: str, at: int | None = None) -> Malformed:
        return Malformed(message, offset=self.footer_offset if at is None else at, rule=rule)

    def _handle(self, message: str, rule: str, at: int | None = None) -> None:
        """Raise an error of the footer; the validator's override notes it instead."""
        raise self._fail(message, rule, at)

    def _note(self, message: str, rule: str, at: int | None = None) -> None:
        """Give an error of the footer that decoding does not stop at to `breach`."""
        self._breach_of_footer(self._fail(message, rule, at))

    def _encodings(self, root: TypeNode) -> tuple[tuple[EncodingKind, ColumnEncoding], ...]:
        """Return kind and message of each column's encoding; an encoding without a kind is DIRECT."""
        encodings = self.footer.columns
        if len(encodings) != root.max_id + 1:
            message = f"encodings of {len(encodings)} columns for {root.max_id + 1} types"
            raise self._fail(message, "ORC-STRIPE-004")
        return tuple(map(self._encoding, root.walk(), encodings))

    def _encoding(self, node: TypeNode, encoding: ColumnEncoding) -> tuple[EncodingKind, ColumnEncoding]:
        kind = encoding.kind or EncodingKind.DIRECT
        unknown = encoding.kind is None and encoding.has_unknown(_KIND)
        if not unknown and kind in encodings_of(node.kind):
            return kind, encoding
        name = "an encoding that is not known" if unknown else kind.name
        message = f"column {node.id}: {node.kind.name} in {name}"
        if is_immaterial(node.kind, None if unknown else kind):
            self._note(message, "ORC-STRIPE-011")
            return EncodingKind.DIRECT, encoding
        self.unreadable.add(node.id)
        self._handle(message, "ORC-STRIPE-011")
        return kind, encoding

    def _places(self, root: TypeNode) -> tuple[StreamPlace, ...]:
        """Return where each stream stands, end to end in the order of the list, up to the first too long."""
        out: list[StreamPlace] = []
        at = self.offset
        in_data = False
        for stream in self.footer.streams:
            kind, column, length = stream.known_kind(), stream.column or 0, stream.length or 0
            index = at < self.data_offset if kind is None else kind in INDEX_KINDS
            name = "a stream" if kind is None else kind.name
            if kind is not None and index and in_data:
                self._note(f"{name} of column {column} stands behind data", "ORC-STRIPE-007", at)
            in_data = in_data or (kind is not None and not index)
            if column > root.max_id:
                self._note(f"{name} of column {column}; there are {root.max_id + 1}", "ORC-STRIPE-009", at)
                kind = None
            if length > self.footer_offset - at:
                message = f"{name} of {length} bytes at {at}; index and data end at {self.footer_offset}"
                self._handle(message, "ORC-STRIPE-010", at)
                break
            out.append(StreamPlace(kind, column, at, length, index))
            at += length
        return tuple(out)

    def _check_areas(self) -> None:
        """Check that the streams fill the two areas of the stripe, unless one did not fit.

        Streams follow each other from the beginning of the stripe. No other placement is possible if unused
        bytes are only at the end, or if the streams fill both areas together.
        """
        if len(self.streams) < len(self.footer.streams):
            return
        filled = sum(place.length for place in self.streams) == self.footer_offset - self.offset
        for index, length, rule in (
            (True, self.info.index_length or 0, "ORC-STRIPE-005"),
            (False, self.info.data_length or 0, "ORC-STRIPE-006"),
        ):
            total = sum(place.length for place in self.streams if place.index == index)
            if total != length:
                area = "index" if index else "data"
                report = self._note if filled or not index else self._handle
                report(f"{area} streams of {total} bytes in an area of {length}", rule)
                break

    def _named(self, streams: Iterable[StreamPlace]) -> dict[tuple[int, StreamKind], StreamPlace]:
        """Return places by column and kind; of two streams of one kind, the first (ORC-STRIPE-008)."""
        out: dict[tuple[int, StreamKind], StreamPlace] = {}
        for place in streams:
            if place.kind is None or place.kind in PLACEHOLDERS:
                continue
            if (place.column, place.kind) in out:
                message = f"a second {place.kind.name} of column {place.column}"
                self._handle(message, "ORC-STRIPE-008", place.offset)
                continue
            out[place.column, place.kind] = place
        return out

    def _uncover(self, decryption: Decryption) -> None:
        """Replace encodings and streams of masked columns by those of opened variants."""
        encodings = list(self.encodings)
        places = {at: place for at, place in self.places.items() if at[0] not in decryption.by_column}
        sealed = self.sealed(decryption.variants)
        for variant in decryption.opened:
            own = [column for column in variant.columns if decryption.by_column[column] is variant]
            own_encodings = self.footer.encryption[variant.number].encoding
            raise_first(self.encoding_errors(variant))
            for node, encoding in zip(variant.root.walk(), own_encodings, strict=True):
                if node.id in own:
                    encodings[node.id] = self._encoding(node, encoding)
            own_places = self._named(sealed[variant.number])
            places.update({at: place for at, place in own_places.items() if at[0] in own})
        self.encodings = tuple(encodings)
        self.places = places

    def encoding_errors(self, variant: Variant) -> Iterator[Malformed]:
        """Yield the error of a variant without an encoding for each of its columns."""
        count = len(self.footer.encryption[variant.number].encoding)
        if count != len(variant.columns):
            message = f"{variant.name}: encodings of {count} columns for {len(variant.columns)}"
            yield self._fail(message, "ORC-CRYPT-009")

    def sealed(self, variants: tuple[Variant, ...]) -> tuple[tuple[StreamPlace, ...], ...]:
        """Return where the streams of each variant stand. Raises Malformed (ORC-CRYPT-008 to -011)."""
        if len(self.footer.encryption) != len(variants):
            message = f"streams of {len(self.footer.encryption)} variants; the file has {len(variants)}"
            raise self._fail(message, "ORC-CRYPT-008")
        out: list[list[StreamPlace]] = [[] for _ in variants]
        for room, index in ((StreamKind.ENCRYPTED_INDEX, True), (StreamKind.ENCRYPTED_DATA, False)):
            rooms = [place for place in self.streams if place.kind is room]
            at = rooms[0].offset if rooms else 0
            end = at + sum(place.length for place in rooms)
            if any(first.offset + first.length != other.offset for first, other in pairwise(rooms)):
                raise self._fail(f"{room.name} in more than one piece", "ORC-CRYPT-010")
            for variant in variants:
                for stream in self.footer.encryption[variant.number].streams:
                    if (stream.kind in INDEX_KINDS) == index:
                        place = self._sealed(variant, stream, at, end)
                        out[variant.number].append(place)
                        at += place.length
            if at != end:
                raise self._fail(f"{room.name} has {end - at} bytes more than its streams", "ORC-CRYPT-010")
        return tuple(map(tuple, out))

    def _sealed(self, variant: Variant, stream: StreamSaid, at: int, end: int) -> StreamPlace:
        column, length = stream.column or 0, stream.length or 0
        if column not in variant.columns:
            message = f"{variant.name}: a stream of column {column}, which is not below {variant.root.id}"
            raise self._fail(message, "ORC-CRYPT-011")
        if length > end - at:
            message = f"{variant.name}: a stream of {length} bytes at {at}; their room ends at {end}"
            raise self._fail(message, "ORC-CRYPT-010")
        kind = stream.known_kind()
        return StreamPlace(kind, column, at, length, kind in INDEX_KINDS, variant.number)
