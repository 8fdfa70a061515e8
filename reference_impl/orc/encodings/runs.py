"""Which runs an encoder writes: part of the plan of a file (`reference_impl.orc.plan.Column`)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from reference_impl.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Kind(StrEnum):
    """Kinds of runs: of bytes and integers (version 1), then of integers (version 2)."""

    CHOSEN = "chosen"  # what suits the next values, of any version
    REPEAT = "repeat"
    LITERALS = "literals"
    SHORT_REPEAT = "short_repeat"
    DIRECT = "direct"
    PATCHED_BASE = "patched_base"
    DELTA = "delta"


V1_KINDS = (Kind.CHOSEN, Kind.REPEAT, Kind.LITERALS)
V2_KINDS = (Kind.CHOSEN, Kind.SHORT_REPEAT, Kind.DIRECT, Kind.PATCHED_BASE, Kind.DELTA)


@dataclass(frozen=True)
class Run:
    """One run. `length`: how many values, None for as many as it can hold; never more than that.

    `extra_width`: by so many steps is what has a width made wider than usual: bytes of a short repeat, the
    bits of direct values and of deltas (usual are those that the text does not call deprecated), and those of
    patched base as long as there is something to patch. Of no effect in version 1 and on bytes.

    A kind that cannot hold the next values gives way to one that can: REPEAT to LITERALS, all kinds of
    version 2 to DIRECT, of the same length. The encodings say what they can hold.
    """

    kind: Kind = Kind.CHOSEN
    length: int | None = None
    extra_width: int = 0


def endless(runs: Sequence[Run], kinds: tuple[Kind, ...]) -> Iterator[Run]:
    """Yield the runs in turn for ever, the choice of the encoder where there are none.

    Raises UsageError for a kind that is not among `kinds`, a length below 1, a negative width.
    """
    for run in runs:
        if run.kind not in kinds:
            raise UsageError(f"a run of kind {run.kind}, which is none of {', '.join(kinds)}")
        if (run.length is not None and run.length < 1) or run.extra_width < 0:
            raise UsageError(f"no run can be {run}")
    while True:
        yield from runs or (Run(),)
