"""Cases as tests of pytest: a collector for each engine, an item for each case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from corpora import own_cases
from corpora.cases import Case, load
from corpora.known_failures import GENERATED, examine
from corpora.problem import UserError
from harness.children.connection import Limits
from harness.children.scratch import scratch_folder
from harness.engines.naming import NamingError, parse
from harness.investigate.findings.rejudge import CannotAsk, Judging, Rejudged
from harness.judging.records import known_entries
from harness.judging.results import Row
from harness.judging.verdicts import PASSED
from harness.judging.wording import sides
from harness.listings.text import line
from harness.runs.pipeline.context import Context
from harness.runs.pipeline.generated import remade
from harness.runs.pipeline.selection import select


def collected(session: pytest.Session, engines: Sequence[str]) -> Iterator[CaseItem]:
    """Yield the items of engines, in the order of the cases' ids; raises pytest.UsageError."""
    for engine in engines:
        try:
            collector = EngineCases.from_parent(session, name=engine, nodeid=f"colconf[{engine}]")
            items = list(collector.collect())
        except (NamingError, UserError) as error:
            raise pytest.UsageError(f"--colconf-engine {line(engine)}: {line(error, None)}") from error
        if not items:
            mend = "see `colconf list cases`"
            raise pytest.UsageError(f"--colconf-cases: no case that {line(engine)} reads matches; {mend}")
        yield from items


class EngineCases(pytest.Collector):
    """The cases of one engine, which runs from the first of its tests to the last."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        option = self.config.getoption
        self.engine = parse(self.name)
        self.formats = self.engine.entry.formats
        select([self.name], self.formats, every_switch=False)  # raises, before the first test
        self.known = known_entries(Path(option("colconf_known")) if option("colconf_known") else None)
        self._judging: Judging | None = None

    def collect(self) -> Iterator[CaseItem]:
        """Yield an item for each chosen case of the formats that the engine reads."""
        patterns = self.config.getoption("colconf_cases") or ["*"]
        names: set[str] = set()
        for case in self._cases(patterns):
            # Generated files of both formats have the same ids.
            name = f"{case.id}.{case.format}" if case.id.startswith(GENERATED) else case.id
            if name not in names and any(fnmatchcase(name, pattern) for pattern in patterns):
                names.add(name)
                yield CaseItem.from_parent(self, name=name, case=case)

    def _cases(self, patterns: Sequence[str]) -> Iterator[Case]:
        option = self.config.getoption
        given = [Path(name) for name in option("colconf_corpus")]
        for path in _of(given) if given else self._own(patterns):
            case = load(path)
            if case.format in self.formats and case.read is None:
                yield case
        for format_ in self.formats if option("colconf_generate") else ():
            yield from _generated(self.config, format_, option("colconf_seed"), option("colconf_generate"))

    def _own(self, patterns: Sequence[str]) -> Iterator[Path]:
        """Yield the records of colconf's own cases whose ids match; no other is read."""
        root = own_cases.folder()
        for path in own_cases.records(patterns):
            if path.relative_to(root).parts[0] in self.formats:
                yield path

    def judge(self, case: Case) -> Rejudged:
        """Have the engine read a case; the first one starts it. Raises CannotAsk."""
        if self._judging is None:
            names, limits = [self.name], Limits()
            self._judging = Judging(names, self.formats, limits, known=self.known, controlled=True)
        return self._judging.judge(case)

    def teardown(self) -> None:
        """End the engine."""
        if self._judging is not None:
            self._judging.close()


class CaseItem(pytest.Item):
    """One case under one engine, in each of its configurations.

    It fails if an answer is a finding, or if a known failure of just this case no longer shows. A known
    failure is an expected one. Where no answer could be judged right (the engine lacks the feature, colconf
    cannot ask, the case is contested), it is skipped with the reason.
    """

    parent: EngineCases

    def __init__(self, case: Case, **given: Any) -> None:
        super().__init__(**given)
        self.case = case
        self.add_marker("colconf")
        for feature in case.features:
            self.add_marker(pytest.mark.colconf_feature(id=feature))
            self.extra_keyword_matches.add(feature)
        if rule := case.expectation.rule:
            self.add_marker(pytest.mark.colconf_rule(id=rule))
            self.extra_keyword_matches.add(rule)

    def runtest(self) -> None:
        """Ask and judge; raises CaseFailed, and pytest's own exceptions for skipped and xfailed."""
        judged = self.parent.judge(self.case)
        rows = [row for row in judged.rows if row.engine == self.parent.engine.name]
        if findings := [row for row in rows if row.detail.finding]:
            raise CaseFailed(findings, self.case)
        named = [entry for entry in self.parent.known if entry.case == self.case.id]
        if stale := examine(named, judged.judged):
            raise CaseFailed([], self.case, tuple(f"{each.entry}: {each.why}" for each in stale))
        for row in rows:
            if row.detail.known is not None:
                pytest.xfail(f"known failure: {row.detail.known.reason} {row.detail.known.url}".rstrip())
        if reason := not_judged(rows):
            pytest.skip(reason)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return what the engine did wrong, without the lines of the plugin."""
        if isinstance(excinfo.value, (CaseFailed, CannotAsk)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Return the file of the case and the item's name."""
        return self.case.file, None, f"{self.parent.name} reads {self.name}"


class CaseFailed(Exception):  # noqa: N818 - it says what happened
    """An engine's answers to a case are findings, or no longer those of known failures."""

    def __init__(self, rows: Sequence[Row], case: Case, stale: Sequence[str] = ()) -> None:
        lines = [line for row in rows for line in _lines(row)]
        lines += [f"a known failure that no longer shows; remove its entry: {entry}" for entry in stale]
        lines.append(f"file: {line(case.file, None)}")
        expectation = case.expectation
        if why := expectation.clause or expectation.rule or expectation.reason:
            lines.append(f"why: {line(why, None)}")
        super().__init__("\n".join(lines))


def not_judged(rows: Sequence[Row]) -> str:
    """Return why no answer of a case could be judged right, "" if one was."""
    if any(row.verdict in PASSED for row in rows):
        return ""
    reasons = (f"{row.verdict}: {line(row.detail.message)}".rstrip(": ") for row in rows)
    return "; ".join(dict.fromkeys(reasons)) or "colconf cannot ask this"


def _of(folders: Sequence[Path]) -> Iterator[Path]:
    """Yield the records of cases in folders that are given; raises pytest.UsageError."""
    for folder in folders:
        if not folder.is_dir():
            raise pytest.UsageError(f"--colconf-corpus {folder}: not a folder")
        yield from sorted(folder.rglob("*.json"))


def _lines(row: Row) -> Iterator[str]:
    """Yield a finding in lines: who, the verdict, the query, the first difference or the error."""
    detail = row.detail
    yield f"{row.engine}@{row.version}{':' if row.config else ''}{row.config}: {row.verdict}"
    if detail.probe is not None:
        yield f"  query: {line(detail.probe, None)}"
    if detail.difference is not None:
        difference = detail.difference
        yield f"  at {line(difference['path'])}:"
        before, behind = sides(row.verdict, difference["kind"])
        yield f"    {before:8} {line(difference['expected'])}"
        yield f"    {behind:8} {line(difference['actual'])}"
    if detail.message:
        yield f"  error: {line(detail.message)}"


def _generated(config: pytest.Config, format_: str, seed: int, files: int) -> Iterator[Case]:
    """Yield cases of generated files, as many as asked for."""
    folders = ExitStack()
    config.add_cleanup(folders.close)
    folder = folders.enter_context(scratch_folder())
    context = Context(folder, (), Limits(), folder)
    number = 0
    while files > 0:
        sheet = remade(context, seed, number, format_)[:files]
        yield from sheet
        number, files = number + 1, files - len(sheet)
