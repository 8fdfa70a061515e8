"""The runs that an encoder writes: part of the plan of a file (`reference_impl.orc.plan.Column`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from reference_impl.errors import UsageError


class RunKind(StrEnum):
    """Kinds of runs: of bytes and integers (version 1), then of integers (version 2)."""

    CHOSEN = "chosen"  # the kind that suits the next values, in both versions
    REPEAT = "repeat"
    LITERALS = "literals"
    SHORT_REPEAT = "short_repeat"
    DIRECT = "direct"
    PATCHED_BASE = "patched_base"
    DELTA = "delta"


V1_KINDS = (RunKind.CHOSEN, RunKind.REPEAT, RunKind.LITERALS)
V2_KINDS = (RunKind.CHOSEN, RunKind.SHORT_REPEAT, RunKind.DIRECT, RunKind.PATCHED_BASE, RunKind.DELTA)


@dataclass(frozen=True)
class Run:
    """One run. `length`: how many values, None for as many as it can hold; never more than that.

    `extra_width`: widths are by so many steps wider than usual: the bytes of a short repeat, the
    bits of direct values and of deltas (usual widths are those that are not deprecated), and the bits of
    patched base as long as a value is patched. Version 1 and bytes ignore it.

    A kind that cannot hold the next values is replaced: REPEAT by LITERALS, all kinds of
    version 2 by DIRECT, of the same length. The encodings document which values each kind can hold.
    """

    kind: RunKind = RunKind.CHOSEN
    length: int | None = None
    extra_width: int = 0


def endless(runs: Sequence[Run], kinds: tuple[RunKind, ...]) -> Iterator[Run]:
    """Yield the runs in turn for ever, or CHOSEN runs if there are none.

    Raises UsageError for a kind that is not among `kinds`, a length below 1, a negative width.
    """
    for run in runs:
        if run.kind not in kinds:
            raise UsageError(f"a run of kind {run.kind}, which is none of {', '.join(kinds)}")
        if (run.length is not None and run.length < 1) or run.extra_width < 0:
            raise UsageError(f"no run can be {run}")
    while True:
        yield from runs or (Run(),)
