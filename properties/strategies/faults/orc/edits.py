"""The plans, edits and scenes from which faults of ORC are built.

Files of faults have a column `row` (type 1) that counts from 0, so that an engine that accepts such a file
shows which rows it lost or invented, and a column `x` (type 2), which holds the fault unless the fault says
otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from corpora.build.orc.schemas import INT, LONG, Types, plan, struct_of
from properties.strategies.faults.edit import Change, Changes, Edit, Part, Scene
from properties.strategies.faults.fault import File, at, fields
from reference_impl.orc.plan import Column, FilePlan, Index
from reference_impl.orc.schema import StreamKind, StripeFooter
from reference_impl.orc.tamper import Place, Tamper
from reference_impl.orc.types import TypeNode, build
from reference_impl.orc.writer import write

X = Place(0, 2, StreamKind.DATA)
LENGTHS, SCALES = X._replace(kind=StreamKind.LENGTH), X._replace(kind=StreamKind.SECONDARY)
ALL_LEVELS = ("row group", "stripe", "file")
# A column without statistics: changed values make none of them wrong.
BARE = Column(statistics=None, index=Index(statistics=None))


class OrcEdit(Edit, Tamper):
    """Changes items of a stream, its column, its stripe, or the file.

    `positions` are those of the second row group, `statistics` those of the levels that are named.
    `then` is applied afterwards.
    """

    parts: ClassVar[Mapping[str, Part]] = {
        "type": lambda place, change: ("footer", fields(types=at(place.column, change))),
        "encoding": lambda place, change: ("stripe_footer", fields(columns=at(place.column, change))),
    }

    def __init__(
        self, at: Place, changes: Changes, levels: tuple[str, ...] = ALL_LEVELS, then: Tamper | None = None
    ) -> None:
        super().__init__(at, changes)
        self.levels = levels
        self.then = then

    def visit(self, name: str, where: tuple[Any, ...], item: Any) -> Any:
        """Return an item, changed if it is at the place, and by `then`."""
        item = super().visit(name, where, item)
        return getattr(self.then, name)(*where, item) if self.then else item

    def is_here(self, name: str, *where: Any) -> bool:
        """Return whether an item is of the stream, its column or its stripe, or of the file."""
        if name == "statistics":
            place, group = where
            level = "row group" if group is not None else "file" if place.stripe is None else "stripe"
            return place.column == self.at.column and level in self.levels
        if name in ("positions", "row_index", "bloom"):
            return where[0][:2] == self.at[:2] and where[1:] in ((), (1,))
        return not where or where[0] in (self.at, self.at.stripe)


def edit(
    place: Place = X, *, levels: tuple[str, ...] = ALL_LEVELS, then: Tamper | None = None, **changes: Change
) -> Tamper:
    """Return a tamper that applies these changes, named like methods of `Tamper`, or parts."""
    return OrcEdit(place, changes, levels, then)


class OrcScene(Scene, Tamper):
    """The items of a file that is written; places are those of `Tamper`."""

    @property
    def streams(self) -> dict[Place, bytes]:
        """The streams, before compression."""
        return self.seen["stream"]

    @property
    def stripe_footers(self) -> dict[int, StripeFooter]:
        """The footers of stripes."""
        return self.seen["stripe_footer"]

    @property
    def nodes(self) -> list[TypeNode]:
        """The types of columns."""
        return list(build(self.plan.types).walk())


def watch(plan: FilePlan) -> OrcScene:
    """Return the items that a plan is written as."""
    scene = OrcScene(plan)
    write(plan, scene)
    return scene


def table(type_: Types, values: Sequence[Any], layout: Column | None = None, **more: Any) -> FilePlan:
    """Return the plan of a file of `row` and `x`, of this type and layout."""
    return plan(struct_of(row=INT, x=type_), list(enumerate(values)), layout, **more)


def ints(values: Sequence[int | None] = (1, 2, 4), layout: Column | None = None, **more: Any) -> FilePlan:
    """Return the plan of a file whose `x` is a LONG."""
    return table(LONG, values, layout, **more)


def file_of(type_: Types, values: Sequence[Any], layout: Column | None = None, **changes: Change) -> File:
    """Return a file of `row` and `x` with changes of the DATA of `x`, or of its column."""
    return File(table(type_, values, layout), OrcEdit(X, changes) if changes else None)
