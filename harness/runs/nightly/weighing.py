"""What a round gave, by its rows: how much is new, and where it was found."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from harness.judging.results import read_rows
from harness.runs.history.records import NEW, REGRESSED
from harness.runs.nightly.rounds import GENERATE, yields

if TYPE_CHECKING:
    from pathlib import Path

    from harness.runs.history.store import History
    from harness.runs.nightly.rounds import Round


def weigh(planned: Round, out: Path, history: History, session: str, known: set[str]) -> None:
    """Note in a round what its run in `out` gave; `known` are the features that were seen before."""
    planned.new = planned.rows = planned.wrong = 0
    rows: Counter[str] = Counter()
    found: dict[str, set[str]] = {}
    signatures: set[tuple[str, str]] = set()
    for row in read_rows(out):
        planned.rows += 1
        planned.wrong += bool(row.detail["finding"] or row.detail["known"])
        rows.update(row.detail["features"])
        if row.detail["finding"]:
            signatures.add((row.detail["signature"], row.version))
            for feature in row.detail["features"]:
                found.setdefault(feature, set()).add(row.detail["signature"])
    planned.features = len(rows.keys() - known)
    new = set()
    for signature, version in signatures:
        record = history.records.get(signature)
        if record is not None and record.said(version, session) in {NEW, REGRESSED}:
            planned.new += 1
            new.add(signature)
    if planned.kind == GENERATE:
        planned.yields = yields(rows, found, new)
