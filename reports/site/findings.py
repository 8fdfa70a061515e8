"""All findings of the site: entries of `corpora/known`, and signatures that are not confirmed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import lru_cache
from types import MappingProxyType

from corpora.findings import findings as grouped
from corpora.known_failures import Entry
from harness.engines.naming import switches_of
from harness.investigate.findings.upstream import State as Upstream
from harness.judging.signature import Signature
from harness.listings.text import block, line
from reports.known import FindingIds
from reports.site.finding import (
    CONFIRMED,
    FINE,
    LISTED,
    NOT_ASKED,
    OTHERWISE,
    SEEN,
    SHOWS,
    FindingRecord,
    State,
)
from reports.site.finding_counts import Failures
from reports.site.model import Answer, Site
from reports.site.places import Place
from reports.site.release_changes import names_of
from reports.site.remedies import avoided
from reports.verdicts import severity

_Configs = Sequence[Mapping[str, str]]
_Showings = Mapping[str, Sequence[tuple[str, Place, Answer]]]


def records(
    site: Site, entries: Sequence[Entry], upstream: Mapping[str, Upstream] = MappingProxyType({})
) -> list[FindingRecord]:
    """Return all findings, those that the newest releases show first, then by engine and id.

    `upstream` has the states of issues by their address.
    """
    every = [
        replace(
            finding,
            seen=tuple(run.started for run, count in zip(site.runs, finding.counts, strict=True) if count),
            newest=site.runs[-1].started,
            upstream=upstream.get(finding.url),
        )
        for finding in _Collected(site, entries).every()
    ]
    return sorted(
        _told_apart(every),
        key=lambda finding: (_place(finding), severity(finding.verdict), finding.engine, finding.id),
    )


def _place(finding: FindingRecord) -> int:
    """Return the sort key of a finding in lists: findings to fix, or to test again, come first."""
    if finding.now == NOT_ASKED:
        return 2 if finding.last and finding.last.word in {SHOWS, OTHERWISE} else 4
    return {SHOWS: 0, OTHERWISE: 1, FINE: 3}[finding.now]


def _told_apart(findings: Iterable[FindingRecord]) -> Iterator[FindingRecord]:
    """Yield findings; if signatures have the same title, the rest of the signature is added to it."""
    every = list(findings)
    titles = Counter(finding.title for finding in every)
    for finding in every:
        is_alike = finding.kind == SEEN and titles[finding.title] > 1
        yield replace(finding, apart=line(finding.id.split(" | ", 2)[-1])) if is_alike else finding


class _Collected:
    """The findings of a site."""

    def __init__(self, site: Site, entries: Sequence[Entry]) -> None:
        self._site, self._entries = site, entries
        self._ids = FindingIds(entries)
        self._answers = _answers(site)
        self._failures = Failures(site)

    def every(self) -> Iterator[FindingRecord]:
        """Yield all findings."""
        yield from self._confirmed()
        yield from self._listed()
        yield from self._signatures()

    def _confirmed(self) -> Iterator[FindingRecord]:
        for name, group in grouped(self._entries):
            first = group[0]
            cases = self._cases(name, group)
            yield replace(
                self._record(name, first.engine, first.verdict, cases, group),
                symptom=line(first.symptom),
                kind=CONFIRMED,
                range=first.versions or "all",
                script=block(first.repro.strip(), None),
                language=first.language,
                minimal="" if set(first.case) & set("*?[") else first.case,
            )

    def _listed(self) -> Iterator[FindingRecord]:
        """Yield known failures that are no confirmed findings, of which a run asked a case."""
        groups: defaultdict[str, list[Entry]] = defaultdict(list)
        for entry in self._entries:
            name = self._ids.of_any(entry.engine, entry.reason)
            if self._ids.is_listed(name):
                groups[name].append(entry)
        for name, (engine, known) in self._site.listed.items():
            if name not in groups:  # the entry was removed since
                groups[name].append(Entry(engine, "", "", known.reason, known.url))
        for name, group in sorted(groups.items()):
            first = group[0]
            rows = self._answers.get(name, ())
            verdict = first.verdict or (rows[-1][2].verdict if rows else "")
            cases = self._cases(name, group)
            record = self._record(name, first.engine, verdict, cases, group)
            if any(state.word != NOT_ASKED for state in record.states):
                ranges = dict.fromkeys(entry.versions or "all" for entry in group if entry.case)
                yield replace(record, symptom=record.reason, kind=LISTED, range=", ".join(ranges))

    def _signatures(self) -> Iterator[FindingRecord]:
        about = {
            sighting.finding: sighting.version.engine
            for run in self._site.runs
            for sighting in run.sightings
            if sighting.state != "listed"
        }
        for name, rows in self._answers.items():
            about.setdefault(name, rows[-1][1].version.engine)
        named = {name for name, _ in grouped(self._entries)} | self._site.listed.keys()
        for name in sorted(about.keys() - named):
            rows = self._answers.get(name, ())
            parts = _parsed(name)
            verdict = rows[-1][2].verdict if rows else parts.verdict
            record = self._record(name, about[name], verdict, self._cases(name, ()), ())
            symptom = line(rows[-1][2].gist if rows else parts.cause)
            yield replace(record, symptom=symptom, kind=SEEN, config=line(parts.config))

    def _cases(self, name: str, group: Iterable[Entry]) -> set[str]:
        """Return the cases that any run saw to show a finding, and those that its entries name."""
        return self._failures.cases(name) | set(_named(self._site, group))

    def _record(
        self, name: str, engine: str, verdict: str, cases: set[str], group: Sequence[Entry]
    ) -> FindingRecord:
        configs = list({tuple(entry.config.items()): entry.config for entry in group}.values()) or [{}]
        first = group[0] if group else None

        def is_meant(place: Place) -> bool:
            return place.version.engine == engine and _is_meant(place, configs)

        alike = verdict if group else ""
        states = tuple(self._states(name, engine, cases, alike, configs))
        return FindingRecord(
            id=name,
            engine=engine,
            verdict=verdict,
            symptom="",
            kind="",
            cases=tuple(sorted(cases)),
            states=states,
            avoided=avoided(self._site, states),
            counts=tuple(
                self._failures.count(run, name, cases, alike, is_meant) for run in range(len(self._site.runs))
            ),
            clause=line(first.clause) if first else "",
            reason=line(first.reason, 2_000) if first else "",
            url=first.url if first else "",
            configs=tuple(
                sorted({", ".join(f"{key}={value}" for key, value in config.items()) for config in configs})
            )
            if group
            else (),
        )

    def _states(
        self, name: str, engine: str, cases: Iterable[str], verdict: str, configs: _Configs
    ) -> Iterator[State]:
        """Yield the state in each release of an engine.

        A release outside of the range of the entry shows a known failure, too, if a case of it fails with the
        same verdict there. Without an answer under a configuration of the entries, the release was not asked.
        """
        visible = {(case, place) for case, place, _ in self._answers.get(name, ())}
        held = [
            (case, place, answer)
            for case in cases
            if case in self._site.cases
            for place, answer in self._site.cases[case].answers.items()
            if place.version.engine == engine
            and answer.counts
            and ((case, place) in visible or _is_meant(place, configs))
        ]
        for version in self._site.engines.get(engine, []):
            answers = [entry for entry in held if entry[1].version == version]
            shows = frozenset(
                (case, place.config)
                for case, place, answer in answers
                if (case, place) in visible or (verdict and answer.verdict == verdict)
            )
            others = names_of(answer for _, _, answer in answers)
            if shows:
                yield State(version, SHOWS, shows)
            elif not answers:
                yield State(version, NOT_ASKED)
            else:
                yield State(version, OTHERWISE if others else FINE, others=others)


def _answers(site: Site) -> _Showings:
    """Return the answers that show each finding."""
    answers: defaultdict[str, list[tuple[str, Place, Answer]]] = defaultdict(list)
    for record in site.cases.values():
        for place, answer in record.answers.items():
            if answer.finding:
                answers[answer.finding].append((record.id, place, answer))
    return answers


def _named(site: Site, group: Iterable[Entry]) -> Iterator[str]:
    """Yield the cases of the site that the entries name."""
    for entry in group:
        if entry.case in site.cases:
            yield entry.case
        elif "*" in entry.case and not entry.signature:
            yield from (case for case in site.cases if fnmatchcase(case, entry.case))


def _parsed(text: str) -> Signature:
    try:
        return Signature.of_text(text)
    except ValueError:  # a run of unknown origin
        return Signature("", "", "", "")


@lru_cache(maxsize=10_000)
def _switches(place: Place) -> Mapping[str, str]:
    return switches_of(place.version.engine, place.config)


def _is_meant(place: Place, configs: _Configs) -> bool:
    switches = _switches(place)
    return any(config.items() <= switches.items() for config in configs)
