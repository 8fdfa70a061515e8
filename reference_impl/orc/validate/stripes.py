"""A stripe that may be wrong: what is, is reported, and the rest stays to be looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_impl.orc.schema import StreamKind
from reference_impl.orc.stripe import (
    INDEX_KINDS,
    PLACEHOLDERS,
    StreamPlace,
    Stripe,
    wanted_streams,
)

if TYPE_CHECKING:
    from reference_impl.orc.decryption import Decryption
    from reference_impl.orc.types import TypeNode
    from reference_impl.orc.validate.opened import Opened

_KIND = 1  # field number of `kind` in Stream and ColumnEncoding


class LenientStripe(Stripe):
    """A stripe whose footer may break rules, which are reported.

    Raises ReferenceError_ where footer or encodings cannot be read at all.
    """

    def __init__(self, file: Opened, number: int, decryption: Decryption | None = None) -> None:
        """Read the footer of a stripe; see encrypted columns as `decryption` has them."""
        self.report = file.report
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

    def note(self, rule: str, message: str, at: int | None = None) -> None:
        """Report what is wrong with the footer."""
        where = (*self.path, "footer")
        self.report.add(rule, where, self.footer_offset if at is None else at, message)

    def _handle(self, message: str, rule: str, at: int | None = None) -> None:
        self.note(rule, message, at)

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
                self.note("ORC-STRIPE-013", message, place.offset)
