"""`trend` and `diff` over the datasets of runs in this process, without a JVM.

Each function returns the same as the Spark SQL query of its name in `archive.py`; a test compares them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from harness.judging.results import SKIPPED
from harness.judging.verdicts import PASSED

_FLAGS = ("finding", "known")  # columns that an older run may lack
_TABLE = "verdicts"
_Key = tuple[str, str, str]  # case, engine and configuration

Parts = Mapping[str, Mapping[str, Path]]


class _Verdict(NamedTuple):
    case: str
    engine: str
    config: str
    version: str
    verdict: str

    @property
    def key(self) -> _Key:
        return self.case, self.engine, self.config


def trend(parts: Parts) -> list[dict[str, Any]]:
    """Return counts of results by run and engine, in the order of engines and runs.

    `parts` are the files of runs by id and table.
    """
    rows = []
    for run, tables in parts.items():
        counts: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
        columns = _columns(tables[_TABLE], "engine", "version", "config", "verdict", *_FLAGS)
        for engine, version, config, verdict, finding, known in columns:
            if verdict != SKIPPED:
                # `int`, since an empty Counter stores what it is given, and True is no number in JSON.
                counts[engine, version, config].update(
                    results=1,
                    findings=int(bool(finding)),
                    known=int(bool(known)),
                    fine=int(verdict in PASSED),
                    unsupported=int(verdict == "unsupported"),
                )
        for (engine, version, config), counted in counts.items():
            rows.append({"run": run, "engine": engine, "version": version, "config": config, **counted})
    return sorted(rows, key=lambda row: (row["engine"], row["version"], row["config"], row["run"]))


def diff(parts: Parts, before: str, after: str) -> list[dict[str, Any]]:
    """Return the verdicts that differ between two runs, None where a run lacks the result.

    An engine is compared with its own results in the same version or, if the later run lacks that version, in
    the version that it has.
    """
    old, new = (list(_verdicts(parts[run][_TABLE])) for run in (before, after))
    there = {(row.engine, row.version) for row in new}
    by_key: dict[_Key, list[_Verdict]] = defaultdict(list)
    for row in new:
        by_key[row.key].append(row)
    pairs: list[tuple[_Verdict | None, _Verdict | None]] = []
    met: set[_Verdict] = set()
    for row in old:
        is_gone = (row.engine, row.version) not in there
        matches = [other for other in by_key[row.key] if is_gone or other.version == row.version]
        pairs += [(row, other) for other in matches] or [(row, None)]
        met.update(matches)
    pairs += [(None, row) for row in new if row not in met]
    rows = [_difference(*pair) for pair in pairs if _verdict(pair[0]) != _verdict(pair[1])]
    return sorted(rows, key=lambda row: (row["engine"], row["config"], row["case"]))


def _difference(before: _Verdict | None, after: _Verdict | None) -> dict[str, Any]:
    either = before or after
    assert either is not None
    return {
        "case": either.case,
        "engine": either.engine,
        "config": either.config,
        "version_before": before and before.version,
        "version_after": after and after.version,
        "before": _verdict(before),
        "after": _verdict(after),
    }


def _verdict(row: _Verdict | None) -> str | None:
    return row and row.verdict


def _verdicts(part: Path) -> Iterator[_Verdict]:
    for values in _columns(part, *_Verdict._fields):
        row = _Verdict(*values)
        if row.verdict != SKIPPED:
            yield row


def _columns(part: Path, *names: str) -> Iterator[tuple[Any, ...]]:
    """Yield the values of columns, row by row; a column that an older run lacks is None."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(part) as file:
        there = [name for name in names if name in file.schema_arrow.names]
        for batch in file.iter_batches(columns=there):
            columns = {name: batch[name].to_pylist() for name in there}
            yield from zip(*(columns.get(name, [None] * len(batch)) for name in names), strict=True)
