"""A stripe whose footer may break rules: errors are reported, and the rest is read."""

from __future__ import annotations

from reference_impl.orc.decryption import Decryption
from reference_impl.orc.schema import StreamKind
from reference_impl.orc.stripe import (
    INDEX_KINDS,
    PLACEHOLDERS,
    StreamPlace,
    Stripe,
    wanted_streams,
)
from reference_impl.orc.types import TypeNode
from reference_impl.orc.validate.opened import Opened


class LenientStripe(Stripe):
    """A stripe that reports the errors of its footer instead of raising them.

    Raises ReferenceError_ where footer or encodings cannot be read at all.
    """

    def __init__(self, file: Opened, number: int, decryption: Decryption | None = None) -> None:
        """Read the footer of a stripe; `decryption` opens encrypted columns."""
        self.report = file.report
        self.path: tuple[str, ...] = (f"stripes[{number}]",)
        super().__init__(
            file.data, file.tail, number, file.root, file.limits, keep_spans=True, decryption=decryption
        )

    def forget(self, column: int) -> None:
        """Release the decompressed streams of a column."""
        for kind in StreamKind:
            self._opened.pop((column, kind), None)

    def described(self) -> list[StreamPlace]:
        """Return the streams of columns; decrypted columns have those of the encrypted variant."""
        sealed = [place for place in self.places.values() if place.variant is not None]
        hidden = {place.column for place in sealed}
        plain = [place for place in self.streams if place.kind not in PLACEHOLDERS]
        return [*(place for place in plain if place.column not in hidden), *sealed]

    def note(self, rule: str, message: str, at: int | None = None) -> None:
        """Report an error of the footer."""
        where = (*self.path, "footer")
        self.report.add(rule, where, self.footer_offset if at is None else at, message)

    def _handle(self, message: str, rule: str, at: int | None = None) -> None:
        self.note(rule, message, at)

    def check_kinds(self, root: TypeNode) -> None:
        """Report streams that the column's encoding does not have, unless the encoding is wrong itself."""
        nodes = list(root.walk())
        for place in (*self.streams, *(place for place in self.places.values() if place.variant is not None)):
            if place.kind in PLACEHOLDERS or place.column > root.max_id or place.column in self.unreadable:
                continue
            encodings = self.masked_encodings if place.variant is None else self.encodings
            node, encoding = nodes[place.column], encodings[place.column][0]
            has = (*wanted_streams(node.kind, encoding), StreamKind.PRESENT, *INDEX_KINDS)
            if place.kind not in has:
                name = "a stream of a kind that is not known" if place.kind is None else place.kind.name
                message = f"column {node.id}: {name}, which no {node.kind.name} in {encoding.name} has"
                self.note("ORC-STRIPE-013", message, place.offset)
