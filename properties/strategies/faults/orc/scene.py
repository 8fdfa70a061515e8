"""What a plan of an ORC file is written as, and so where in it a rule can be broken."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from properties.strategies.faults.orc.fault import Edit
from reference_impl.orc.tamper import Place, Tamper
from reference_impl.orc.types import build
from reference_impl.orc.writer import write

if TYPE_CHECKING:
    from collections.abc import Callable

    from properties.strategies.faults.common import Change
    from reference_impl.orc.plan import FilePlan
    from reference_impl.orc.schema import Footer, RowIndex, StripeFooter
    from reference_impl.orc.types import TypeNode

FILE = Place(0, 0)


@dataclass
class Scene:
    """What a plan was written as; places are those of `Tamper`, of a column without a kind."""

    plan: FilePlan
    streams: dict[Place, bytes] = field(default_factory=dict)
    footers: dict[int, StripeFooter] = field(default_factory=dict)
    indexes: dict[Place, RowIndex] = field(default_factory=dict)
    footer: Footer | None = None
    nodes: list[TypeNode] = field(default_factory=list)


class Watch(Tamper):
    """Changes nothing, and keeps what it sees."""

    def __init__(self, plan: FilePlan) -> None:
        self.scene = Scene(plan, nodes=list(build(plan.types).walk()))

    def stream(self, place: Place, data: bytes) -> bytes:
        """See a stream."""
        self.scene.streams[place] = data
        return data

    def row_index(self, place: Place, index: RowIndex) -> RowIndex:
        """See a row index."""
        self.scene.indexes[place._replace(kind=None)] = index
        return index

    def stripe_footer(self, stripe: int, footer: StripeFooter) -> StripeFooter:
        """See the footer of a stripe."""
        self.scene.footers[stripe] = footer
        return footer

    def footer(self, footer: Footer) -> Footer:
        """See the footer."""
        self.scene.footer = footer
        return footer


def watch(plan: FilePlan) -> Scene:
    """Return what a plan is written as."""
    seen = Watch(plan)
    write(plan, seen)
    return seen.scene


@dataclass(frozen=True)
class Kind:
    """A way to break a rule: at which places of a scene it can be done, and the changes that do it."""

    rule: str
    what: str
    places: Callable[[Scene], list[Place]]
    changes: Callable[[Scene, Place], dict[str, Change]]

    def tamper(self, scene: Scene, place: Place) -> Tamper:
        """Return what breaks the rule at a place."""
        return Edit(place, self.changes(scene, place))
