"""The last stage: judged rows, sheet by sheet, to `results.ndjson`, `findings.ndjson` and the dataset.

Rows pass through one at a time; what is kept is a finding per signature and what known failures need. Each
file gets its name when it is whole.
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from corpora.known_failures import Judged, stale
from harness.files import write_lines, written_lines
from harness.pipeline.dataset import Dataset
from harness.probes import ROWS
from harness.results import FINDINGS, RESULTS, SAID, SKIPPED, STALE, Finding, Row

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from corpora.known_failures import Entry
    from harness.files import Digest

_NORMAL = (
    (re.compile(r"(?:file:)?/[^\s'\",:;)\]]*"), "<path>"),
    (re.compile(r"0x[0-9a-fA-F]+|\b[0-9a-f]{8,}\b"), "<hex>"),
    (re.compile(r"\d+"), "<n>"),
    (re.compile(r"\s+"), " "),
)
_SIGNATURE_TEXT = 160
CAUSE = "| caused by: "


@dataclass(frozen=True)
class Stored:
    """A judged row on its way to the store: with every switch's value, and the size of its file in bytes.

    `cell` is what the first differing cell is: its type, or of a query what it looks at, or its kind, or
    "". `scope` is the configuration as far as the failure hangs on it, None for all of it.
    """

    row: Row
    switches: dict[str, str]
    size: int
    cell: str = ""
    scope: str | None = None


@dataclass
class Tally:
    """What became of a run; `verdicts` counts by (engine label, verdict), `known` by label.

    `digests` are those of the files that hold it.
    """

    rows: int = 0
    cases: int = 0
    verdicts: Counter[tuple[str, str]] = field(default_factory=Counter)
    known: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)
    has_dataset: bool = False
    digests: dict[str, Digest] = field(default_factory=dict)


def store(out: Path, run_id: str, judged: Iterable[Stored], entries: Sequence[Entry]) -> Tally:
    """Write the results of a run into its folder; raises OSError."""
    tally = Tally()
    gathered: dict[tuple[str, str], tuple[Finding, int]] = {}
    with ExitStack() as stack:
        lines = stack.enter_context(written_lines(out / RESULTS))
        dataset = stack.enter_context(Dataset.opened(out / "dataset", run_id))
        tally.has_dataset = dataset.is_there

        def passed() -> Iterator[Judged]:
            last = ""
            for one in judged:
                row = one.row
                if row.detail["finding"]:
                    row.detail["signature"] = signature(one)
                lines.put(row.to_json())
                dataset.add(row)
                count(tally, row)
                tally.cases += row.case != last and row.verdict != SKIPPED
                last = row.case
                if row.detail["finding"]:
                    _gather(gathered, one)
                if row.verdict != SKIPPED:
                    yield judged_of(one)

        tally.stale = stale(entries, passed())
        tally.findings = [finding for finding, _ in gathered.values()]
        tally.findings += [stale_finding(problem) for problem in tally.stale]
        dataset.add_findings(tally.findings)
        tally.digests[RESULTS] = lines.digest
    tally.digests[FINDINGS] = write_findings(out, tally.findings)
    return tally


def write_findings(out: Path, findings: Iterable[Finding]) -> Digest:
    """Write `findings.ndjson`, whole, and return its digest; raises OSError."""
    return write_lines(out / FINDINGS, (finding.to_json() for finding in findings))


def label(row: Row | Finding) -> str:
    """Return the engine of a row as `name@version:config`."""
    return engine_label(row.engine, row.version, row.config)


def engine_label(name: str, version: str, config: str, **_: object) -> str:
    """Return an engine as `name@version:config`, the last two as far as they are given."""
    return ":".join(filter(None, (f"{name}@{version}" if version else name, config)))


def count(tally: Tally, row: Row) -> None:
    """Count a row in the tally; not its case."""
    tally.rows += row.verdict != SKIPPED
    tally.verdicts[label(row), row.verdict] += 1
    tally.known[label(row)] += row.detail["known"] is not None


def _gather(gathered: dict[tuple[str, str], tuple[Finding, int]], one: Stored) -> None:
    """Count the row under its signature; the smallest file is the one to look at, the first of equals.

    Versions of one engine in one run have findings of their own, of one signature where they fail alike.
    """
    row = one.row
    key = signature(one), row.version
    error = row.detail["error_class"] + ": " * bool(row.detail["error_class"]) + row.detail["message"]
    made = Finding(
        key[0],
        row.engine,
        row.version,
        row.config,
        row.verdict,
        row.case,
        1,
        row.detail["features"],
        row.detail["difference"],
        error,
        row.detail["probe"],
    )
    known, size = gathered.get(key, (made, one.size + 1))
    count = known.count + (key in gathered)
    smallest, size = (made, one.size) if one.size < size else (known, size)
    gathered[key] = (replace(smallest, count=count), size)


def judged_of(one: Stored) -> Judged:
    """Return a row as known failures look at it."""
    row = one.row
    features = row.detail["features"]
    return Judged(row.case, row.engine, row.version, one.switches, row.verdict, signature(one), features)


def signature(one: Stored) -> str:
    """Return what rows that fail alike share: engine, configuration, verdict, and the error or the cell.

    The version has no part in it, so that a finding is found again after an upgrade.
    """
    row, detail = one.row, one.row.detail
    config = row.config if one.scope is None else one.scope
    engine = f"{row.engine}:{config}" if config else row.engine
    if detail["difference"]:
        what = _what(detail["difference"], is_probe=detail["probe"] is not None)
        told = f"{what} in {one.cell}" if one.cell else what
    elif detail["signal"] is not None:
        told = f"signal {detail['signal']}"
    elif row.verdict in {"accepted_invalid", "wrote_invalid"}:
        told = detail["expectation"]["rule"] or detail["expectation"]["clause"] or ""
    else:
        told = ": ".join(filter(None, (detail["error_class"], normalised(detail["message"]))))
    asked = f" in {one.cell}" if detail["probe"] is not None and not detail["difference"] else ""
    return " | ".join((engine, row.verdict, told[:_SIGNATURE_TEXT] + asked))


def _what(difference: dict[str, str], *, is_probe: bool) -> str:
    """Return the kind of a difference; of a probe's, also which rows it is about."""
    kind, path = difference["kind"], difference["path"]
    return f"{kind}: {path}" if is_probe and path in ROWS else kind


def normalised(message: str) -> str:
    """Return the first line of a message without what differs from file to file: paths, numbers, digests.

    Of a chain of causes (Spark's messages name them), the last one: what is around it is the same for all.
    """
    line = next((line for line in message.rpartition(CAUSE)[2].splitlines() if line.strip()), "")
    for pattern, instead in _NORMAL:
        line = pattern.sub(instead, line)
    return line.strip()


def stale_finding(problem: str) -> Finding:
    """Show an entry that holds no longer; `problem` is `known/<engine>.toml: <glob> (<verdict>): …`."""
    file, _, rest = problem.partition(": ")
    engine = file.removeprefix("known/").removesuffix(".toml")
    case = rest.partition(" (")[0]
    return Finding(f"{engine} | {STALE} | {rest}"[:400], engine, "", "", STALE, case, 1, [], None, problem)


def skipped_row(case: str, file: str, reason: str, engine: tuple[str, str, str]) -> Row:
    """Return the row of a file that no engine was asked to read."""
    detail: dict[str, Any] = {
        "file": file,
        "expectation": dict.fromkeys(SAID),
        "features": [],
        "error_class": "",
        "message": reason,
        "phase": "plan",
        "signal": None,
        "exit_status": None,
        "stderr": "",
        "difference": None,
        "equivalences": [],
        "probe": None,
        "probes": {"asked": 0, "unsupported": 0, "misled": 0},
        "known": None,
        "finding": False,
    }
    return Row(case, "", "", *engine, SKIPPED, SKIPPED, detail, 0.0, 0)
