"""Integer Run Length Encoding, version 2 (ORCv1.md): runs of four kinds, told by the first two bits.

Headers are read one after the other; what is packed is then unpacked for all runs of one width at once, as a
call for each would take longer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reference_impl import bits
from reference_impl.orc.encodings.checked import unsigned
from reference_impl.orc.encodings.encoded import Encoded, joined
from reference_impl.orc.encodings.rle_v2 import delta, direct, patched_base, short_repeat
from reference_impl.orc.encodings.rle_v2.parsed import CUT
from reference_impl.orc.encodings.rle_v2.widths import MAX_RUN
from reference_impl.orc.encodings.runs import Kind, turns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from reference_impl.cursor import Cursor
    from reference_impl.orc.encodings.rle_v2.parsed import Parsed
    from reference_impl.orc.encodings.runs import Run

_READERS = (short_repeat.read, direct.read, patched_base.read, delta.read)
_NONE = np.zeros(0, np.uint64)


def decode(cursor: Cursor, count: int, *, signed: bool, skip: int = 0) -> NDArray[np.int64]:
    """Answer `count` values behind the first `skip`, from the run that begins at the cursor.

    The cursor is left behind the last run that was needed. Raises Malformed (ORC-RLE2-*, and ORC-INT-002 for
    a value beyond 63 bits of an unsigned stream).
    """
    start, wanted = cursor.offset, skip + count
    values = _values(parse(cursor, wanted, signed=signed))[skip:wanted]
    return values if signed else unsigned(values, start)


def parse(cursor: Cursor, count: int, *, signed: bool) -> list[Parsed]:
    """Read runs until they hold `count` values."""
    runs: list[Parsed] = []
    found = 0
    with cursor.obeying(CUT):
        while found < count:
            first = cursor.u8("header of a run")
            runs.append(_READERS[first >> 6](cursor, first, signed=signed))
            found += runs[-1].length
    return runs


def _values(runs: list[Parsed]) -> NDArray[np.int64]:
    """Answer the values of all runs."""
    by_width: dict[int, list[int]] = {}
    for number, run in enumerate(runs):
        if run.count:
            by_width.setdefault(run.width, []).append(number)
    unpacked: list[NDArray[np.uint64]] = [_NONE] * len(runs)
    for width, numbers in by_width.items():
        for number, words in zip(numbers, _unpack([runs[at] for at in numbers], width), strict=True):
            unpacked[number] = words
    parts = [run.values(words) for run, words in zip(runs, unpacked, strict=True)]
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def _unpack(runs: list[Parsed], width: int) -> list[NDArray[np.uint64]]:
    """Unpack runs of one width; each is filled up to a multiple of eight values, which end with a byte."""
    groups = [(run.count + 7) // 8 for run in runs]
    raw = b"".join(
        bytes(run.packed) + bytes(width * eights - len(run.packed))
        for run, eights in zip(runs, groups, strict=True)
    )
    words = bits.unpack_msb(raw, width, 8 * sum(groups)).astype(np.uint64, copy=False)
    ends = np.cumsum(groups) * 8
    return [words[end - 8 * eights :][: run.count] for run, eights, end in zip(runs, groups, ends, strict=True)]


def encode(
    values: Sequence[int] | NDArray[np.int64], *, signed: bool, runs: Sequence[Run] = ()
) -> Encoded:
    """Answer the values in runs as `runs` ask for them, in turn."""
    array = np.ascontiguousarray(values, np.int64)
    numbers: list[int] = array.tolist()
    parts: list[tuple[bytes, int]] = []
    at, turn = 0, turns(runs)
    while at < len(numbers):
        run = next(turn)
        end = min(len(numbers), at + min(MAX_RUN, run.length or MAX_RUN))
        parts.append(_run(array[at:end], numbers[at:end], run, signed=signed))
        at += parts[-1][1]
    return joined(Encoded, parts)


def _run(array: NDArray[np.int64], numbers: list[int], run: Run, *, signed: bool) -> tuple[bytes, int]:
    """Answer a run of the first of these values, and how many they are."""
    kind, extra = run.kind, run.extra_width
    if kind not in _KINDS:
        kind = _choice(numbers)
    same = _repeats(numbers)
    if kind is Kind.SHORT_REPEAT and same >= short_repeat.SHORTEST:
        return short_repeat.write(numbers[0], same, signed=signed, extra_width=extra), same
    if kind is Kind.DELTA:
        length = delta.reach(numbers)
        return delta.write(numbers[:length], signed=signed, extra_width=extra), length
    if kind is Kind.PATCHED_BASE and (made := patched_base.write(numbers, extra_width=extra)):
        return made, len(numbers)
    length = len(numbers) if run.length or kind is not Kind.SHORT_REPEAT else _until_repeat(numbers)
    return direct.write(array[:length], signed=signed, extra_width=extra), length


_KINDS = frozenset({Kind.SHORT_REPEAT, Kind.DIRECT, Kind.PATCHED_BASE, Kind.DELTA})


def _repeats(numbers: list[int]) -> int:
    """Answer how many of the next values, at most 10, are equal to the first."""
    same = 1
    while same < min(len(numbers), short_repeat.LONGEST) and numbers[same] == numbers[0]:
        same += 1
    return same


def _until_repeat(numbers: list[int]) -> int:
    """Answer how many values come before three that are equal, 1 at least."""
    return next(
        (at for at in range(1, len(numbers) - 2) if numbers[at] == numbers[at + 1] == numbers[at + 2]),
        len(numbers),
    )


def _choice(numbers: list[int]) -> Kind:
    """Choose as Apache's writers do in the main: repeats, what is steady, few outliers, the rest direct."""
    if short_repeat.SHORTEST <= _repeats(numbers) == min(len(numbers), short_repeat.LONGEST):
        steady = delta.reach(numbers)
        return Kind.DELTA if steady > short_repeat.LONGEST else Kind.SHORT_REPEAT
    if delta.reach(numbers) == len(numbers):
        return Kind.DELTA
    distances = sorted(map(int.bit_length, (value - min(numbers) for value in numbers)))
    return Kind.PATCHED_BASE if distances[len(numbers) * 9 // 10] < distances[-1] - 1 else Kind.DIRECT
