"""The pages of the site: each is a template with its values, and an address that lasts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from corpora.cases import Case, CaseError
from corpora.cases import load as load_case
from corpora.features import registry
from corpora.known_failures import Entry
from corpora.rules import load as load_rules
from harness.investigate.findings.upstream import State as Upstream
from harness.listings.text import line
from reports import repeat
from reports.html import embedded, environment
from reports.site import addresses, overview, plots, search, trends
from reports.site.finding import KINDS, FindingRecord
from reports.site.findings import records
from reports.site.model import CaseRecord, Site
from reports.site.places import Place
from reports.site.release_changes import changes_by_release
from reports.site.runs import Run
from reports.site.shares import share_of
from reports.site.structure import Bytes, bytes_of, corpus_file
from reports.site.views import MatrixRow, cell_of, groups, natural, since
from reports.status_forms import template_values
from reports.status_model import Status
from reports.verdicts import describe, worst_first

_CHUNK = 5_000  # entries of the search in a file
_LISTED = 500  # rows of a table of cases on a page; the list of cases has all


class Page(NamedTuple):
    """A file of the site: its address, and its text or bytes."""

    address: str
    content: str | bytes


class StatusOfRuns(NamedTuple):
    """What engines read and write, and by format the run that shows it."""

    status: Status
    runs: Mapping[str, Run]


class Pages:
    """All pages of a site."""

    def __init__(
        self,
        site: Site,
        entries: Sequence[Entry],
        history: Path | None,
        status: StatusOfRuns | None,
        upstream: Mapping[str, Upstream],
    ) -> None:
        self.site, self.history, self.status = site, history, status
        self.findings = records(site, entries, upstream)
        self._finding = {finding.id: finding for finding in self.findings}

    @cached_property
    def features(self) -> list[str]:
        """Return the features of all cases, in natural order."""
        return sorted(self.site.by_feature, key=natural)

    def every(self) -> Iterator[Page]:
        """Yield all pages, in the same order each time."""
        yield self._page("index.html", "index.html", **overview.values(self.site, self.findings))
        yield self._page("matrix.html", "matrix.html", rows=list(self._matrix()), registry=registry())
        yield self._page("findings.html", "findings.html", findings=self.findings, kinds=KINDS)
        yield self._page("rules.html", "rules.html", rules=self._rules())
        yield from self._search()
        yield self._page("runs.html", "runs.html")
        if self.status:
            values = template_values(self.status.status)
            yield self._page("status.html", "status.html", runs=self.status.runs, **values)
        for engine in self.site.engines:
            yield self._page(addresses.engine(engine), "engine.html", **self._engine(engine))
        for feature in self.features:
            yield self._page(addresses.feature(feature), "feature.html", **self._feature(feature))
        for rule in sorted(self.site.by_rule):
            yield self._page(addresses.rule(rule), "rule.html", **self._rule(rule))
        for finding in self.findings:
            yield from self._finding_pages(finding)
        for place, run in enumerate(self.site.runs):
            yield self._page(addresses.run(run.id), "run.html", run=run, place=place)
        for identity in sorted(self.site.cases):
            yield from self._case(self.site.cases[identity])

    def _page(self, address: str, template: str, **values: Any) -> Page:
        text = (
            environment()
            .get_template(f"site/{template}")
            .render(
                {
                    "root": "../" * address.count("/"),
                    "site": self.site,
                    "at": addresses,
                    "describe": describe,
                    "share_of": share_of,
                    "finding_of": self._finding,
                    "natural": natural,
                    "listed": _LISTED,
                    "has_status": self.status is not None,
                    **values,
                }
            )
        )
        return Page(address, text)

    def _matrix(self) -> Iterator[MatrixRow]:
        for feature in self.features:
            records_ = self.site.by_feature[feature]
            by_version: dict[Any, list[Any]] = {}
            for record in records_:
                for place, answer in record.answers.items():
                    by_version.setdefault(place.version, []).append(answer)
            cells = [cell_of(by_version.get(version, ())) for version in self.site.versions]
            yield MatrixRow(feature, feature.partition("/")[0], cells)

    def _engine(self, engine: str) -> dict[str, Any]:
        site = self.site
        releases = list(site.releases(engine))
        findings = [finding for finding in self.findings if finding.engine == engine]
        timeline = None
        if releases:
            timeline = plots.bars(
                "Results that are better or worse than in the release before",
                [release.after.version for release in releases],
                [len(release.better) for release in releases],
                [len(release.worse) for release in releases],
                ("better", "worse"),
            )
        shares = {version: cell_of(site.by_version[version].values()) for version in site.engines[engine]}
        configs = sorted(
            {
                place.config
                for record in site.cases.values()
                for place in record.answers
                if place.version.engine == engine
            }
        )
        return {
            "engine": engine,
            "releases": {release.after: release for release in releases},
            "shares": shares,
            "findings": findings,
            "timeline": timeline,
            "configs": [(config, *self._compared(engine, config)) for config in configs],
            "change": changes_by_release(site, findings),
        }

    def _compared(self, engine: str, config: str) -> tuple[Any, list[str], list[str]]:
        """Return the newest release's cell of a configuration, and cases worse and better than default."""
        answers = self.site.by_version[self.site.engines[engine][-1]]
        worse, better = [], []
        for (case, other), answer in answers.items():
            default = answers.get((case, ""))
            if other == config and default and answer.counts and default.counts and config:
                if default.is_right and not answer.is_right:
                    worse.append(case)
                elif answer.is_right and not default.is_right:
                    better.append(case)
        cell = cell_of(answer for (_, other), answer in answers.items() if other == config)
        return cell, sorted(worse, key=natural), sorted(better, key=natural)

    def _feature(self, feature: str) -> dict[str, Any]:
        records_ = self.site.by_feature[feature]
        engines = [name for name in self.site.engines if since(self.site, name, records_)]
        rows = [
            (group, [since(self.site, name, group.records) for name in engines]) for group in groups(records_)
        ]
        by_version = {
            version: cell_of(
                answer
                for record in records_
                for place, answer in record.answers.items()
                if place.version == version
            )
            for version in self.site.versions
        }
        return {
            "feature": feature,
            "entry": registry().get(feature),
            "engines": engines,
            "summary": [since(self.site, name, records_) for name in engines],
            "rows": rows,
            "by_version": by_version,
            "records": records_,
        }

    def _rules(self) -> list[tuple[Any, list[CaseRecord], list[Any]]]:
        newest = [versions[-1] for versions in self.site.engines.values()]
        known = load_rules()
        return [
            (
                known[rule],
                self.site.by_rule.get(rule, []),
                [
                    cell_of(
                        answer
                        for record in self.site.by_rule.get(rule, [])
                        for place, answer in record.answers.items()
                        if place.version == version
                    )
                    for version in newest
                ],
            )
            for rule in sorted(known, key=natural)
        ]

    def _rule(self, rule: str) -> dict[str, Any]:
        records_ = self.site.by_rule[rule]
        engines = [name for name in self.site.engines if since(self.site, name, records_)]
        return {
            "rule": rule,
            "entry": load_rules().get(rule),
            "records": records_,
            "engines": engines,
            "rows": [(record, [since(self.site, name, [record]) for name in engines]) for record in records_],
        }

    def _finding_pages(self, finding: FindingRecord) -> Iterator[Page]:
        file = ""
        if content := corpus_file(finding.minimal):
            file, data = content
            yield Page(f"files/{file}", data)
        plot = plots.lines(
            "Cases that show it, by run",
            "cases",
            trends.labels(self.site),
            {"cases": list(finding.counts)},
            gaps=True,
            note="Counted as above, over the cases that a run read; a gap: the run read none of them.",
        )
        yield self._page(
            addresses.finding(finding.id), "finding.html", finding=finding, plot_=plot, file=file
        )

    def _search(self) -> Iterator[Page]:
        entries = list(search.entries(self.site, self.findings))
        chunks = [entries[first : first + _CHUNK] for first in range(0, len(entries), _CHUNK)]
        for number, chunk in enumerate(chunks):
            yield Page(f"data/entries-{number}.js", f"colconf.put({embedded(chunk)});\n")
        yield self._page(
            "search.html",
            "search.html",
            chunks=len(chunks),
            kinds=search.KINDS,
            verdicts=worst_first({record.worst for record in self.site.cases.values()} - {""}),
        )

    def _case(self, record: CaseRecord) -> Iterator[Page]:
        view = bytes_of(record, tuple(self._sources(record)))
        content: Bytes | None = None
        if view:
            content, data = view
            yield Page(f"files/{content.name}", data)
        by_engine: dict[str, list[tuple[Place, Any]]] = {}
        order = {version: number for number, version in enumerate(self.site.versions)}
        for place, answer in sorted(
            record.answers.items(), key=lambda pair: (order[pair[0].version], pair[0].config)
        ):
            by_engine.setdefault(place.version.engine, []).append((place, answer))
        yield self._page(
            addresses.case(record.id),
            "case.html",
            record=record,
            by_engine=by_engine,
            bytes=content,
            case=_recorded(record),
            rules=load_rules(),
            again=repeat.command(record.id, record.file, record.format),
            since={name: since(self.site, name, [record]) for name in by_engine},
        )

    def _sources(self, record: CaseRecord) -> Iterator[Path]:
        if record.file:
            yield Path(record.file)
        if self.history:
            yield self.history / "cases" / f"{record.sha256}.{record.format}"


def _recorded(record: CaseRecord) -> Mapping[str, Any]:
    """Return the clause and the queries of the JSON beside a file, if it is of the same bytes."""
    try:
        path = Path(record.file).with_suffix(".json") if record.file else None
        case: Case | None = load_case(path) if path and path.is_file() else None
    except (CaseError, OSError, ValueError):  # no file of a case, or no name of a file
        case = None
    if case is None or case.sha256 != record.sha256:
        return {}
    return {"spec": line(case.spec), "queries": [line(probe.query, 300) for probe in case.probes]}
