"""`cases.ndjson` of a run: the smallest case of each finding, with its expected table and its query.

The parts of a run are removed at its end; this file remains, for histories and for the third look. A case
with a large expected table is left out; a run without findings has no such file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from corpora.cases import Case, CaseError
from corpora.tagged import Table
from harness.files import Digest, written_lines
from harness.judging.results import Finding, ResultsError, verified_lines
from harness.runs.pipeline.context import Context
from harness.runs.pipeline.plan import SheetAt
from harness.runs.pipeline.sheets import read_sheet

FILE = "cases.ndjson"
LARGEST = 1 << 20  # characters of an expected table


class FindingCase(NamedTuple):
    """A finding's signature and version, and its case without the queries of other findings."""

    signature: str
    version: str
    case: Case


def write(
    out: Path, context: Context, findings: Iterable[Finding], places: Mapping[str, SheetAt]
) -> Digest | None:
    """Write the cases of findings into `out`; return the digest of the file, None without a case.

    `places` has the sheet of each case. Raises OSError.
    """
    file = out / FILE
    with written_lines(file) as lines:
        for finding in findings:
            case = _case(context, finding, places)
            if case:
                lines.put(
                    {"signature": finding.signature, "version": finding.version, "case": case.to_json()}
                )
    if lines.digest.lines:
        return lines.digest
    file.unlink()
    return None


def _case(context: Context, finding: Finding, places: Mapping[str, SheetAt]) -> Case | None:
    place = places.get(finding.case)
    if place is None:
        return None
    case = next(case for case in read_sheet(context, place).cases if case.id == finding.case)
    probes = tuple(probe for probe in case.probes if str(probe.query) == finding.probe)
    table = case.expectation.table
    if table and table.spill:
        table = _whole(context.fetched(table))
        if table is None:
            return None
    return replace(case, probes=probes, expectation=replace(case.expectation, table=table))


def _whole(table: Table) -> Table | None:
    """Return a table that lies in a file as a table in memory, None if it is large."""
    blocks, size = [], 0
    for block in table.blocks():
        size += len(json.dumps(block))
        if size > LARGEST:
            return None
        blocks.append(block)
    return Table(table.columns, table.num_rows, blocks)


def read(out: Path) -> Iterator[FindingCase]:
    """Yield the cases of a run's findings. Raises CaseError and ResultsError."""
    try:
        for line in verified_lines(out, FILE, optional=True):
            data = json.loads(line)
            yield FindingCase(data["signature"], data["version"], Case.from_json(data["case"]))
    except (ValueError, KeyError, TypeError) as error:
        if isinstance(error, ResultsError):
            raise
        raise CaseError(f"{out / FILE}: {error}") from error
