"""The reports of `colconf upgrade`: one model of the account, and how each format becomes a file.

All text in the model went through `harness.text`: a format only has to escape its own syntax. The functions
at the end are the entry points of the group `colconf.upgrade_reports`.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from harness.text import line
from harness.upgrade.account import load
from harness.upgrade.classes import MEANINGS
from reports import upgrade_html, upgrade_markdown
from reports.formats import write

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SCHEMA_VERSION = 1
CONFIGS = 6  # configurations of a group that are named


@dataclass(frozen=True)
class Cause:
    """Why versions differ: in words, the migration guide's heading, and what restores the old behaviour."""

    says: str
    section: str
    issue: str
    option: str


@dataclass(frozen=True)
class Shown:
    """One group. `configs` is empty where only the default was asked; `reviewed` is "" or who and why."""

    number: int
    signature: str
    cls: str
    meaning: str
    right: str
    rights: str
    cases: int
    inputs: str
    configs: str
    restored: str
    features: str
    unstable: int
    causes: tuple[Cause, ...]
    case: str
    path: str
    old: str
    new: str
    probe: str
    folder: str
    reviewed: str


@dataclass(frozen=True)
class Input:
    """What was read: files, answers compared, under how many configurations, files that differ."""

    name: str
    files: int
    answers: int
    configs: int
    differing: int
    seconds: tuple[float, float]


@dataclass(frozen=True)
class Upgrade:
    """Everything a format may show: the groups that nobody has reviewed, and those that somebody has."""

    old: str
    new: str
    runtimes: tuple[str, str]
    passed: bool
    started: str
    finished: str
    arguments: str
    colconf: str
    open: tuple[Shown, ...]
    reviewed: tuple[Shown, ...]
    inputs: tuple[Input, ...]
    useless: tuple[tuple[str, str], ...]

    def count(self, right: str) -> int:
        """Return how many groups that are not reviewed have this word."""
        return sum(one.right == right for one in self.open)

    @property
    def unexplained(self) -> int:
        """Return how many groups that are not reviewed have no known cause."""
        return sum(not one.causes for one in self.open)


def build(account: Mapping[str, Any]) -> Upgrade:
    """Make the model of an account."""
    groups = [_shown(number, group) for number, group in enumerate(account["groups"], 1)]
    engines = [f"{line(one['name'])} {line(one['version'])}" for one in account["engines"]]
    old, new = engines if len(engines) == 2 else ("?", "?")
    runtimes = [line(one["runtime"]) for one in account["engines"]]
    return Upgrade(
        old,
        new,
        (runtimes[0], runtimes[1]) if len(runtimes) == 2 else ("", ""),
        bool(account["passed"]),
        line(account["started"]),
        line(account["finished"]),
        line(" ".join(map(str, account["arguments"])), 2_000),
        line(account["colconf"]),
        tuple(one for one in groups if not one.reviewed),
        tuple(one for one in groups if one.reviewed),
        tuple(map(_input, account["inputs"])),
        tuple((line(one["signature"]), line(one["why"])) for one in account["useless"]),
    )


def _shown(number: int, group: Mapping[str, Any]) -> Shown:
    at, known = group["smallest"], {one.value: text for one, text in MEANINGS.items()}
    review = group["reviewed"]
    return Shown(
        number=number,
        signature=line(group["signature"]),
        cls=line(group["class"]),
        meaning=known.get(group["class"], ""),
        right=line(group["right"]),
        rights=_counts(group["rights"]) if len(group["rights"]) > 1 else "",
        cases=int(group["cases"]),
        inputs=_counts(group["inputs"]),
        configs=_configs(group["configs"]),
        restored=line(", ".join(group["restored"])),
        features=line(", ".join(group["features"][:CONFIGS])),
        unstable=int(group["unstable"]),
        causes=tuple(map(_cause, group["causes"])),
        case=line(at["case"]),
        path=line(at["path"]),
        old=line(at["old"]),
        new=line(at["new"]),
        probe=line(at["probe"]),
        folder=line(group["folder"]),
        reviewed=_review(review) if review else "",
    )


def _review(review: Mapping[str, Any]) -> str:
    until = f", until {line(review['expires'])}" if review["expires"] else ""
    return f"{line(review['reason'])} ({line(review['reviewer'])}, {line(review['date'])}{until})"


def _cause(cause: Mapping[str, Any]) -> Cause:
    return Cause(*(line(cause.get(name)) for name in ("says", "section", "issue", "option")))


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{line(name)} {count:,}" for name, count in counts.items())


def _configs(counts: Mapping[str, int]) -> str:
    """Return the configurations that show a group, the default first; empty if it is the default alone."""
    named = [line(name) or "default" for name in counts]
    if named == ["default"]:
        return ""
    named.sort(key=lambda name: name != "default")
    more = f" and {len(named) - CONFIGS} more" if len(named) > CONFIGS else ""
    return ", ".join(named[:CONFIGS]) + more


def _input(told: Mapping[str, Any]) -> Input:
    before, after = told["seconds"]
    return Input(
        line(told["input"]),
        int(told["cases"]),
        int(told["places"]),
        int(told["configs"]),
        int(told["differing"]),
        (float(before), float(after)),
    )


def render_json(model: Upgrade) -> str:
    """Return the model as JSON, for machines."""
    return json.dumps({"schema_version": SCHEMA_VERSION, **asdict(model)}, indent=2) + "\n"


def write_html(out: Path) -> Path:
    """Write `report.html` into the folder of an upgrade."""
    return write(upgrade_html.render(build(load(out))), out / "report.html")


def write_markdown(out: Path) -> Path:
    """Write `report.md` into the folder of an upgrade."""
    return write(upgrade_markdown.render(build(load(out))), out / "report.md")


def write_json(out: Path) -> Path:
    """Write `report.json` into the folder of an upgrade."""
    return write(render_json(build(load(out))), out / "report.json")
