"""The short words that faults of ORC are written with.

Files of faults have a column `row` (type 1) that counts from 0, so that an engine that accepts such a file
shows which rows it lost or made up, and a column `x` (type 2): that is the wrong one unless a fault says
otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from corpora.build.orc.schemas import INT, LONG, plan, struct_of
from properties.strategies.faults.common import Made
from reference_impl.orc.plan import Column, Index
from reference_impl.orc.schema import StreamKind
from reference_impl.orc.tamper import Place, Tamper

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpora.build.orc.schemas import Types
    from properties.strategies.faults.common import Change
    from reference_impl.orc.plan import FilePlan, Row
    from reference_impl.orc.schema import (
        BloomFilterIndex,
        ColumnStatistics,
        Footer,
        Metadata,
        PostScript,
        RowIndex,
        StripeFooter,
        StripeInformation,
    )

T = TypeVar("T")
X = Place(0, 2, StreamKind.DATA)
LENGTHS, SCALES = X._replace(kind=StreamKind.LENGTH), X._replace(kind=StreamKind.SECONDARY)
ALL_LEVELS = ("row group", "stripe", "file")
# Nothing but the values is told of a column: what is done to them makes no statistics wrong.
BARE = Column(statistics=None, index=Index(statistics=None))


class Edit(Tamper):
    """Changes things by functions that have the names of `Tamper`'s methods.

    Those of a stream are called for the stream `at`, those of a column, among them `positions` (of the second
    row group) and `statistics` (at the levels that are named), for its column, those of a stripe for its
    stripe. `then` is done behind it.
    """

    def __init__(
        self,
        at: Place,
        changes: dict[str, Change],
        levels: tuple[str, ...] = ALL_LEVELS,
        then: Tamper | None = None,
    ) -> None:
        self.at = at
        self.changes = changes
        self.levels = levels
        self.then = then or Tamper()

    def rows(self, stripe: int, rows: list[Row]) -> list[Row]:
        """Change the rows of a stripe."""
        return self.then.rows(stripe, self._do("rows", rows, here=stripe == self.at.stripe))

    def numbers(self, place: Place, values: list[int]) -> list[int]:
        """Change the numbers of a stream."""
        return self.then.numbers(place, self._do("numbers", values, here=place == self.at))

    def stream(self, place: Place, data: bytes) -> bytes:
        """Change a stream before compression."""
        return self.then.stream(place, self._do("stream", data, here=place == self.at))

    def stored(self, place: Place, data: bytes) -> bytes:
        """Change a stream as it is stored."""
        return self.then.stored(place, self._do("stored", data, here=place == self.at))

    def statistics(self, place: Place, group: int | None, found: ColumnStatistics) -> ColumnStatistics:
        """Change statistics of the column."""
        level = "row group" if group is not None else "file" if place.stripe is None else "stripe"
        here = place.column == self.at.column and level in self.levels
        return self.then.statistics(place, group, self._do("statistics", found, here=here))

    def positions(self, place: Place, group: int, positions: tuple[int, ...]) -> tuple[int, ...]:
        """Change the positions of the second row group."""
        changed = self._do("positions", positions, here=self._column(place) and group == 1)
        return self.then.positions(place, group, changed)

    def row_index(self, place: Place, index: RowIndex) -> RowIndex | None:
        """Change a row index."""
        return self._do("row_index", self.then.row_index(place, index), here=self._column(place))

    def bloom(self, place: Place, index: BloomFilterIndex) -> BloomFilterIndex | None:
        """Change the Bloom filters of a column."""
        return self._do("bloom", self.then.bloom(place, index), here=self._column(place))

    def stripe_footer(self, stripe: int, footer: StripeFooter) -> StripeFooter:
        """Change the footer of a stripe."""
        here = stripe == self.at.stripe
        return self.then.stripe_footer(stripe, self._do("stripe_footer", footer, here=here))

    def stripe(self, number: int, data: bytes) -> bytes:
        """Change the streams of a stripe."""
        return self.then.stripe(number, self._do("stripe", data, here=number == self.at.stripe))

    def stripe_information(self, number: int, information: StripeInformation) -> StripeInformation:
        """Change what the file's footer says of a stripe."""
        changed = self._do("stripe_information", information, here=number == self.at.stripe)
        return self.then.stripe_information(number, changed)

    def metadata(self, metadata: Metadata) -> Metadata:
        """Change the statistics of stripes."""
        return self.then.metadata(self._do("metadata", metadata))

    def footer(self, footer: Footer) -> Footer:
        """Change the footer."""
        return self.then.footer(self._do("footer", footer))

    def footer_message(self, data: bytes) -> bytes:
        """Change the footer as a message."""
        return self.then.footer_message(self._do("footer_message", data))

    def postscript(self, postscript: PostScript) -> PostScript:
        """Change the postscript."""
        return self.then.postscript(self._do("postscript", postscript))

    def postscript_bytes(self, data: bytes) -> bytes:
        """Change the postscript as it is stored."""
        return self.then.postscript_bytes(self._do("postscript_bytes", data))

    def whole(self, data: bytes) -> bytes:
        """Change the file."""
        return self.then.whole(self._do("whole", data))

    def _column(self, place: Place) -> bool:
        return place[:2] == self.at[:2]

    def _do(self, name: str, item: T, *, here: bool = True) -> T:
        change = self.changes.get(name)
        changed: T = change(item) if change and here else item
        return changed


def edit(
    place: Place = X,
    *,
    levels: tuple[str, ...] = ALL_LEVELS,
    then: Tamper | None = None,
    **changes: Change,
) -> Tamper:
    """Return a tamper that applies these changes, by the names that `Edit` has."""
    return Edit(place, changes, levels, then)


def table(type_: Types, values: Sequence[Any], layout: Column | None = None, **more: Any) -> FilePlan:
    """Return the plan of a file of `row` and `x`, of this type and layout."""
    return plan(struct_of(row=INT, x=type_), list(enumerate(values)), layout, **more)


def ints(values: Sequence[int | None] = (1, 2, 4), layout: Column | None = None, **more: Any) -> FilePlan:
    """Return the plan of a file whose `x` is a LONG."""
    return table(LONG, values, layout, **more)


def made(type_: Types, values: Sequence[Any], layout: Column | None = None, **changes: Change) -> Made:
    """Return a file of `row` and `x` with changes of the DATA of `x`, or of its column."""
    return Made(table(type_, values, layout), Edit(X, changes) if changes else None)
