"""What a run's findings mean for its exit status, and which of them belong to the seed of the day."""

from __future__ import annotations

from collections.abc import Iterable

from corpora.known_failures import GENERATED
from harness.judging.run_record import RunRecord
from harness.runs.history.records import UNEXPECTED
from harness.runs.pipeline.profiles import SAMPLE


def of_the_day(record: RunRecord, cases: Iterable[str]) -> str:
    """Return a line about the findings of a sample in generated files, which are new each day; "" for none.

    `cases` are the cases of all findings.
    """
    if record.settings.get("profile") != SAMPLE or not record.seeds:
        return ""
    seed = record.seeds[0]
    count = sum(case.startswith(f"{GENERATED}{seed}/") for case in cases)
    are = "finding is" if count == 1 else "findings are"
    again = f"by default the date: --seed {seed} generates them again"
    return f"{count:,} {are} in files that were generated from the seed {seed}, {again}." if count else ""


def failing(record: RunRecord) -> int:
    """Return the number of findings that fail a run.

    With a history these are the new and regressed findings, with `--level must` only findings of level MUST.
    Older runs have no levels.
    """
    counts = record.history or record.counts
    names = (*UNEXPECTED, "stale") if record.history else ("findings",)
    allowed = counts.get("recommended", 0) if record.settings.get("level") == "must" else 0
    return int(sum(counts.get(name, 0) for name in names) - allowed)
