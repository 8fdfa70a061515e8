"""The overview: each engine's newest version, and what the newest run changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from harness.runs.history.records import UNEXPECTED
from reports.site import trends
from reports.site.finding import KINDS, SHOWS, FindingRecord
from reports.site.model import Site
from reports.site.places import Version
from reports.site.runs import Run
from reports.site.views import MatrixCell, cell_of


class Tile(NamedTuple):
    """An engine on the overview: its newest version, the shares by format, and the release before.

    `findings` has by kind how many findings the newest version shows.
    """

    engine: str
    version: str
    shares: dict[str, MatrixCell | None]
    findings: dict[str, int]
    sentence: str
    versions: int


class VersionChange(NamedTuple):
    """An engine in the newest run: its version there and in the last run before, and the difference.

    `before` and `run` are None for an engine that no earlier run asked.
    """

    engine: str
    now: Version
    before: Version | None
    run: Run | None
    sentence: str


def values(site: Site, findings: Sequence[FindingRecord]) -> dict[str, Any]:
    """Return the values of the overview's template."""
    last = site.runs[-1]
    return {
        "tiles": _tiles(site, findings),
        "kinds": KINDS,
        "last": last,
        "versions": list(_version_changes(site)),
        "absent": [name for name in site.engines if not last.cell(name).cases],
        "new": [
            sighting
            for sighting in dict.fromkeys(last.sightings)
            if sighting.state in UNEXPECTED or not sighting.state
        ],
        "plots": trends.plots_of(site, findings),
    }


def _tiles(site: Site, findings: Sequence[FindingRecord]) -> list[Tile]:
    """Return a tile for each engine."""
    counts = Counter((finding.engine, finding.kind) for finding in findings if finding.now == SHOWS)
    result = []
    for engine, versions in site.engines.items():
        newest = versions[-1]
        answers = site.by_version[newest]
        shares = {
            format_: cell_of(
                answer for (case, _), answer in answers.items() if site.cases[case].format == format_
            )
            for format_ in ("parquet", "orc")
        }
        sentence = site.compare(versions[-2], newest).sentence if len(versions) > 1 else ""
        by_kind = {kind: counts[engine, kind] for kind in KINDS}
        result.append(Tile(engine, newest.version, shares, by_kind, sentence, len(versions)))
    return result


def _version_changes(site: Site) -> Iterator[VersionChange]:
    """Yield for each version of the newest run the one that the last run before asked."""
    last = site.runs[-1]
    for now in last.versions:
        before, run = _before(site, now)
        if before is None:
            sentence = "no earlier run asked this engine"
        elif before == now:
            changed = sum(change.place.version == now for change in last.changes)
            sentence = f"the same version; {changed:,} verdict{'' if changed == 1 else 's'} changed"
        else:
            sentence = site.compare(before, now).sentence
        yield VersionChange(now.engine, now, before, run, sentence)


def _before(site: Site, now: Version) -> tuple[Version | None, Run | None]:
    """Return the version of an engine in the last run before that asked it: the same one, or the newest."""
    for run in reversed(site.runs[:-1]):
        if versions := [version for version in run.versions if version.engine == now.engine]:
            return (now if now in versions else versions[-1]), run
    return None, None
