"""A campaign against engines: its request, and `run.json` of its folder at the beginning and at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from harness.children.connection import Limits
from harness.investigate.fuzz.state import CampaignState
from harness.judging.places import Process
from harness.judging.results import load_run, verify
from harness.judging.run_record import RunRecord
from harness.runs.pipeline import folder
from harness.runs.pipeline.errors import PipelineError
from harness.runs.pipeline.request import Request, begun, not_asked, now
from harness.version import __version__


@dataclass(frozen=True)
class CampaignRequest:
    """A campaign of some seconds; `others`: folders of campaigns whose corpora are used."""

    out: Path
    engines: tuple[Process, ...]
    reference: Process
    formats: tuple[str, ...]
    seconds: float
    limits: Limits
    others: tuple[Path, ...] = ()
    guided: bool = True
    seed: int = 0


def begun_or_continued(request: CampaignRequest, note: Callable[[str], None]) -> RunRecord:
    """Begin or continue `run.json`; raises PipelineError and ResultsError."""
    out, engines = request.out, request.engines
    names = [f"{engine.key}:{config.text}".rstrip(":") for engine in engines for config in engine.configs]
    description = {"fuzz": names, "formats": list(request.formats)}
    if not (out / "run.json").exists():
        arguments = ["fuzz", *(f"--engine {name}" for name in names)]
        return folder.save(out, begun(Request(out, engines, request.limits, None, 1, description, arguments)))
    before = load_run(out)
    if before.settings != description:
        raise PipelineError(f"{out}: holds another campaign ({before.settings!r:.120}); give another --out")
    note(f"continuing the campaign in {out}, started {before.started}")
    verify(out)
    return folder.save(out, replace(before, finished=None, colconf=__version__))


def ended(
    record: RunRecord,
    engines: tuple[Process, ...],
    state: CampaignState,
    findings: int,
    digests: dict[str, dict[str, Any]],
) -> RunRecord:
    """Return the record of an ended campaign, with its engines and counts."""
    verdicts: Counter[str] = Counter()
    for standing in state.engines.values():
        verdicts.update(standing.verdicts)
    counts = {
        "cases": state.files,
        "results": sum(standing.files for standing in state.engines.values()),
        "skipped_files": state.left_out,
        "verdicts": dict(sorted(verdicts.items())),
        "findings": findings,
        "known": sum(standing.known for standing in state.engines.values()),
    }
    return replace(
        record,
        finished=now(),
        engines=[
            {"name": engine.name, "version": engine.version, "config": config.text, "runtime": ""}
            for engine in engines
            for config in engine.configs
        ],
        counts=counts,
        dataset=False,
        digests=digests,
        not_asked=not_asked(engines),
    )
