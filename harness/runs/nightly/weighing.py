"""The yield of a round, from its rows: new findings and features, and the features they occurred with."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from harness.judging.results import read_rows
from harness.runs.history.records import NEW, REGRESSED
from harness.runs.history.store import History
from harness.runs.nightly.rounds import GENERATE, Round, yields


def weigh(planned: Round, out: Path, history: History, session: str, known: set[str]) -> None:
    """Record in a round the yield of its run in `out`; `known` are the features of earlier rounds."""
    planned.new = planned.rows = planned.wrong = 0
    rows: Counter[str] = Counter()
    signatures_of: dict[str, set[str]] = {}
    signatures: set[tuple[str, str]] = set()
    for row in read_rows(out):
        planned.rows += 1
        planned.wrong += bool(row.detail.finding or row.detail.known)
        rows.update(row.detail.features)
        if row.detail.finding:
            signatures.add((row.detail.signature, row.version))
            for feature in row.detail.features:
                signatures_of.setdefault(feature, set()).add(row.detail.signature)
    planned.features = len(rows.keys() - known)
    new = set()
    for signature, version in signatures:
        record = history.records.get(signature)
        if record is not None and record.state_in(version, session) in {NEW, REGRESSED}:
            planned.new += 1
            new.add(signature)
    if planned.kind == GENERATE:
        planned.yields = yields(rows, signatures_of, new)
