"""Parts: the output of a stage for the next one, as JSON lines in a file that is complete or absent.

A part ends with an *end line*, which says what is before it: how many lines, a digest of the first and one of
all of them, and of each table that lies in a file of its own that file's size and digest:

    {"part_end":3,"first":"…","all":"…","spills":[["/…/spill/…/7-0.jsonl",52000,"…"]]}

So every reader of a part notices if the part was emptied, cut or changed. This is `DamagedPart`; the part is
renamed, and made again when the run is continued.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from corpora import files
from corpora.tagged import Table
from harness.children.outcomes import Detail, Outcome, OutcomeKind
from harness.judging.places import Place
from harness.runs.pipeline.errors import PipelineError
from harness.runs.pipeline.spilled import described, file_digest, spills_in

OUTCOME = b',"outcome":'
DAMAGED = ".damaged"
_END = b'{"part_end":'
_SPILL = '"spill":"'  # in a line that refers to a table in a file of its own
_TAIL = 1 << 12  # bytes in which an end line without spills lies
_HELD = 4 << 20  # bytes of a part whose lines are in memory: opening the file for each of them costs more


class DamagedPart(PipelineError):  # noqa: N818 - what is damaged is the file
    """A part is not as it was written; the message is one line and names it."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(path, why)
        self.path = path
        self.why = why

    def __str__(self) -> str:
        return f"{self.path}: damaged ({self.why}); set aside, `--resume` makes it again"


class End(NamedTuple):
    """The contents of an end line."""

    lines: int
    first: str
    all: str
    spills: tuple[tuple[str, int, str], ...]


def commit(path: Path, lines: Iterable[str]) -> None:
    """Write a part under another name, then give it its own; an exception on the way leaves nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with files.whole_file(path) as out:
        seal = _Seal()
        for line in lines:
            data = line.encode("ascii") + b"\n"
            seal.add(data)
            if _SPILL in line:
                seal.spills.update(dict.fromkeys(spills_in(json.loads(line))))
            out.write(data)
        end = seal.end([described(Path(spill)) for spill in seal.spills])
        keys = {"part_end": end.lines, "first": end.first, "all": end.all, "spills": end.spills}
        out.write(json.dumps(keys, separators=(",", ":")).encode("ascii") + b"\n")


class _Seal:
    """The end line of the lines so far."""

    def __init__(self) -> None:
        self.lines = 0
        self.first = ""
        self.spills: dict[str, None] = {}
        self._all = hashlib.blake2b(digest_size=16)

    def add(self, line: bytes) -> None:
        """Take a line, its end included."""
        self._all.update(line)
        if not self.lines:
            self.first = _digest(line)
        self.lines += 1

    def end(self, spills: Iterable[tuple[str, int, str]]) -> End:
        """Return what is to be said of them."""
        return End(self.lines, self.first, self._all.hexdigest(), tuple(spills))

    def check(self, path: Path, last: bytes) -> None:
        """Raise DamagedPart unless the end line says what these lines are."""
        end = _end(path, last)
        if end != self.end(end.spills):
            raise DamagedPart(path, f"{self.lines} lines that are not the {end.lines} that were written")


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _opened(path: Path) -> io.BufferedReader:
    """Open a part; raises OSError, and DamagedPart if it is no regular file."""
    if path.exists() and not path.is_file():
        raise DamagedPart(path, "it is not a regular file")
    return path.open("rb")


def _end(path: Path, line: bytes) -> End:
    """Read an end line; raises DamagedPart."""
    if not line.endswith(b"\n"):
        raise DamagedPart(path, "it has no end")
    try:
        data = json.loads(line)
        spills = tuple((str(name), int(size), str(digest)) for name, size, digest in data["spills"])
        return End(data["part_end"], data["first"], data["all"], spills)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise DamagedPart(path, "it has no end") from error


def encoded(lines: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield lines as a part holds them."""
    return (json.dumps(line, separators=(",", ":")) for line in lines)


def raw_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a part unchanged; raises OSError and, at the end, DamagedPart."""
    seal = _Seal()
    with _opened(path) as opened:
        for line in iter(partial(opened.readline, files.MOST_OF_LINE), b""):
            if line.startswith(_END):
                seal.check(path, line)
                if opened.read(1):
                    raise DamagedPart(path, "more stands behind its end")
                return
            seal.add(line)
            yield line
    raise DamagedPart(path, "it is empty" if not seal.lines else "it has no end")


def read(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of a part; raises OSError and DamagedPart, at the end at the latest."""
    for line in raw_lines(path):
        yield _parsed(path, line)


def head(path: Path) -> Any:
    """Return the first line of a part, without reading the others; raises OSError and DamagedPart."""
    end = end_of(path)
    with _opened(path) as opened:
        line = opened.readline(files.MOST_OF_LINE)
    if not end.lines or _digest(line) != end.first:
        raise DamagedPart(path, "its first line is not the one that was written")
    return _parsed(path, line)


def end_of(path: Path) -> End:
    """Return the end line of a part, without reading the others; raises OSError and DamagedPart."""
    with _opened(path) as opened:
        size = opened.seek(0, os.SEEK_END)
        for back in (_TAIL, min(size, files.MOST_OF_LINE)):
            opened.seek(max(0, size - back))
            lines = opened.read().splitlines(keepends=True)
            if lines and lines[-1].startswith(_END):
                return _end(path, lines[-1])
    raise DamagedPart(path, "it has no end" if size else "it is empty")


def verify(path: Path) -> None:
    """Raise DamagedPart unless the part and the tables that it refers to are as they were written."""
    for _ in raw_lines(path):
        pass
    for name, size, digest in end_of(path).spills:
        spill = Path(name)
        if size >= 0 and not (
            spill.is_file() and spill.stat().st_size == size and file_digest(spill) == digest
        ):
            raise DamagedPart(path, f"its table {name} is not as it was written")


def set_aside(path: Path) -> Path | None:
    """Give a damaged part another name, and return that; None if another process did."""
    target = path.with_name(path.name + DAMAGED)
    try:
        files.move(path, target)
    except FileNotFoundError:
        return None
    return target


def _parsed(path: Path, line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DamagedPart(path, "a line is not JSON") from error


def outcome_to_json(outcome: Outcome) -> dict[str, Any]:
    """Return the JSON form of an outcome; a spilled table names its file."""
    return {
        "kind": outcome.kind.value,
        "table": None if outcome.table is None else outcome.table.to_json(),
        "detail": asdict(outcome.detail),
        "seconds": outcome.seconds,
        "peak_rss_bytes": outcome.peak_rss_bytes,
        "idle_rss_bytes": outcome.idle_rss_bytes,
        "cpu_seconds": outcome.cpu_seconds,
    }


def outcome_from_json(data: dict[str, Any]) -> Outcome:
    """Read the JSON form; the table was checked when it came from the child."""
    table = None if data["table"] is None else Table.from_json(data["table"])
    return Outcome(
        **{**data, "kind": OutcomeKind(data["kind"]), "table": table, "detail": Detail(**data["detail"])}
    )


class Answers:
    """The outcomes of one part, by place in the sheet; those of a large part stay in its file."""

    def __init__(self, path: Path, fetched: Callable[[Table], Table] = lambda table: table) -> None:
        """Look where each outcome stands; `fetched` has a table be here. Raises OSError and DamagedPart."""
        self._path = path
        self._fetched = fetched
        self._places: dict[Place, int] = {}
        self._held: dict[int, bytes] = {}
        is_small = path.stat().st_size <= _HELD
        place = 0
        for line in raw_lines(path):
            if is_small:
                self._held[place] = line
            # A line is ours: what comes before the outcome is small, whatever the outcome holds.
            at = line.find(OUTCOME)
            prefix = _parsed(path, line[:at] + b"}" if at > 0 else b"")
            try:
                self._places[Place(prefix["config"], prefix["case"], prefix["probe"], prefix["way"])] = place
            except (TypeError, KeyError) as error:
                raise DamagedPart(path, "a line is no outcome") from error
            place += len(line)

    def get(self, place: Place) -> Outcome | None:
        """Return the outcome of a place, None if the part does not have it."""
        line = self._line(place)
        if line is None:
            return None
        outcome = outcome_from_json(line["outcome"])
        if outcome.table is not None:
            self._fetched(outcome.table)
        return outcome

    def before(self, place: Place) -> list[dict[str, Any]]:
        """Return the requests that the engine's process got before, as far as the part has them."""
        line = self._line(place)
        return line.get("before", []) if line else []

    def _line(self, place: Place) -> dict[str, Any] | None:
        offset = self._places.get(place)
        if offset is None:
            return None
        line: dict[str, Any] = json.loads(self._held.get(offset) or self._stored(offset))
        return line

    def _stored(self, offset: int) -> bytes:
        with self._path.open("rb") as lines:
            lines.seek(offset)
            return lines.readline()


def answer(place: Place, outcome: Outcome, **more: Any) -> dict[str, Any]:
    """Return the line of one outcome, as `Answers` finds it; `more` stands behind it."""
    return {**place._asdict(), "outcome": outcome_to_json(outcome), **more}
