"""Files too large to send: each version digests them where they are, and rows are sent where digests differ.

Under one configuration, the first: a file of 10 GB is read once by each version, and what differs a second
time. There is no expectation of such a file, so nothing says who is right; only a process that dies is wrong
whatever the file means. If both die, nothing was compared: that is a difference to be reviewed, and
the next start asks again.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from corpora.tagged import Table
from harness.children.connection import Connection, StartError
from harness.children.outcomes import OutcomeKind
from harness.investigate.upgrade.classes import Class, Right, Unlike, plain, unlike
from harness.investigate.upgrade.descent import Descent, Digested, Found
from harness.judging.compare import TablePath

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from corpora.cases import Case
    from harness.children.connection import Limits
    from harness.children.outcomes import Outcome
    from harness.judging.places import Process
    from harness.runs.pipeline.run import Progress

BLOCK_ROWS = 16_384
KEPT = "digests.ndjson"
_BYTES_PER_SECOND = 1 << 20  # slower than that, reading has come to a halt
LEAST_SECONDS = 600.0  # what any file may take, on a busy machine: Spark's first query, its Python workers
_RIGHT = {Class.DIES: Right.REGRESSED, Class.LIVES: Right.IMPROVED}
_LOST = frozenset({OutcomeKind.CRASHED, OutcomeKind.HUNG, OutcomeKind.OUT_OF_MEMORY, OutcomeKind.MISSPOKE})
_COUNTS = ("cases", "places", "differing", "rows", "blocks", "bytes", "whole", "unread")


@dataclass
class _Side:
    """One version: its process, and the connection to it."""

    process: Process
    connection: Connection

    @property
    def config(self) -> dict[str, str]:
        return self.process.configs[0].switches

    def streams(self, format: str) -> bool:  # noqa: A002 - the protocol's word
        """Return whether it reads files of a format in batches."""
        return format in self.connection.describe()["streams"]


def compare(
    pair: Sequence[Process], cases: Sequence[Case], limits: Limits, out: Path, progress: Progress
) -> tuple[list[dict[str, Any]], dict[str, Any], list[dict[str, str]]]:
    """Return the differences of files, what they add up to, and name, version and runtime of both versions.

    What was compared before, as `out` holds it, is not compared again. Raises StartError.
    """
    connections = (Connection(one.command, limits, env=one.launch.environment()) for one in pair)
    with next(connections) as first, next(connections) as second:
        sides = _Side(pair[0], first), _Side(pair[1], second)
        engines = [
            {name: side.connection.describe()[name] for name in ("name", "version", "runtime")}
            for side in sides
        ]
        out.mkdir(parents=True, exist_ok=True)
        kept = _kept(out / KEPT)
        found: list[dict[str, Any]] = []
        counts: dict[str, Any] = {**dict.fromkeys(_COUNTS, 0), "seconds": [0.0, 0.0]}
        progress.stage("digests", len(cases))
        with (out / KEPT).open("a", encoding="ascii") as file:
            for case in cases:
                names = [f"{one.key}:{one.configs[0].text}" for one in pair]
                key = json.dumps([case.id, case.sha256, *names])
                told = kept.get(key)
                if told is None:
                    one = _File(sides, case, progress)
                    told = one.compared()
                    if not one.lost:
                        file.write(json.dumps({"key": key, "told": told}) + "\n")
                        file.flush()
                found += told["lines"]
                _add(counts, told["counts"])
                progress.advance(1)
    return found, counts, engines


def size_of(case: Case) -> int:
    """Return the bytes of a file, or of all files in a folder."""
    if case.file.is_dir():
        return sum(file.stat().st_size for file in case.file.rglob("*") if file.is_file())
    return case.file.stat().st_size


def _kept(file: Path) -> dict[str, Any]:
    """Return what was compared before; a line that was cut short is as if it were not there."""
    found = {}
    with suppress(FileNotFoundError), file.open(encoding="ascii") as lines:
        for text in lines:
            with suppress(ValueError):
                line = json.loads(text)
                found[line["key"]] = line["told"]
    return found


def _add(counts: dict[str, Any], more: dict[str, Any]) -> None:
    for name in _COUNTS:
        counts[name] += more[name]
    counts["seconds"] = [a + b for a, b in zip(counts["seconds"], more["seconds"], strict=True)]


@dataclass
class _File:
    """One file being compared."""

    sides: tuple[_Side, _Side]
    case: Case
    progress: Progress
    lost: bool = False

    def compared(self) -> dict[str, Any]:
        """Return its lines and counts."""
        self.size = size_of(self.case)
        self.seconds = LEAST_SECONDS + self.size / _BYTES_PER_SECOND
        self.counts = {**dict.fromkeys(_COUNTS, 0), "cases": 1, "places": 1, "bytes": self.size}
        streams = all(side.streams(self.case.format) for side in self.sides)
        found = list(self._digested() if streams else self._whole())
        self.counts["differing"] = int(bool(found))
        lines = [self._line(one) for one in found]
        return {"lines": lines, "counts": {**self.counts, "seconds": self.took}}

    def _digested(self) -> Iterator[Found]:
        """Compare digests, and descend where they differ."""
        asked = self.case.file, self.case.format
        answers, outcomes = [], []
        for side in self.sides:
            digests, outcome = side.connection.digest(*asked, side.config, BLOCK_ROWS, self.seconds)
            answers.append(Digested.from_json(digests) if digests else None)
            outcomes.append(outcome)
        self.took = [outcome.seconds for outcome in outcomes]
        before, after = answers
        if before is None or after is None:
            yield from self._failed(*map(_read, outcomes))
            return
        self.counts["rows"] = before.rows
        self.counts["blocks"] = -(-before.rows // BLOCK_ROWS)
        old, new = (
            partial(side.connection.rows, *asked, side.config, seconds=self.seconds) for side in self.sides
        )
        found = list(Descent(before, after, BLOCK_ROWS, old, new).differences())
        if self.case.file.is_dir():  # the rows of a folder's files have no order between them
            found = [one for one in found if one.unlike.cls is not Class.ORDER]
        yield from found

    def _whole(self) -> Iterator[Found]:
        """Compare the values of an engine that has no batches, within its limits of time and memory."""
        name = self.sides[0].process.name
        self.progress.note(f"{self.case.id}: {name} has no batches; the file is read whole")
        self.counts["whole"] = 1
        outcomes = [
            side.connection.read(self.case.file, self.case.format, side.config) for side in self.sides
        ]
        self.took = [outcome.seconds for outcome in outcomes]
        yield from self._failed(*outcomes)

    def _failed(self, old: Outcome, new: Outcome) -> Iterator[Found]:
        """Tell of outcomes one of which, at least, is no table; of two tables, if they were read whole."""
        self.counts["unread"] = int(old.table is None and new.table is None)
        self.lost = old.kind in _LOST and new.kind in _LOST
        if self.lost:
            said = [f"{one.kind}: {one.detail.message.strip()[:400]}" for one in (old, new)]
            told = f"and so does the old version: {old.kind}, {new.kind}; nothing was compared"
            yield Found(Unlike(Class.DIES, TablePath(), said[0], said[1], told))
            return
        found = unlike(old, new)
        if found:
            yield Found(found)

    def _line(self, found: Found) -> dict[str, Any]:
        """Return a line as `pairing` writes them."""
        one, config = found.unlike, self.sides[0].process.configs[0]
        what = " in ".join(filter(None, [one.told, found.type]))
        blocks = f"; {found.blocks:,} of {self.counts['blocks']:,} blocks differ" if found.blocks else ""
        return {
            "signature": plain(f"{self.sides[0].process.name} | {one.cls} | {what}"),
            "class": one.cls.value,
            "right": (Right.BOTH_WRONG if self.lost else _RIGHT.get(one.cls, Right.UNSPECIFIED)).value,
            "by": "digests",
            "case": self.case.id,
            "format": self.case.format,
            "file": str(self.case.file),
            "sha256": "",
            "size": self.size,
            "probe": None,
            "query": None,
            "configs": [config.text],
            "of": 1,
            "path": f"{one.path}{blocks}",
            "old": one.old,
            "new": one.new,
            "verdicts": ["", ""],
            "features": sorted(self.case.features),
            "unstable": found.unstable,
            "tried": [],
            "restored": [],
            "explained": [],
        }


def _read(outcome: Outcome) -> Outcome:
    """Return the outcome of digests as one of reading: that it went well is a table, of no columns here."""
    return replace(outcome, table=Table((), 0)) if outcome.kind is OutcomeKind.TABLE else outcome


__all__ = ["BLOCK_ROWS", "StartError", "compare", "size_of"]
