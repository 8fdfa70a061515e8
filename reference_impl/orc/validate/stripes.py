"""A stripe that may be wrong: what is, is reported, and the rest stays to be looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_impl.errors import ReferenceError_
from reference_impl.orc.schema import EncodingKind, StreamKind
from reference_impl.orc.stripe import (
    INDEX_KINDS,
    PLACEHOLDERS,
    StreamPlace,
    Stripe,
    encodings_of,
    wanted_streams,
)

if TYPE_CHECKING:
    from reference_impl.orc.decryption import Decryption
    from reference_impl.orc.schema import ColumnEncoding
    from reference_impl.orc.types import TypeNode
    from reference_impl.orc.validate.opened import Opened

_KIND = 1  # field number of `kind` in Stream and ColumnEncoding


class LenientStripe(Stripe):
    """A stripe of which what is wrong was reported; columns in `unreadable` have an encoding that is wrong.

    Raises ReferenceError_ where footer or encodings cannot be read at all.
    """

    def __init__(self, file: Opened, number: int, decryption: Decryption | None = None) -> None:
        """Read the footer of a stripe; see encrypted columns as `decryption` has them."""
        self.report = file.report
        self.unreadable: set[int] = set()
        self.path: tuple[str, ...] = (f"stripes[{number}]",)
        super().__init__(
            file.data, file.tail, number, file.root, file.limits, keep_spans=True, decryption=decryption
        )

    def forget(self, column: int) -> None:
        """Let go of what was decompressed of a column."""
        for kind in StreamKind:
            self._opened.pop((column, kind), None)

    def described(self) -> list[StreamPlace]:
        """Return the streams of columns, of those that are decrypted the encrypted ones."""
        sealed = [place for place in self.places.values() if place.variant is not None]
        hidden = {place.column for place in sealed}
        shown = [one for one in self.streams if one.kind not in PLACEHOLDERS and one.column not in hidden]
        return [*shown, *sealed]

    def note(self, rule: str, message: str) -> None:
        """Report what is wrong with the footer."""
        self._note(rule, message)

    def _note(self, rule: str, message: str, at: int | None = None) -> None:
        where = (*self.path, "footer")
        self.report.add(rule, where, self.footer_offset if at is None else at, message)

    def _encodings(self, root: TypeNode) -> tuple[tuple[EncodingKind, ColumnEncoding], ...]:
        found = self.footer.columns
        if len(found) != root.max_id + 1:
            message = f"encodings of {len(found)} columns for {root.max_id + 1} types"
            raise self._fail(message, "ORC-STRIPE-004")
        out = []
        for node, encoding in zip(root.walk(), found, strict=True):
            kind = encoding.kind or EncodingKind.DIRECT
            unknown = encoding.kind is None and any(number == _KIND for number, _, _ in encoding.unknown)
            if unknown or kind not in encodings_of(node.kind):
                what = "an encoding that is not known" if unknown else kind.name
                self._note("ORC-STRIPE-011", f"column {node.id}: {node.kind.name} in {what}")
                self.unreadable.add(node.id)
            out.append((kind, encoding))
        return tuple(out)

    def _places(self, root: TypeNode) -> tuple[StreamPlace, ...]:
        """Return where streams stand, up to the first that does not fit."""
        out: list[StreamPlace] = []
        at, in_data = self.offset, False
        for stream in self.footer.streams:
            kind, column, length = stream.kind, stream.column or 0, stream.length or 0
            if kind is None and not any(number == _KIND for number, _, _ in stream.unknown):
                kind = StreamKind.PRESENT  # the default of an enum is its first number
            index = at < self.data_offset if kind is None else kind in INDEX_KINDS
            name = "a stream" if kind is None else kind.name
            if kind is not None and index and in_data:
                self._note("ORC-STRIPE-007", f"{name} of column {column} stands behind data", at)
            in_data = in_data or (kind is not None and not index)
            if column > root.max_id:
                self._note("ORC-STRIPE-009", f"{name} of column {column}; there are {root.max_id + 1}", at)
                kind = None
            if length > self.footer_offset - at:
                message = f"{name} of {length} bytes at {at}; index and data end at {self.footer_offset}"
                self._note("ORC-STRIPE-010", message, at)
                break
            out.append(StreamPlace(kind, column, at, length, index))
            at += length
        return tuple(out)

    def _check_areas(self) -> None:
        if len(self.streams) < len(self.footer.streams):
            return  # one did not fit
        try:
            super()._check_areas()
        except ReferenceError_ as error:
            self.report.note(error, (*self.path, "footer"))

    def _by_column(self) -> dict[tuple[int, StreamKind], StreamPlace]:
        out: dict[tuple[int, StreamKind], StreamPlace] = {}
        for place in self.streams:
            if place.kind is None or place.kind in PLACEHOLDERS:
                continue
            if (place.column, place.kind) in out:
                message = f"a second {place.kind.name} of column {place.column}"
                self._note("ORC-STRIPE-008", message, place.offset)
                continue
            out[place.column, place.kind] = place
        return out

    def check_kinds(self, root: TypeNode) -> None:
        """Report streams that the column's encoding does not have, unless that is wrong itself."""
        nodes = list(root.walk())
        for place in (*self.streams, *(one for one in self.places.values() if one.variant is not None)):
            if place.kind in PLACEHOLDERS or place.column > root.max_id or place.column in self.unreadable:
                continue
            encodings = self.shown if place.variant is None else self.encodings
            node, encoding = nodes[place.column], encodings[place.column][0]
            has = (*wanted_streams(node.kind, encoding), StreamKind.PRESENT, *INDEX_KINDS)
            if place.kind not in has:
                name = "a stream of a kind that is not known" if place.kind is None else place.kind.name
                message = f"column {node.id}: {name}, which no {node.kind.name} in {encoding.name} has"
                self._note("ORC-STRIPE-013", message, place.offset)
