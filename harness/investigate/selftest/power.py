"""`docs/power.md`: which planted bugs colconf detects, from what `colconf selftest --json` measured.

Each measurement is the JSON of one run: of legal files (`colconf selftest`), or of mutated ones (`--fuzz`).
Nothing here measures, and no number is in the page that is not in a measurement.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Self

from corpora.problem import UserError
from harness.investigate.selftest.plant import FUZZ, QUERY, READ, REFUSAL, TABLE, TABLE_QUERY

_ABOUT = (
    "`colconf selftest` plants one bug at a time in a copy of the reference reader, and looks for it as a",
    "run does; with `--fuzz` it plants bugs that only broken files show, and mutates files. A planted bug",
    "is detected if a result differs where the reader without the bug is right. What is not detected",
    "within the time limit counts as missed. Bugs of old releases are not planted: those that were found",
    "are in [FINDINGS.md](../FINDINGS.md), with the releases that have them.",
)
_UNKNOWN = "0"  # measured before results named it
_VERSION = re.compile(r"[0-9A-Za-z.+-]{1,40}")
_CLASSES = {
    READ: "legal files, read whole",
    QUERY: "queries of legal files",
    REFUSAL: "files that break a rule",
    TABLE: "folders read as tables",
    TABLE_QUERY: "queries of tables",
    FUZZ: "mutated files",
}
_SOURCES = {False: "legal files", True: "mutated files"}


class PowerError(UserError):
    """A file holds no measurement; the message is one line."""


@dataclass(frozen=True)
class Measurement:
    """The measurements of a run of the self-test.

    `version` is that of the colconf that was measured. `plants` have `name`, `format`, `clause`, `found`,
    `seconds` and, of legal files, `shows`: the class of the bug; `seconds` is the time in all.
    """

    name: str
    version: str
    is_fuzz: bool
    seconds: float
    plants: Sequence[Mapping[str, Any]]

    @classmethod
    def from_json(cls, name: str, data: Any) -> Self:
        """Read the JSON of `colconf selftest`; raises PowerError."""
        try:
            plants = list(data["plants"])
            for plant in plants:
                if type(plant["found"]) is not bool or not isinstance(plant["clause"], str):
                    raise PowerError(f"{name}: {plant['name']} has no result")
                if plant["found"]:
                    float(plant["seconds"])
            version = data.get("colconf", _UNKNOWN)
            if not isinstance(version, str) or not _VERSION.fullmatch(version):
                raise PowerError(f"{name}: its version of colconf is {version!r:.40}")
            is_fuzz = any("files" in plant for plant in plants)
            seconds = sum(float(each["seconds"]) for each in data["formats"].values())
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise PowerError(f"{name}: is no result of `colconf selftest --json`: {error}") from error
        if not plants:
            raise PowerError(f"{name}: has no planted bug")
        return cls(name, version, is_fuzz, seconds, plants)


def render(measurements: Sequence[Measurement]) -> str:
    """Return the page."""
    return "\n".join(_lines(measurements)) + "\n"


def _lines(measurements: Sequence[Measurement]) -> Iterator[str]:
    yield "# What colconf detects"
    yield ""
    yield "`colconf corpus power` renders this page, do not edit it."
    yield ""
    yield from _ABOUT
    yield ""
    titles = (
        "colconf",
        "files",
        "format",
        "planted",
        "detected",
        "share",
        "median time",
        "longest",
        "time in all",
    )
    yield from _head(*titles)
    for measured in measurements:
        by_format = _grouped(measured, lambda plant: str(plant["format"]))
        total = f"{measured.seconds:,.0f} s"
        for format_, plants in by_format.items():
            yield _row(measured, format_, plants, total if len(by_format) == 1 else "")
        if len(by_format) > 1:
            yield _row(measured, "both", measured.plants, total)
    for title, key in (("Where the bug shows", _class_of), ("Which text the bug breaks", _text_of)):
        for measured in measurements:
            yield ""
            formats = " and ".join(sorted({str(plant["format"]) for plant in measured.plants}))
            yield f"## {title}: {_SOURCES[measured.is_fuzz]}, {formats}, colconf {measured.version}"
            yield ""
            yield from _head(title.lower(), "planted", "detected", "median time", "longest", "missed")
            for text, plants in sorted(_grouped(measured, key).items()):
                missed = ", ".join(f"`{plant['name']}`" for plant in plants if not plant["found"]) or "·"
                counts = len(plants), sum(plant["found"] for plant in plants)
                yield _cells(text, *counts, *_times(plants), missed)


def _head(*titles: str) -> Iterator[str]:
    yield _cells(*titles)
    yield "|---" * len(titles) + "|"


def _cells(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _class_of(plant: Mapping[str, Any]) -> str:
    """Return where the bug shows: in legal files read whole, in queries, in broken files, in tables."""
    return _CLASSES.get(str(plant.get("shows", FUZZ)), "·")


def _text_of(plant: Mapping[str, Any]) -> str:
    """Return the text whose clause the bug breaks."""
    return str(plant["clause"]).partition("#")[0].partition(",")[0].strip() or "·"


def _grouped(measured: Measurement, key: Any) -> dict[str, list[Mapping[str, Any]]]:
    groups: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for plant in measured.plants:
        groups[key(plant)].append(plant)
    return groups


def _row(measured: Measurement, format_: str, plants: Sequence[Mapping[str, Any]], total: str) -> str:
    detected = sum(plant["found"] for plant in plants)
    share = f"{detected / len(plants):.1%}"
    source = _SOURCES[measured.is_fuzz]
    return _cells(measured.version, source, format_, len(plants), detected, share, *_times(plants), total)


def _times(plants: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Return the median and the longest time until a bug was detected."""
    times = [float(plant["seconds"]) for plant in plants if plant["found"]]
    return (f"{median(times):.1f} s", f"{max(times):.1f} s") if times else ("·", "·")
