"""Changes from run to run, as plots of the overview."""

from __future__ import annotations

from collections.abc import Sequence

from reports.site import plots
from reports.site.change_point import ALPHA, LEAST, pettitt
from reports.site.finding import FindingRecord
from reports.site.model import Site
from reports.site.runs import Run
from reports.site.shares import Share


def labels(site: Site) -> list[str]:
    """Return a label for each run: its number and its day."""
    return [f"{place} ({run.started[:10]})" for place, run in enumerate(site.runs, 1)]


def plots_of(site: Site, findings: Sequence[FindingRecord]) -> list[plots.Plot]:
    """Return the plots of the overview."""
    return [_shares(site), _findings(site, findings), _times(site)]


def _shares(site: Site) -> plots.Plot:
    series: dict[str, Sequence[float | None]] = {}
    for engine in site.engines:
        series[engine] = [_standing(run, engine) for run in site.runs]
    return plots.lines(
        "Share of right answers",
        "%",
        labels(site),
        series,
        limits=(0, 100),
        note="After each run: of all cases asked so far, by the newest version of an engine that took part."
        " A newer version that was asked other cases moves the line, too: it compares no releases.",
    )


def _standing(run: Run, engine: str) -> float | None:
    """Return the engine's share of right answers after a run, None if it took no part."""
    if not run.cell(engine).cases:
        return None
    shares = [Share(*entry) for (name, _), entry in run.standing.items() if name == engine]
    of = sum(share.of for share in shares)
    return Share(sum(share.right for share in shares), of).percent if of else None


def _findings(site: Site, findings: Sequence[FindingRecord]) -> plots.Plot:
    series: dict[str, Sequence[float | None]] = {}
    for engine in site.engines:
        counts = [finding.counts for finding in findings if finding.engine == engine]
        series[engine] = [
            sum(bool(of_finding[place]) for of_finding in counts) if run.cell(engine).cases else None
            for place, run in enumerate(site.runs)
        ]
    return plots.lines(
        "Findings that a run shows",
        "findings",
        labels(site),
        series,
        note="Confirmed findings, other known failures, and signatures that are not confirmed. A run"
        " shows only findings whose cases it reads: fewer findings in a short run are no progress.",
    )


def _times(site: Site) -> plots.Plot:
    counts = [max(1, run.cell().cases) for run in site.runs]
    whole = [1_000 * run.seconds / count for run, count in zip(site.runs, counts, strict=True)]
    series: dict[str, Sequence[float | None]] = {}
    named = {name for run in site.runs for name in run.parts}
    for name in [name for name in (*site.engines, *sorted(named - site.engines.keys())) if name in named]:
        series[name] = [
            1_000 * run.parts[name] / count if name in run.parts else None
            for run, count in zip(site.runs, counts, strict=True)
        ]
    series["whole run"] = whole
    change = pettitt(whole)
    note = f"No change point in the whole run's time, by Pettitt's test at the level {ALPHA}."
    if len(whole) < LEAST:
        note = f"Fewer than {LEAST} runs: too few for a change point."
    if change:
        note = f"Change point before run {change.place + 1}: Pettitt's test, p = {change.probability:.3f}."
    return plots.lines(
        "Seconds for 1,000 results",
        "s",
        labels(site),
        series,
        cut=change.place if change else None,
        powers=True,
        note=f"Wall time of a run, and the time that engines took, or the rounds of a night. {note}",
    )
