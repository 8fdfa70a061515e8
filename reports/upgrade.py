"""The reports of `colconf upgrade`: the model of an account, and a file for each format.

All text in the model went through `harness.listings.text`, so a format only has to escape its own syntax. The
`write_*` functions are the entry points of the group `colconf.upgrade_reports`.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from markupsafe import Markup

from harness.investigate.upgrade.account import (
    NO_LONGER_READS,
    judgement,
    load,
    uncompared,
    uncompared_queries,
    unit,
)
from harness.investigate.upgrade.classes import MEANINGS, RIGHTS, Class, Right
from harness.listings.text import display_name, line
from reports import upgrade_markdown
from reports.formats import write
from reports.html import asset, digest, page
from reports.upgrade_model import Cause, Group, Input, Upgrade
from reports.upgrade_sentences import Example, own_files, sentence
from reports.upgrade_words import notes

SCHEMA_VERSION = 1
WORDS: dict[str, str] = {
    Right.REGRESSED.value: RIGHTS[Right.REGRESSED],
    NO_LONGER_READS: "the new version refuses what the old one read wrongly",
    **{word: meaning for word, meaning in RIGHTS.items() if word != Right.REGRESSED},
}
_OF_CELLS = {Class.VALUE.value, Class.NULLS.value}
_FOLDED = (Right.BOTH_RIGHT.value, Right.IMPROVED.value)
_ALIKE = "The same difference in several configurations."
CONFIGS = 6  # configurations that a group names


def build(account: Mapping[str, Any]) -> Upgrade:
    """Return the model of an account."""
    engines = [f"{line(engine['name'])} {line(engine['version'])}" for engine in account["engines"]]
    old, new = engines if len(engines) == 2 else ("?", "?")
    groups = [_group(number, group, (old, new)) for number, group in enumerate(account["groups"], 1)]
    numbered = [replace(group, number=number) for number, group in enumerate(_in_order(groups), 1)]
    runtimes = [line(engine["runtime"]) for engine in account["engines"]]
    return Upgrade(
        old,
        new,
        (runtimes[0], runtimes[1]) if len(runtimes) == 2 else ("", ""),
        bool(account["passed"]),
        line(account["started"]),
        line(account["finished"]),
        line(" ".join(map(str, account["arguments"])), 2_000),
        line(account["colconf"]),
        tuple(group for group in numbered if not group.reviewed),
        tuple(group for group in numbered if group.reviewed),
        tuple(map(_input, account["inputs"])),
        tuple((line(entry["signature"]), line(entry["why"])) for entry in account["useless"]),
        tuple(
            sorted(
                {
                    (line(config), line(text))
                    for group in account["groups"]
                    for config, text in group.get("settings", {}).items()
                }
            )
        ),
        tuple(
            (line(entry["engine"]), line(entry["question"]), line(entry["reason"]))
            for entry in account.get("not_asked", [])
        ),
        tuple(
            line(text, 500)
            for text in (*map(uncompared, account["inputs"]), *uncompared_queries(account))
            if text
        ),
    )


def _in_order(groups: Sequence[Group]) -> Iterator[Group]:
    """Yield groups as the report lists them: own files first, folded ones last, then the reviewed."""

    def place(group: Group) -> tuple[bool, bool, int]:
        folded = _FOLDED.index(group.right) if group.right in _FOLDED else len(_FOLDED)
        return bool(group.reviewed), not group.is_grave, folded if not group.is_grave else not group.own

    words = [*WORDS, *dict.fromkeys(group.word for group in groups)]  # an account of others may have more
    for _, same in itertools.groupby(sorted(groups, key=place), place):
        for _, cluster in clusters(sorted(same, key=lambda group: words.index(group.word))):
            yield from cluster


def _group(number: int, group: Mapping[str, Any], versions: tuple[str, str]) -> Group:
    smallest, meanings = group["smallest"], {cls.value: text for cls, text in MEANINGS.items()}
    review = group["reviewed"]
    return Group(
        number=number,
        signature=line(group["signature"]),
        cls=line(group["class"]),
        meaning=meanings.get(group["class"], ""),
        right=line(group["right"]),
        rights=_counts(group["rights"]) if len(group["rights"]) > 1 else "",
        cases=int(group["cases"]),
        inputs=_counts(group["inputs"]),
        configs=_configs(group["configs"]),
        restored=line(", ".join(group["restored"])),
        features=line(", ".join(group["features"][:CONFIGS])),
        unstable=int(group["unstable"]),
        causes=tuple(map(_cause, group["causes"])),
        case=line(display_name(smallest["case"], smallest["file"])),
        path=line(smallest["path"]),
        old=line(smallest["old"]),
        new=line(smallest["new"]),
        probe=line(smallest["probe"]),
        folder=line(group["folder"]),
        reviewed=_review(review) if review else "",
        sentence=sentence(
            line(group["signature"]),
            line(group["class"]),
            line(group["right"]),
            Example(*(line(smallest[name]) for name in Example._fields)),
            versions,
            settings={line(config): line(text) for config, text in group.get("settings", {}).items()},
        ),
        own=own_files(group["inputs"]),
        place=_place(line(smallest["path"]), line(group["signature"]), line(group["class"])),
        tried=len(group.get("tried", ())),
        word=judgement(line(group["right"]), line(group["class"]), line(group["signature"])),
        unit=unit(group["inputs"]),
        changed=line(", ".join(group.get("changed", ()))),
        notes=tuple(notes(line(smallest["case"]), (line(group["signature"]), line(smallest["path"])))),
    )


def _place(path: str, signature: str, cls: str) -> str:
    """Return where the values of the smallest file differ, with the type of the column, "" for no cell."""
    if not path or cls not in _OF_CELLS:
        return path
    kind = signature.split(" | ", 2)[-1].rpartition("null in ")[2]
    return f"{path}, of type {kind}" if kind else path


def _review(review: Mapping[str, Any]) -> str:
    until = f", until {line(review['expires'])}" if review["expires"] else ""
    return f"{line(review['reason'])} ({line(review['reviewer'])}, {line(review['date'])}{until})"


def _cause(cause: Mapping[str, Any]) -> Cause:
    return Cause(*(line(cause.get(name)) for name in ("says", "section", "issue", "option")))


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{line(name)} {count:,}" for name, count in counts.items())


def _configs(counts: Mapping[str, int]) -> str:
    """Return the configurations of a group, the default first; empty if only the default is affected."""
    named = [line(name) or "default" for name in counts]
    if named == ["default"]:
        return ""
    named.sort(key=lambda name: name != "default")
    more = f" and {len(named) - CONFIGS} more" if len(named) > CONFIGS else ""
    return ", ".join(named[:CONFIGS]) + more


def _input(counts: Mapping[str, Any]) -> Input:
    before, after = counts["seconds"]
    return Input(
        line(counts["input"]),
        int(counts["cases"]),
        int(counts["places"]),
        int(counts["configs"]),
        int(counts["differing"]),
        (float(before), float(after)),
    )


def render_html(model: Upgrade) -> str:
    """Return the report as one self-contained HTML document that loads nothing; its script only filters."""
    script = asset("upgrade.js")
    every = (*model.open, *model.reviewed)
    return page(
        "upgrade.html",
        "upgrade.css",
        model=model,
        script=Markup(script),  # noqa: S704 - our own file
        script_digest=digest(script),
        clusters=clusters,
        right_meanings=WORDS,
        folded=_FOLDED,
        rights=[word for word in WORDS if any(group.word == word for group in every)],
        classes=[cls.value for cls in Class if any(group.cls == cls for group in every)],
    )


def clusters(groups: Iterable[Group]) -> list[tuple[str, list[Group]]]:
    """Return groups by their first cause, in the order of the first of each.

    Without a known cause, groups that differ only in the configuration are together.
    """
    together: dict[str, list[Group]] = {}
    for group in groups:
        cause = group.causes[0].says if group.causes else ""
        together.setdefault(cause or f"\n{group.alike}", []).append(group)
    return [(_ALIKE if cause.startswith("\n") else cause, same) for cause, same in together.items()]


def render_json(model: Upgrade) -> str:
    """Return the model as JSON, for machines."""
    return json.dumps({"schema_version": SCHEMA_VERSION, **asdict(model)}, indent=2) + "\n"


def write_html(out: Path) -> Path:
    """Write `report.html` into the folder of an upgrade."""
    return write(render_html(build(load(out))), out / "report.html")


def write_markdown(out: Path) -> Path:
    """Write `report.md` into the folder of an upgrade."""
    return write(upgrade_markdown.render(build(load(out))), out / "report.md")


def write_json(out: Path) -> Path:
    """Write `report.json` into the folder of an upgrade."""
    return write(render_json(build(load(out))), out / "report.json")
