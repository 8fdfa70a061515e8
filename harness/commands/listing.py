"""`colconf list`: what there is to run, to explain, to replay and to fuzz."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from typing import Any

import click

from corpora import cases, features, findings, known_failures, own_cases, rules
from harness.commands.engines import status_to_json
from harness.commands.parameters import problems
from harness.environments import store
from harness.environments.availability import statuses
from harness.listings.rows import show_rows
from properties.fuzz import targets


@click.group("list")
def list_() -> None:
    """List cases, rules, features, engines, findings or fuzz targets.

    A table on a terminal, tab-separated lines in a pipe, JSON with --json. GLOB selects by the first column;
    `*` also matches `/`.
    """


def _cases(glob: str | None) -> Iterator[dict[str, Any]]:
    for path in own_cases.records([glob or "*"]):
        case = cases.load(path)
        yield {
            "case": case.id,
            "format": case.format,
            "level": case.level,
            "expectation": case.expectation.kind,
            "rule": case.expectation.rule,
            "features": list(case.features),
            "clause": case.spec,
            "file": str(case.file),
        }


def _rules(_: str | None) -> Iterator[dict[str, Any]]:
    for rule in rules.load().values():
        yield {"rule": rule.id, "level": rule.level, "clause": rule.clause, "text": rule.text}


def _features(_: str | None) -> Iterator[dict[str, Any]]:
    for feature in features.registry().values():
        yield {"feature": feature.id, "clause": feature.clause, "text": feature.text}


def _engines(_: str | None) -> Iterator[dict[str, Any]]:
    others = store.environments()
    for status in statuses():
        yield status_to_json(status, others)


def _findings(_: str | None) -> Iterator[dict[str, Any]]:
    for name, (first, *_others) in findings.findings(known_failures.load()):
        yield {
            "finding": name,
            "engine": first.engine,
            "versions": first.versions or "all",
            "symptom": first.symptom,
            "clause": first.clause,
            "url": first.url,
            "case": first.case,
        }


def _targets(_: str | None) -> Iterator[dict[str, Any]]:
    for name in targets.names():
        yield {"target": name, "reads": (targets.load(name).__doc__ or "").strip().splitlines()[0]}


# What is listed: its rows, which have the same keys, and the columns that a terminal has room for.
_LISTS: dict[str, tuple[Callable[[str | None], Iterator[dict[str, Any]]], tuple[str, ...], str]] = {
    "cases": (_cases, ("case", "expectation", "rule"), "List the cases of colconf's own corpora."),
    "rules": (_rules, ("rule", "level", "text"), "List the rules that `validate` checks."),
    "features": (_features, ("feature", "text"), "List the features that cases are marked with."),
    "engines": (_engines, ("engine", "version", "formats", "reason"), "List the engines that can be named."),
    "findings": (_findings, ("finding", "versions", "symptom"), "List the confirmed findings."),
    "targets": (_targets, ("target", "reads"), "List the targets of `colconf fuzz`."),
}


def _command(name: str) -> click.Command:
    rows_of, columns, summary = _LISTS[name]

    @click.argument("glob", required=False)
    @click.option("--json", "as_json", is_flag=True, help="Print JSON, with all fields.")
    def show(*, glob: str | None, as_json: bool) -> None:
        with problems():
            rows = [row for row in rows_of(glob) if fnmatchcase(row[columns[0]], glob or "*")]
        show_rows(rows if as_json else [{key: row[key] for key in columns} for row in rows], as_json=as_json)

    return click.command(name, help=summary)(show)


for _name in _LISTS:
    list_.add_command(_command(_name))
