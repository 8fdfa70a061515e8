"""Checks of this package's data: cases, quarantine, features, rules, importers, known failures, dodges.

`problems` returns a line for each problem, and never raises an exception for the content of a file.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from fnmatch import filter as filter_names
from pathlib import Path

from corpora import cases, dodges, features, known_failures, quarantine, rules, tables
from corpora.cases import Case
from corpora.files import digest
from corpora.importers import csv_tables, parquet_testing

ROOT = Path(__file__).parent
_SHA256 = re.compile("[0-9a-f]{64}")


def problems(root: Path = ROOT, *, today: dt.date | None = None) -> list[str]:
    """Return the problems of the package's data below `root`, sorted."""
    today = today or dt.datetime.now(tz=dt.UTC).date()
    lines = [
        *_features(root / "features.toml"),
        *_rules(root / "rules.d"),
        *_parquet_testing(root / "importers" / "parquet_testing.toml"),
        *_cases(root, _known_rules(root / "rules.d")),
        *_known(root / "known", today),
        *(quarantine.problems(listed, today) if (listed := root / quarantine.FILE.name).exists() else ()),
        *_tables(),
        *dodges.problems(root / dodges.FILE.name),
    ]
    return sorted(lines)


def _features(path: Path) -> Iterator[str]:
    try:
        features.registry(path)
    except cases.CaseError as error:
        yield str(error)


def _rules(folder: Path) -> Iterator[str]:
    try:
        rules.load(folder)
    except cases.CaseError as error:
        yield str(error)


def _known_rules(folder: Path) -> Mapping[str, rules.Rule]:
    try:
        return rules.load(folder)
    except cases.CaseError:
        return {}  # reported by _rules


def _parquet_testing(path: Path) -> Iterator[str]:
    try:
        entries = parquet_testing.table(path).entries
    except cases.CaseError as error:
        yield str(error)
        return
    for entry in entries.values():
        where = f"{path.name}: {entry.path}:"
        yield from _unknown_features(where, entry.features)
        if not _SHA256.fullmatch(entry.sha256):
            yield f"{where} sha256 {entry.sha256!r:.80}"
        if not entry.clause:
            yield f"{where} no clause"
        if entry.level not in cases.LEVELS:
            yield f"{where} level {entry.level!r:.40}"
        if entry.expectation in {"refuse", "either"} and not entry.reason:
            yield f"{where} {entry.expectation} without a reason"
        columns = entry.csv["columns"] if entry.csv else ()
        for column in columns:
            if column.rpartition(":")[2] not in csv_tables.TYPES:
                yield f"{where} column {column!r:.80} has no known type"


def _cases(root: Path, known_rules: Mapping[str, rules.Rule]) -> Iterator[str]:
    """Yield the problems of the checked-in cases, each a JSON file next to its data file."""
    ids: Counter[str] = Counter()
    for format_ in cases.FORMATS:
        for path in sorted((root / format_).rglob("*.json")):
            where = f"{path.relative_to(root)}:"
            try:
                case = cases.load(path)
            except cases.CaseError as error:
                yield str(error)
                continue
            ids[case.id] += 1
            yield from _unknown_features(where, case.features)
            yield from _case(where, path, case, known_rules)
    yield from (f"case id {name} is used {count} times" for name, count in ids.items() if count > 1)


def _case(where: str, path: Path, case: Case, known_rules: Mapping[str, rules.Rule]) -> Iterator[str]:
    if not case.spec:
        yield f"{where} no clause (spec)"
    if not case.features:
        yield f"{where} no features"
    if case.source == "vote":
        yield f"{where} a checked-in case must have its own expectation, not a vote"
    if case.expectation.kind == "either" and not (case.expectation.clause or case.expectation.rule):
        yield f"{where} either without a clause or a rule"
    if case.expectation.rule and case.expectation.rule not in known_rules:
        yield f"{where} rule {case.expectation.rule} is not in rules.d"
    if case.file.parent != path.parent:
        yield f"{where} its file is in another folder"
    elif not case.file.is_file():
        yield f"{where} its file {case.file.name} is missing"
    elif digest(case.file) != case.sha256:
        yield f"{where} sha256 is not that of {case.file.name}"


def _known(folder: Path, today: dt.date) -> Iterator[str]:
    for path in sorted(folder.glob("*.toml")):
        try:
            entries = known_failures.read(path)
        except cases.CaseError as error:
            yield str(error)
            continue
        yield from (f"{entry}: expired on {entry.expires}" for entry in entries if entry.expired(today))
        globs = [(entry, glob) for entry in entries for glob in (entry.feature, *entry.column) if glob]
        known = features.registry()
        yield from (
            f"{at}: no feature matches {glob}"
            for at, glob in globs
            if not features.is_known(glob) and not filter_names(known, glob)
        )


def _tables() -> Iterator[str]:
    names = Counter(table.name for table in tables.WRITER_TABLES)
    yield from (f"tables.py: {name} appears {count} times" for name, count in names.items() if count > 1)
    for item in (*tables.WRITER_TABLES, *tables.LAYOUTS):
        yield from _unknown_features(f"tables.py: {item.name}:", item.features)


def _unknown_features(where: str, names: tuple[str, ...]) -> Iterator[str]:
    yield from (f"{where} unknown feature {name}" for name in names if not features.is_known(name))
