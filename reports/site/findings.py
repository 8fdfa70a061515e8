"""The findings of the site: those of `corpora/known` that were confirmed, and the signatures of runs."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import NamedTuple

from corpora.findings import findings as grouped
from corpora.known_failures import Entry
from harness.engines.naming import switches_of
from harness.investigate.findings.upstream import State as Upstream
from harness.judging.signature import Signature
from harness.listings.text import block, line
from reports.site.model import Answer, CaseRecord, Run, Site, Version, by_age
from reports.verdicts import describe, severity

SHOWS, FINE, OTHERWISE, NOT_ASKED = "shows it", "right", "fails otherwise", "not asked"


class State(NamedTuple):
    """The state of a finding in a release: a word, and the number of cases that show it."""

    version: Version
    word: str
    cases: int


@dataclass(frozen=True)
class FindingRecord:
    """A finding; `counts` has for each run the cases that showed it, None where its engine took no part.

    `range` are the versions of the entry in `corpora/known`, which `colconf known bisect` finds. `states` are
    those of the releases that the runs asked, `minimal` is the case of its smallest file. A finding that
    nobody confirmed has no clause and no script: its id is its signature. `seen` has the starts of the runs
    that showed it, `newest` that of the newest run, `upstream` the state of its issue, None if not given.
    """

    id: str
    engine: str
    verdict: str
    symptom: str
    confirmed: bool
    cases: tuple[str, ...]
    states: tuple[State, ...]
    counts: tuple[int | None, ...]
    clause: str = ""
    reason: str = ""
    url: str = ""
    range: str = ""
    configs: tuple[str, ...] = ()
    script: str = ""
    language: str = ""
    minimal: str = ""
    seen: tuple[str, ...] = ()
    newest: str = ""
    upstream: Upstream | None = None

    @property
    def title(self) -> str:
        """Return what links to it say: its id, or what goes wrong if nobody has confirmed it."""
        if self.confirmed:
            return self.id
        return f"{self.engine}, {describe(self.verdict).label}: {self.symptom}"

    @property
    def age(self) -> str:
        """Return since when the runs show it, and how long it has been open, or was; "" if none shows it."""
        if not self.seen:
            return ""
        first, last = self.seen[0][:10], self.seen[-1][:10]
        if self.now in {SHOWS, OTHERWISE}:
            return f"first seen {first}, open for {_days(first, self.newest[:10])}"
        return f"first seen {first}, last seen {last}"

    @property
    def days(self) -> int:
        """Return for how many days it has been open at the newest run, -1 if it is not."""
        is_open = self.seen and self.now in {SHOWS, OTHERWISE}
        return _between(self.seen[0][:10], self.newest[:10]) if is_open else -1

    @property
    def bad(self) -> list[State]:
        """Return the releases that show it, from old to new."""
        return [state for state in self.states if state.word == SHOWS]

    @property
    def now(self) -> str:
        """Return what the newest release that was asked does, `not asked` if none was."""
        asked_states = [state.word for state in self.states if state.word != NOT_ASKED]
        return asked_states[-1] if asked_states else NOT_ASKED

    @property
    def releases(self) -> str:
        """Return the first and the last bad release among those of the runs, in words."""
        if self.now == NOT_ASKED:
            return "not tested: no run of this site read its cases"
        if not self.bad:
            return "no release of these runs shows it"
        text = ", and ".join(_spans(self.states))
        later = [
            state
            for state in self.states
            if state.word == FINE and by_age(state.version) > by_age(self.bad[-1].version)
        ]
        fixed = f", right since {later[0].version.version}" if later else ""
        return (text if len(self.bad) > 1 else f"only {text}") + fixed


def _spans(states: Sequence[State]) -> Iterator[str]:
    """Yield from which release to which a finding shows, between releases that are right."""
    tested = [state for state in states if state.word in {SHOWS, FINE}]
    for is_bad, group in itertools.groupby(tested, lambda state: state.word == SHOWS):
        versions = [state.version.version for state in group]
        if is_bad:
            yield versions[0] if len(versions) == 1 else f"{versions[0]} to {versions[-1]}"


def _between(first: str, last: str) -> int:
    """Return the days between two dates, 0 where one of them is none."""
    try:
        return max(0, (dt.date.fromisoformat(last) - dt.date.fromisoformat(first)).days)
    except ValueError:  # a run of others
        return 0


def _days(first: str, last: str) -> str:
    count = _between(first, last)
    return f"{count:,} day{'s' * (count != 1)}"


def records(
    site: Site, entries: Sequence[Entry], upstream: Mapping[str, Upstream] = MappingProxyType({})
) -> list[FindingRecord]:
    """Return all findings, those that the newest releases show first, then by engine and id.

    `upstream` has the states of issues by their address.
    """
    answers = _answers(site)
    every = [
        replace(
            finding,
            seen=tuple(run.started for run, count in zip(site.runs, finding.counts, strict=True) if count),
            newest=site.runs[-1].started,
            upstream=upstream.get(finding.url),
        )
        for finding in (*_confirmed(site, entries, answers), *_signatures(site, entries, answers))
    ]
    places = {SHOWS: 0, OTHERWISE: 1, FINE: 2, NOT_ASKED: 3}
    return sorted(
        every,
        key=lambda finding: (places[finding.now], severity(finding.verdict), finding.engine, finding.id),
    )


Shows = set[tuple[str, Version]]
Showings = dict[str, list[tuple[CaseRecord, Version, Answer]]]


def _answers(site: Site) -> Showings:
    """Return the answers that show each finding."""
    answers: Showings = {}
    for record in site.cases.values():
        for place, answer in record.answers.items():
            if answer.finding:
                answers.setdefault(answer.finding, []).append((record, place.version, answer))
    return answers


def _confirmed(site: Site, entries: Sequence[Entry], answers: Showings) -> Iterator[FindingRecord]:
    for name, group in grouped(entries):
        first = group[0]
        shown_by = {(record.id, version) for record, version, _ in answers.get(name, ())}
        cases = {record.id for record, _, _ in answers.get(name, ())} | set(_named(site, group))
        yield FindingRecord(
            id=name,
            engine=first.engine,
            verdict=first.verdict,
            symptom=line(first.symptom),
            confirmed=True,
            cases=tuple(sorted(cases)),
            states=tuple(_states(site, first.engine, cases, shown_by, group)),
            counts=_counts(site.runs, name, first.engine),
            clause=line(first.clause),
            reason=line(first.reason, 2_000),
            url=first.url,
            range=first.versions or "all",
            configs=tuple(
                sorted(
                    {", ".join(f"{key}={value}" for key, value in entry.config.items()) for entry in group}
                )
            ),
            script=block(first.repro.strip(), None),
            language=first.language,
            minimal="" if set(first.case) & set("*?[") else first.case,
        )


def _named(site: Site, group: Iterable[Entry]) -> Iterator[str]:
    """Yield the cases of the site that the entries name."""
    for entry in group:
        if entry.case in site.cases:
            yield entry.case
        elif "*" in entry.case and not entry.signature:
            yield from (case for case in site.cases if fnmatchcase(case, entry.case))


def _signatures(site: Site, entries: Sequence[Entry], answers: Showings) -> Iterator[FindingRecord]:
    confirmed = {entry.finding for entry in entries}
    about = {sighting.finding: sighting.version.engine for run in site.runs for sighting in run.sightings}
    for signature in sorted(about.keys() - confirmed):
        rows = answers.get(signature, [])
        cases = {record.id for record, _, _ in rows}
        engine = about[signature]
        parts = _parsed(signature)
        verdict = rows[-1][2].verdict if rows else parts.verdict
        yield FindingRecord(
            id=signature,
            engine=engine,
            verdict=verdict,
            symptom=line(rows[-1][2].gist if rows else parts.cause),
            confirmed=False,
            cases=tuple(sorted(cases)),
            states=tuple(
                _states(site, engine, cases, {(record.id, version) for record, version, _ in rows}, ())
            ),
            counts=_counts(site.runs, signature, engine),
        )


def _parsed(text: str) -> Signature:
    try:
        return Signature.of_text(text)
    except ValueError:  # a run of unknown origin
        return Signature("", "", "", "")


def _states(
    site: Site, engine: str, cases: Iterable[str], shown_by: Shows, group: Sequence[Entry]
) -> Iterator[State]:
    """Yield the state in each release of an engine.

    A release outside of the range of the entry shows a confirmed finding, too, if a case of it fails with the
    same verdict there. Without an answer under a configuration of the entries, the release was not asked.
    """
    configs = [entry.config for entry in group] or [{}]
    verdict = group[0].verdict if group else ""
    for version in site.engines.get(engine, []):
        answers = [
            (case, answer)
            for case in cases
            for place, answer in site.cases[case].answers.items()
            if place.version == version
            and answer.counts
            and ((case, version) in shown_by or _is_meant(switches_of(engine, place.config), configs))
        ]
        shows = {
            case
            for case, answer in answers
            if (case, version) in shown_by or (verdict and answer.verdict == verdict)
        }
        if shows:
            yield State(version, SHOWS, len(shows))
        elif not answers:
            yield State(version, NOT_ASKED, 0)
        else:
            wrong = any(not answer.is_right for _, answer in answers)
            yield State(version, OTHERWISE if wrong else FINE, 0)


def _is_meant(switches: Mapping[str, str], configs: Iterable[Mapping[str, str]]) -> bool:
    return any(config.items() <= switches.items() for config in configs)


def _counts(runs: Sequence[Run], finding: str, engine: str) -> tuple[int | None, ...]:
    return tuple(
        sum(sighting.cases for sighting in run.sightings if sighting.finding == finding)
        if any(version.engine == engine for version in run.versions)
        else None
        for run in runs
    )


def changes_by_release(
    findings: Sequence[FindingRecord],
) -> dict[Version, tuple[list[FindingRecord], list[FindingRecord]]]:
    """Return for each release the findings that it introduced and those that it fixed."""
    changes: dict[Version, tuple[list[FindingRecord], list[FindingRecord]]] = {}
    for finding in findings:
        states = [state for state in finding.states if state.word != NOT_ASKED]
        for before, after in itertools.pairwise(states):
            introduced, fixed = changes.setdefault(after.version, ([], []))
            if before.word != SHOWS and after.word == SHOWS:
                introduced.append(finding)
            if before.word == SHOWS and after.word != SHOWS:
                fixed.append(finding)
    return changes
