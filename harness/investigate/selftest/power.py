"""`docs/power.md`: how many planted bugs colconf detects, from what `colconf selftest --json` measured.

Each measurement is the JSON of one run: of legal files (`colconf selftest`), or of mutated ones (`--fuzz`).
Nothing here measures, and no number is in the page that is not in a measurement.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Self

from corpora.problem import UserError

_ABOUT = (
    "`colconf selftest` plants one bug at a time in a copy of the reference reader, and looks for it as a",
    "run does; with `--fuzz` it plants bugs that only broken files show, and mutates files. A planted bug",
    "is detected if an answer differs where the reader without the bug is right. What is not detected",
    "within the time limit counts as missed.",
)
_SOURCES = {False: "legal files", True: "mutated files"}


class PowerError(UserError):
    """A file holds no measurement; the message is one line."""


@dataclass(frozen=True)
class Measurement:
    """The measurements of a run of the self-test.

    `plants` have `name`, `format`, `clause`, `found` and `seconds`; `seconds` is the time in all.
    """

    name: str
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
            is_fuzz = any("files" in plant for plant in plants)
            seconds = sum(float(each["seconds"]) for each in data["formats"].values())
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise PowerError(f"{name}: is no result of `colconf selftest --json`: {error}") from error
        if not plants:
            raise PowerError(f"{name}: has no planted bug")
        return cls(name, is_fuzz, seconds, plants)


def render(measurements: Sequence[Measurement], version: str) -> str:
    """Return the page."""
    return "\n".join(_lines(measurements, version)) + "\n"


def _lines(measurements: Sequence[Measurement], version: str) -> Iterator[str]:
    yield "# What colconf detects"
    yield ""
    yield f"Measured with colconf {version}; `colconf corpus power` renders this page, do not edit it."
    yield ""
    yield from _ABOUT
    yield ""
    titles = ("planted bugs", "format", "planted", "detected", "share", "median time", "time in all")
    yield f"| {' | '.join(titles)} |"
    yield "|---|---|---|---|---|---|---|"
    for measured in measurements:
        by_format = _grouped(measured, lambda plant: str(plant["format"]))
        for format_, plants in by_format.items():
            total = f"{measured.seconds:,.0f} s" if len(by_format) == 1 else ""
            yield _row(_SOURCES[measured.is_fuzz], format_, plants, total)
        if len(by_format) > 1:
            yield _row(_SOURCES[measured.is_fuzz], "both", measured.plants, f"{measured.seconds:,.0f} s")
    for measured in measurements:
        yield ""
        yield f"## By what the bug breaks: {_SOURCES[measured.is_fuzz]}"
        yield ""
        yield "| text | planted | detected | missed |"
        yield "|---|---|---|---|"
        for text, plants in sorted(_grouped(measured, _text_of).items()):
            missed = ", ".join(f"`{plant['name']}`" for plant in plants if not plant["found"]) or "·"
            yield f"| {text} | {len(plants)} | {sum(plant['found'] for plant in plants)} | {missed} |"


def _text_of(plant: Mapping[str, Any]) -> str:
    """Return the text whose clause the bug breaks."""
    return str(plant["clause"]).partition("#")[0].partition(",")[0].strip() or "·"


def _grouped(measured: Measurement, key: Any) -> dict[str, list[Mapping[str, Any]]]:
    groups: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for plant in measured.plants:
        groups[key(plant)].append(plant)
    return groups


def _row(source: str, format_: str, plants: Sequence[Mapping[str, Any]], total: str) -> str:
    detected = [plant for plant in plants if plant["found"]]
    times = [float(plant["seconds"]) for plant in detected if plant["seconds"] is not None]
    middle = f"{median(times):.1f} s" if times else "·"
    share = f"{len(detected) / len(plants):.1%}"
    return f"| {source} | {format_} | {len(plants)} | {len(detected)} | {share} | {middle} | {total} |"
