"""Files too large to send: each version digests them in place and sends only rows of digests that differ.

Only the first configuration is used: each version reads a file of 10 GB once, and the blocks that differ a
second time. Such a file has no expectation, so neither version is right; only a process that dies is wrong
whatever the file means. If both die, nothing was compared: this is a difference to be reviewed, and the next
start reads the file again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from corpora.cases import Case
from corpora.tagged import Table
from harness.children.connection import Connection, Limits
from harness.children.outcomes import LOST, Outcome, OutcomeKind
from harness.investigate.upgrade.classes import Class, Right, Unlike, differences_of, line
from harness.investigate.upgrade.descent import Descent, Digested, Divergence
from harness.judging.compare import TablePath
from harness.judging.places import Process
from harness.runs.pipeline.run import Progress

BLOCK_ROWS = 16_384
DIGESTS = "digests.ndjson"
_BYTES_PER_SECOND = 1 << 20  # a slower read counts as hung
LEAST_SECONDS = 600.0  # for any file on a busy machine: Spark's first query starts Python workers
_RIGHT = {Class.DIES: Right.REGRESSED, Class.LIVES: Right.IMPROVED}
_COUNTS = ("cases", "places", "differing", "rows", "blocks", "bytes", "whole", "unread")


@dataclass
class _Side:
    """One version: its process and the connection to it."""

    process: Process
    connection: Connection

    @property
    def config(self) -> dict[str, str]:
        return self.process.configs[0].switches

    def streams(self, format: str) -> bool:  # noqa: A002 - the protocol's word
        """Return whether the version reads files of a format in batches."""
        return format in self.connection.describe().get("streams", ())


def compare(
    pair: Sequence[Process], cases: Sequence[Case], limits: Limits, out: Path, progress: Progress
) -> tuple[list[dict[str, Any]], dict[str, Any], list[dict[str, str]]]:
    """Return the differences of files, the counts, and name, version and runtime of both versions.

    A file whose comparison is stored in `out` is not compared again. Raises StartError.
    """
    connections = (Connection(process.command, limits, env=process.launch.environment()) for process in pair)
    with next(connections) as first, next(connections) as second:
        sides = _Side(pair[0], first), _Side(pair[1], second)
        engines = [
            {name: side.connection.describe()[name] for name in ("name", "version", "runtime")}
            for side in sides
        ]
        out.mkdir(parents=True, exist_ok=True)
        stored = _stored(out / DIGESTS)
        lines: list[dict[str, Any]] = []
        counts: dict[str, Any] = {**dict.fromkeys(_COUNTS, 0), "seconds": [0.0, 0.0]}
        progress.stage("digests", len(cases))
        is_torn = not _ends_with_a_line(out / DIGESTS)
        with (out / DIGESTS).open("a", encoding="ascii") as file:
            if is_torn:
                file.write("\n")  # else the next comparison would be lost with the line that was cut off
            for case in cases:
                names = [f"{process.key}:{process.configs[0].text}" for process in pair]
                key = json.dumps([case.id, case.sha256, *names])
                comparison = stored.get(key)
                if comparison is None:
                    pending = _File(sides, case, progress)
                    comparison = pending.compared()
                    if not pending.lost:
                        file.write(json.dumps({"key": key, "told": comparison}) + "\n")
                        file.flush()
                lines += comparison["lines"]
                _add(counts, comparison["counts"])
                progress.advance(1)
    return lines, counts, engines


def size_of(case: Case) -> int:
    """Return the bytes of a file, or of all files in a folder."""
    if case.file.is_dir():
        return sum(file.stat().st_size for file in case.file.rglob("*") if file.is_file())
    return case.file.stat().st_size


def _stored(file: Path) -> dict[str, Any]:
    """Return the stored comparisons by key; an incomplete line is skipped."""
    stored = {}
    with suppress(FileNotFoundError), file.open(encoding="ascii") as lines:
        for text in lines:
            with suppress(ValueError):
                line = json.loads(text)
                stored[line["key"]] = line["told"]
    return stored


def _ends_with_a_line(file: Path) -> bool:
    """Return whether a file ends with a whole line, or has none."""
    with suppress(FileNotFoundError):
        return file.read_bytes()[-1:] in {b"", b"\n"}
    return True


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
        divergences = list(self._digested() if streams else self._whole())
        self.counts["differing"] = int(bool(divergences))
        lines = [self._line(divergence) for divergence in divergences]
        return {"lines": lines, "counts": {**self.counts, "seconds": self.took}}

    def _digested(self) -> Iterator[Divergence]:
        """Yield the differences: digests are compared, and rows where the digests differ."""
        file = self.case.file, self.case.format
        answers, outcomes = [], []
        for side in self.sides:
            digests, outcome = side.connection.digest(*file, side.config, BLOCK_ROWS, self.seconds)
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
            partial(side.connection.rows, *file, side.config, seconds=self.seconds) for side in self.sides
        )
        for divergence in Descent(before, after, BLOCK_ROWS, old, new).differences():
            # the rows of a folder's files have no order between them
            if divergence.unlike.cls is not Class.ORDER or not self.case.file.is_dir():
                yield divergence

    def _whole(self) -> Iterator[Divergence]:
        """Yield the differences of an engine without batches, within its limits of time and memory."""
        name = self.sides[0].process.name
        self.progress.note(f"{self.case.id}: {name} has no batches; the file is read whole")
        self.counts["whole"] = 1
        outcomes = [
            side.connection.read(self.case.file, self.case.format, side.config) for side in self.sides
        ]
        self.took = [outcome.seconds for outcome in outcomes]
        yield from self._failed(*outcomes)

    def _failed(self, old: Outcome, new: Outcome) -> Iterator[Divergence]:
        """Yield the difference of two outcomes: at least one is no table, or both were read whole."""
        self.counts["unread"] = int(old.table is None and new.table is None)
        self.lost = old.kind in LOST and new.kind in LOST
        if self.lost:
            before, after = (
                f"{outcome.kind}: {outcome.detail.message.strip()[:400]}" for outcome in (old, new)
            )
            cause = f"and so does the old version: {old.kind}, {new.kind}; nothing was compared"
            yield Divergence(Unlike(Class.DIES, TablePath(), before, after, cause))
            return
        for difference in differences_of(old, new):
            number = difference.path.column if difference.kind == "value" else None
            of_column = "" if number is None or old.table is None else str(old.table.columns[number].type)
            yield Divergence(difference, of_column)

    def _line(self, divergence: Divergence) -> dict[str, Any]:
        """Return a line as `pairing` writes them."""
        difference, process = divergence.unlike, self.sides[0].process
        number, total = divergence.blocks, self.counts["blocks"]
        blocks = f"; {number:,} of {total:,} blocks differ" if number else ""
        return line(
            difference.cls,
            Right.BOTH_WRONG if self.lost else _RIGHT.get(difference.cls, Right.UNSPECIFIED),
            self.case,
            signature=difference.signature(process.name, cell=divergence.type),
            by="digests",
            sha256="",
            size=self.size,
            configs=[process.configs[0].text],
            path=f"{difference.path}{blocks}",
            old=difference.old,
            new=difference.new,
            unstable=divergence.unstable,
        )


def _read(outcome: Outcome) -> Outcome:
    """Return the outcome of digests as one of reading: success is a table, here without columns."""
    return replace(outcome, table=Table((), 0)) if outcome.kind is OutcomeKind.TABLE else outcome
