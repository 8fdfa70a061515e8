"""The index of the site's search: an entry for each page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from corpora.features import registry
from corpora.rules import load as load_rules
from reports.site import addresses
from reports.site.finding import FindingRecord
from reports.site.model import CaseRecord, Site
from reports.site.places import Version, by_age
from reports.site.views import natural

_MOST_WORDS = 60
KINDS = ("case", "finding", "feature", "rule", "engine")


class SearchEntry(NamedTuple):
    """A page; `wrong` are the engines whose newest version that was asked about a case is wrong about it.

    `words` are found, too, and not shown.
    """

    kind: str
    title: str
    address: str
    detail: str
    verdict: str = ""
    format: str = ""
    wrong: tuple[str, ...] = ()
    words: str = ""


def entries(site: Site, findings: Sequence[FindingRecord]) -> Iterator[SearchEntry]:
    """Yield all entries: engines, findings, features, rules, then cases."""
    for engine, versions in site.engines.items():
        detail = ", ".join(version.version for version in versions)
        yield SearchEntry("engine", engine, addresses.engine(engine), detail)
    for finding in findings:
        detail = f"{finding.engine}: {finding.symptom}" if finding.confirmed else finding.reason or finding.id
        address = addresses.finding(finding.id)
        yield SearchEntry("finding", finding.title, address, detail, finding.verdict, "", (finding.engine,))
    known_features, known_rules = registry(), load_rules()
    for feature in sorted(site.by_feature, key=natural):
        detail = known_features[feature].text if feature in known_features else ""
        format_, words = feature.partition("/")[0], _words(site.by_feature[feature])
        yield SearchEntry("feature", feature, addresses.feature(feature), detail, "", format_, (), words)
    for rule in sorted(site.by_rule, key=natural):
        detail = known_rules[rule].text if rule in known_rules else ""
        yield SearchEntry("rule", rule, addresses.rule(rule), detail)
    for case in sorted(site.cases, key=natural):
        yield _of_case(site.cases[case])


def _words(records: Sequence[CaseRecord]) -> str:
    """Return the parts of the ids of cases, so that a search for a topic of its cases finds a feature."""
    parts = dict.fromkeys(part for record in records for part in record.id.split("/"))
    return " ".join(list(parts)[:_MOST_WORDS])


def _of_case(record: CaseRecord) -> SearchEntry:
    wrong = tuple(sorted(_wrong(record)))
    detail = f"wrong in {', '.join(wrong)}" if wrong else "no engine's newest version is wrong"
    return SearchEntry(
        "case", record.id, addresses.case(record.id), detail, record.worst, record.format, wrong
    )


def _wrong(record: CaseRecord) -> set[str]:
    """Return the engines whose newest version that was asked about a case is wrong about it."""
    newest: dict[str, Version] = {}
    for place in record.answers:
        other = newest.setdefault(place.version.engine, place.version)
        newest[place.version.engine] = max(other, place.version, key=by_age)
    return {
        place.version.engine
        for place, answer in record.answers.items()
        if place.version == newest[place.version.engine] and answer.is_wrong
    }
