"""Views of the model on pages: cells of matrices, since when a case is right, the last changes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from harness.judging.verdicts import PASSED
from reports.site.model import UNSUPPORTED, Answer, CaseRecord, Site, verdicts
from reports.site.places import Version
from reports.site.shares import Share, share
from reports.verdicts import worst_first

_DIGITS = re.compile(r"(\d+)")


def natural(text: str) -> list[tuple[int, int, str]]:
    """Return a sort key in which numbers count as numbers: `page/9` comes before `page/10`."""
    return [
        (0, int(part), "") if part.isdecimal() and part.isascii() else (1, 0, part)
        for part in _DIGITS.split(text)
        if part
    ]


class MatrixCell(NamedTuple):
    """A feature under a version: share of right answers, tone of its colour, verdicts in words."""

    share: Share
    tone: str
    words: str


class MatrixRow(NamedTuple):
    """A feature, its format, and a cell for each version, None where no answer says anything."""

    feature: str
    format: str
    cells: list[MatrixCell | None]


def cell_of(answers: Iterable[Answer]) -> MatrixCell | None:
    """Return the cell of some answers, None if none of them says anything."""
    every = [answer for answer in answers if answer.counts]
    if not every:
        return None
    share_ = share(every)
    counts = verdicts(every)
    words = "; ".join(f"{counts[verdict]:,} {verdict.replace('_', ' ')}" for verdict in worst_first(counts))
    return MatrixCell(share_, tone_of(share_, set(counts)), words)


def tone_of(share_: Share, verdicts_: set[str]) -> str:
    """Return the tone of a share: good for all, quiet where only support is missing, else by its size."""
    if share_.right == share_.of:
        return "good"
    if verdicts_ <= PASSED | {UNSUPPORTED}:
        return "quiet"
    return "warn" if share_.percent >= 90 else "bad"


@dataclass(frozen=True)
class Since:
    """Since which release an engine is right about a case or feature, in words, with its tone."""

    words: str
    tone: str


def since(site: Site, engine: str, records: Sequence[CaseRecord]) -> Since | None:
    """Return since which of its releases an engine is right about all cases, None if it was not asked.

    Releases count by version, not by the date of a run. One that is right about the few cases that it was
    asked proves nothing, and is left out; one that is wrong about a single case proves that not all are.
    """
    every = _shares(site, engine, records)
    if not every:
        return None
    shares = [entry for entry in every if entry[1].of >= every[-1][1].of or entry[1].right < entry[1].of]
    right = [version for version, share_ in shares if share_.right == share_.of]
    newest, last = shares[-1]
    if len(right) == len(shares):
        return Since(f"in all {len(shares)} releases" if len(shares) > 1 else f"in {newest}", "good")
    if last.right == last.of:
        first = 1 + max(place for place, (_, share_) in enumerate(shares) if share_.right < share_.of)
        is_next = every.index(shares[first]) == every.index(shares[first - 1]) + 1
        return Since(f"{'since' if is_next else 'at the latest since'} {shares[first][0]}", "good")
    until = f"; all in {right[-1]}" if right else ""
    if not right and _lacks(engine, newest, records):
        words = f"{last.right:,} of {last.of:,} in {newest}, no support for the rest"
        return Since(words if last.right else f"no support in {newest}", "quiet")
    if len(records) > 1:
        return Since(f"{last.right:,} of {last.of:,} in {newest}{until}", "warn" if last.right else "bad")
    if right:
        return Since(f"not any more: last in {right[-1]}", "bad")
    return Since(f"in none of {len(shares)} releases" if len(shares) > 1 else f"not in {newest}", "bad")


def _shares(site: Site, engine: str, records: Sequence[CaseRecord]) -> list[tuple[str, Share]]:
    """Return for each release how many of the cases that it was tested with it gets right."""
    shares = []
    for version in site.engines[engine]:
        states = [record.right[version] for record in records if version in record.right]
        if states:
            shares.append((version.version, Share(sum(states), len(states))))
    return shares


def _lacks(engine: str, version: str, records: Sequence[CaseRecord]) -> bool:
    """Return whether a release reports every read and query that it does not get right as unsupported."""
    release = Version(engine, version)
    return all(
        answer.is_right or answer.verdict == UNSUPPORTED
        for record in records
        for place, answer in record.answers.items()
        if place.version == release and answer.counts
    )


class Group(NamedTuple):
    """Cases whose ids differ only in their last part."""

    name: str
    records: list[CaseRecord]


def groups(records: Iterable[CaseRecord]) -> list[Group]:
    """Return cases by the folder of their id, in natural order."""
    by_folder: dict[str, list[CaseRecord]] = {}
    for record in sorted(records, key=lambda record: natural(record.id)):
        by_folder.setdefault(record.id.rpartition("/")[0] or record.id, []).append(record)
    return [Group(name, by_folder[name]) for name in sorted(by_folder, key=natural)]
