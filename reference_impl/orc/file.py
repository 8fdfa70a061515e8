"""An ORC file: a pure function of its bytes (ORCv1.md).

    >>> file = OrcFile.open("people.orc")
    >>> file.footer.number_of_rows, [node.name for node in file.root.children]
    >>> table = file.read(columns=["name", "address.city"], stripes=[0])
    >>> for place in file.stripe(0).streams: print(place.kind, place.column, place.offset, place.length)

Every method raises only the four errors of `reference_impl.errors`.

Encrypted columns are decrypted where `keys` has their master key; without it they are read as the
unencrypted columns store them, masked.

Dates and timestamps are returned in days and seconds from 1970-01-01 of the proleptic Gregorian calendar,
whatever the calendar of the file (`reference_impl.orc.calendars`).
"""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from reference_impl.columns import Column, StructColumn, Table
from reference_impl.errors import LimitExceeded, Malformed, UsageError, located
from reference_impl.limits import DEFAULT, Limits
from reference_impl.notes import Notes
from reference_impl.orc import calendars, index
from reference_impl.orc.column_slices import concat, cut
from reference_impl.orc.decryption import Decryption, MasterKeys, Unwrap
from reference_impl.orc.readers.nested import Reader, empty, select
from reference_impl.orc.schema import (
    BloomFilterIndex,
    CalendarKind,
    Metadata,
    RowIndex,
    StreamKind,
    StripeStatistics,
    TypeKind,
)
from reference_impl.orc.statistics_schema import ColumnStatistics
from reference_impl.orc.stripe import Stripe
from reference_impl.orc.tail import read_tail
from reference_impl.orc.types import TypeNode, build

_OPEN_STRIPES = 2  # that stay in memory with their decompressed streams


class OrcFile:
    """A file that was opened: its tail has been read and checked, the stripes have not.

    `tail` has all of the tail, `postscript` and `footer` among it; `root` is the type tree.
    """

    def __init__(
        self,
        data: bytes | mmap.mmap | memoryview,
        *,
        limits: Limits = DEFAULT,
        keep_spans: bool = False,
        zone: str = "UTC",
        keys: MasterKeys | Unwrap | None = None,
        strict: bool = False,
    ) -> None:
        """Read the tail; `keep_spans` keeps the byte range of every field of the file's messages.

        `zone` is the writer's time zone for stripes that do not name it (Hive 0.11).
        `keys` are master keys by name and version, of 16 or 32 bytes, as Hadoop and Ranger manage them; or a
        function of an EncryptionKey and an encrypted local key that returns the local key, or None without
        access, as any other service may.
        `strict` refuses a file also for rules that decoding does not stop at; otherwise `notes` has their
        errors (`reference_impl.orc.noted`).

        Raises Malformed (ORC-FILE-*, ORC-PROTO-*, ORC-COMP-*, ORC-TYPE-*, with keys ORC-CRYPT-*), Unsupported
        and LimitExceeded; UsageError for a key that has not the algorithm's length.
        """
        self.data = memoryview(data)
        self.limits = limits
        self.zone = zone
        self.keep_spans = keep_spans
        self._notes = Notes(strict=strict)
        self.tail = read_tail(self.data, limits, keep_spans=keep_spans, breach=self._notes.breach)
        self.postscript = self.tail.postscript
        self.footer = self.tail.footer
        breaches: list[Malformed] = []
        with located("footer"), self.tail.footer_stream.decoding():
            self.root = build(self.footer.types, breach=breaches.append)
        for error in breaches:
            self._notes.breach(self.tail.footer_stream.located(error, "footer"))
        self.decryption: Decryption | None = None
        if keys is not None and self.footer.encryption is not None:
            self.decryption = Decryption(self.data, self.tail, self.root, keys, limits)
        self._metadata: Metadata | None = None
        self._stripes: dict[int, Stripe] = {}

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        limits: Limits = DEFAULT,
        zone: str = "UTC",
        keys: MasterKeys | Unwrap | None = None,
        strict: bool = False,
    ) -> OrcFile:
        """Open a file by path, memory-mapped; raises OSError as well."""
        with Path(path).open("rb") as file:
            size = file.seek(0, 2)
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
        return cls(data, limits=limits, zone=zone, keys=keys, strict=strict)

    @property
    def notes(self) -> list[Malformed]:
        """The broken rules that reading did not stop at, as far as it came, in order of discovery."""
        return self._notes.breaches

    @property
    def metadata(self) -> Metadata:
        """The statistics of stripes that fit. Raises Malformed (ORC-PROTO-*, ORC-COMP-*)."""
        if self._metadata is None:
            self._metadata = self.tail.read_metadata(keep_spans=self.keep_spans, breach=self._notes.breach)
        return self._metadata

    @cached_property
    def statistics(self) -> tuple[ColumnStatistics, ...]:
        """The statistics of the file by column, those of opened columns without a mask.

        There are none if they are not as many as the types.
        """
        masked = self.footer.statistics if len(self.footer.statistics) == len(self.footer.types) else ()
        return masked if self.decryption is None else self.decryption.over_file(masked)

    @cached_property
    def stripe_statistics(self) -> tuple[StripeStatistics, ...]:
        """The statistics of stripes, those of opened columns without a mask; raises as `metadata`."""
        masked = self.metadata.stripe_stats
        return masked if self.decryption is None else self.decryption.over_stripes(masked)

    @property
    def calendar(self) -> CalendarKind:
        """The calendar of DATE and TIMESTAMP; UNKNOWN_CALENDAR where the file has none."""
        return self.footer.calendar or CalendarKind.UNKNOWN_CALENDAR

    @cached_property
    def hybrid(self) -> bool:
        """Whether the stored dates are those of the hybrid calendar."""
        return calendars.is_hybrid(self.footer.calendar, self.footer.writer)

    def read(self, columns: Sequence[str] | None = None, stripes: Sequence[int] | None = None) -> Table:
        """Read columns (names of top-level fields, or dotted paths into them; default all) of stripes.

        A root that is not a struct is a single column without a name.
        Raises UsageError for a column or stripe that is not there.
        """
        numbers = range(len(self.footer.stripes)) if stripes is None else stripes
        wanted = self.select(columns)
        counts = [self.footer.stripes[self._number(each)].number_of_rows or 0 for each in numbers]
        rows, most = sum(counts), self.limits.values
        if len(wanted) > 1 and rows > most >= max(counts):  # else that stripe may lack the values
            raise LimitExceeded(f"{rows} rows; the limit is {most}")
        parts = []
        for each in numbers:
            stripe = self.stripe(each)
            reader = Reader(stripe, self.limits, wanted, self.zone, self.hybrid)
            parts.append(_top(reader.column(self.root, stripe.rows)))
        if not parts:
            parts.append(_top(empty(self.root, wanted)))
        if len(wanted) > 1 and rows > most:
            raise LimitExceeded(f"{rows} rows; the limit is {most}")
        return Table(tuple(concat(each) for each in zip(*parts, strict=True)), rows)

    def read_rows(self, columns: Sequence[str] | None, stripe: int, start: int, stop: int) -> Table:
        """Read the rows `start:stop` of a stripe, beginning at the row group of the first row.

        Where a column has no index, or the file has no row groups, the stripe is read from its beginning.
        Raises UsageError for rows that are not there, Malformed (ORC-INDEX-*) for wrong positions.
        """
        opened = self.stripe(stripe)
        if not 0 <= start <= stop <= opened.rows:
            raise UsageError(f"there are no rows {start} to {stop}; the stripe has {opened.rows}")
        wanted = self.select(columns)
        stride = self.footer.row_index_stride or 0
        group = start // stride if stride else 0
        positions = self.positions(stripe, group, wanted) if group and start < stop else None
        first = group * stride if positions is not None else 0
        reader = Reader(opened, self.limits, wanted, self.zone, self.hybrid, positions, opened.offset)
        fields = _top(reader.column(self.root, stop - first))
        return Table(tuple(cut(each, start - first, stop - first) for each in fields), stop - start)

    def positions(self, stripe: int, group: int, wanted: frozenset[int]) -> dict[int, tuple[int, ...]] | None:
        """Return the positions of columns in a row group of a stripe, None if a column has no index."""
        out: dict[int, tuple[int, ...]] = {}
        for node in self.root.walk():
            if node.id not in wanted:
                continue
            row_index = self.row_index(stripe, node.id)
            if row_index is not None:
                out[node.id] = row_index.entry[group].positions
            elif node.kind == TypeKind.STRUCT and not self._has_present(stripe, node):
                out[node.id] = ()
            else:
                return None
        return out

    def stripe(self, number: int) -> Stripe:
        """Open a stripe: read its footer, encodings and the places of its streams."""
        self._number(number)
        stripe = self._stripes.get(number)
        if stripe is None:
            while len(self._stripes) >= _OPEN_STRIPES:
                self._stripes.pop(next(iter(self._stripes)))
            stripe = Stripe(
                self.data,
                self.tail,
                number,
                self.root,
                self.limits,
                keep_spans=self.keep_spans,
                decryption=self.decryption,
                breach=self._notes.breach,
            )
            self._stripes[number] = stripe
        return stripe

    def row_index(self, stripe: int, column: int) -> RowIndex | None:
        """Read the row index of a column of a stripe, None if it has none."""
        opened = self.stripe(stripe)
        if self._column(column) not in opened.row_indexes:
            opened.row_indexes[column] = index.row_index(
                opened, column, keep_spans=self.keep_spans, breach=self._notes.breach
            )
        return opened.row_indexes[column]

    def bloom_filters(self, stripe: int, column: int) -> dict[StreamKind, BloomFilterIndex]:
        """Read the Bloom filters of a column of a stripe, by the kind of their stream."""
        return index.bloom_filters(self.stripe(stripe), self._column(column), keep_spans=self.keep_spans)

    def select(self, columns: Sequence[str] | None) -> frozenset[int]:
        """Return the ids of the types to read for these columns; see `read`."""
        if columns is None:
            return frozenset(range(self.root.max_id + 1))
        selected = []
        for column in columns:
            paths = dict.fromkeys([(column,), tuple(column.split("."))])
            nodes = [node for path in paths for node in self._by_path.get(path, ())]
            if not nodes:
                raise UsageError(f"there is no column {column!r}")
            selected += nodes
        return select(self.root, selected)

    @cached_property
    def _by_path(self) -> dict[tuple[str, ...], list[TypeNode]]:
        """The types below the root by path; several types may have one path."""
        out: dict[tuple[str, ...], list[TypeNode]] = {}
        for node in self.root.walk():
            if node.parent is not None:
                out.setdefault(node.path, []).append(node)
        return out

    def _number(self, number: int) -> int:
        if not 0 <= number < len(self.footer.stripes):
            raise UsageError(f"there is no stripe {number}; the file has {len(self.footer.stripes)}")
        return number

    def _column(self, column: int) -> int:
        if not 0 <= column <= self.root.max_id:
            raise UsageError(f"there is no column {column}; the file has {self.root.max_id + 1}")
        return column

    def _has_present(self, stripe: int, node: TypeNode) -> bool:
        return (node.id, StreamKind.PRESENT) in self.stripe(stripe).places


def _top(column: Column) -> tuple[Column, ...]:
    """Return the fields of the root; slots of a null root are null in all fields."""
    return column.fields if isinstance(column, StructColumn) else (column,)
