"""Parts: what a stage hands to the next, as JSON lines in a file that is whole or not there."""

from __future__ import annotations

import json
import os
import threading
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from corpora.tagged import Table
from harness.judging.places import Place
from harness.outcomes import Detail, Kind, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path


OUTCOME = b',"outcome":'


def commit(path: Path, lines: Iterable[str]) -> None:
    """Write a part under another name, then give it its own; an exception on the way leaves nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}")
    try:
        with unfinished.open("w", encoding="ascii") as out:
            for line in lines:
                out.write(line)
                out.write("\n")
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def encoded(lines: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield lines as a part holds them."""
    return (json.dumps(line, separators=(",", ":")) for line in lines)


def read(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of a part."""
    with path.open(encoding="ascii") as lines:
        for line in lines:
            yield json.loads(line)


def outcome_to_json(outcome: Outcome) -> dict[str, Any]:
    """Return the JSON form of an outcome; a spilled table names its file."""
    return {
        "kind": outcome.kind.value,
        "table": None if outcome.table is None else outcome.table.to_json(),
        "detail": asdict(outcome.detail),
        "seconds": outcome.seconds,
        "peak_rss_bytes": outcome.peak_rss_bytes,
        "idle_rss_bytes": outcome.idle_rss_bytes,
    }


def outcome_from_json(data: dict[str, Any]) -> Outcome:
    """Read the JSON form; the table was checked when it came from the child."""
    table = None if data["table"] is None else Table.from_json(data["table"])
    return Outcome(**{**data, "kind": Kind(data["kind"]), "table": table, "detail": Detail(**data["detail"])})


class Answers:
    """The outcomes of one part, by place in the sheet; only those asked for are taken into memory."""

    def __init__(self, path: Path, fetched: Callable[[Table], Table] = lambda table: table) -> None:
        """Look where each outcome stands; `fetched` has a table be here. Raises OSError."""
        self._path = path
        self._fetched = fetched
        self._places: dict[Place, int] = {}
        place = 0
        with path.open("rb") as lines:
            for line in lines:
                # A line is ours: what comes before the outcome is small, whatever the outcome holds.
                head = json.loads(line[: line.index(OUTCOME)] + b"}")
                self._places[Place(head["config"], head["case"], head["probe"])] = place
                place += len(line)

    def get(self, one: Place) -> Outcome | None:
        """Return one outcome, None if the part has it not."""
        place = self._places.get(one)
        if place is None:
            return None
        with self._path.open("rb") as lines:
            lines.seek(place)
            outcome = outcome_from_json(json.loads(lines.readline())["outcome"])
        if outcome.table is not None:
            self._fetched(outcome.table)
        return outcome


def answer(one: Place, outcome: Outcome) -> dict[str, Any]:
    """Return the line of one outcome, as `Answers` finds it."""
    return {**one._asdict(), "outcome": outcome_to_json(outcome)}
