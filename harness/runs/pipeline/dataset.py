"""The results as a Parquet dataset, one partition per run, for Spark SQL and whatever else reads Parquet.

Three tables, each a folder with `run=<id>` below it: `outcomes` (what engines did), `verdicts` (what that
means), `findings`. Their keys are `case`, `engine`, `version`, `config`. The dataset is written with pyarrow,
which never reads a file under test here; without pyarrow no dataset is written, and the run reports that.

Beside each file stands its digest (`_digest.json`; readers of Parquet pass over names that begin with `_`):
an earlier run's partition outlives the `run.json` that described it, so it carries its own.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from corpora.files import move, sweep, sync_all, write_whole
from harness.files import digest_of
from harness.judging.results import Finding, Row
from harness.judging.run_record import SCHEMA_VERSION

BATCH = 2_000
PART = "part-0.parquet"
DIGEST = "_digest.json"
_KEY = (("case", "string"), ("engine", "string"), ("version", "string"), ("config", "string"))
_OUTCOMES = (
    *_KEY,
    ("sha256", "string"),
    ("format", "string"),
    ("outcome", "string"),
    ("error_class", "string"),
    ("message", "string"),
    ("phase", "string"),
    ("signal", "int32"),
    ("exit_status", "int32"),
    ("seconds", "double"),
    ("peak_rss_bytes", "int64"),
)
_VERDICTS = (
    *_KEY,
    ("verdict", "string"),
    ("finding", "bool"),
    ("known", "bool"),
    ("features", "strings"),
    ("equivalences", "strings"),
    ("expectation", "string"),
    ("source", "string"),
    ("rule", "string"),
    ("path", "string"),
    ("expected", "string"),
    ("actual", "string"),
    ("probe", "string"),
    ("level", "string"),
)
_FINDINGS = (
    ("signature", "string"),
    *_KEY,
    ("verdict", "string"),
    ("count", "int64"),
    ("features", "strings"),
    ("difference", "string"),
    ("error", "string"),
    ("probe", "string"),
    ("level", "string"),
)
TABLES = {"outcomes": _OUTCOMES, "verdicts": _VERDICTS, "findings": _FINDINGS}
COLUMNS = dict((*_OUTCOMES, *_VERDICTS))  # of outcomes and verdicts in one table


def schema(columns: Iterable[tuple[str, str]]) -> Any:
    """Return the schema of a table, with the schema version in its metadata."""
    import pyarrow as pa

    kinds = {"strings": pa.list_(pa.string()), "bool": pa.bool_(), "double": pa.float64()}
    return pa.schema(
        [(name, kinds.get(kind) or getattr(pa, kind)()) for name, kind in columns],
        {"colconf.schema_version": str(SCHEMA_VERSION)},
    )


def flat(row: Row) -> dict[str, dict[str, Any]]:
    """Return the values of a row by table and column, including values that are no columns."""
    detail = row.detail
    merged = {**row.to_json(), **detail.to_json()}
    judged = {
        **merged,
        **(detail.difference or {}),
        "known": detail.known is not None,
        "expectation": detail.expectation.kind,
        "source": detail.expectation.source,
        "rule": detail.expectation.rule,
        "level": detail.level,
    }
    return {"outcomes": merged, "verdicts": judged}


def one_row(row: Row) -> dict[str, Any]:
    """Return the outcome and the verdict of a row as one row of COLUMNS."""
    values = flat(row)
    merged = {**values["outcomes"], **values["verdicts"]}
    return {name: storable(merged.get(name)) for name in COLUMNS}


def write_parquet(rows: Iterator[Row], path: Path) -> None:
    """Write rows as one table of COLUMNS; raises ImportError without pyarrow, and OSError."""
    table = _Table(path.parent, COLUMNS.items(), path)
    for row in rows:
        table.add(one_row(row))
    table.close()


class Dataset:
    """The three tables of one run; without pyarrow (`is_there` false) nothing is written."""

    def __init__(self, folder: Path, run_id: str) -> None:
        self._folder = folder
        self._partition = f"run={run_id}"
        self._tables: dict[str, _Table] = {}
        try:
            import pyarrow.parquet  # noqa: F401 - is it installed?
        except ImportError:
            return
        for name, columns in TABLES.items():
            place = folder / name / f".{self._partition}"
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(parents=True)
            self._tables[name] = _Table(place, columns)

    @property
    def is_there(self) -> bool:
        """Return whether pyarrow is installed."""
        return bool(self._tables)

    @classmethod
    @contextmanager
    def opened(cls, folder: Path, run_id: str) -> Iterator[Dataset]:
        """Open the dataset for writing; its partitions get their names once all are complete."""
        dataset = cls(folder, run_id)
        try:
            yield dataset
            dataset._commit()
        finally:
            for table in dataset._tables.values():
                table.close()
                shutil.rmtree(table.folder, ignore_errors=True)

    def add(self, row: Row) -> None:
        """Add the outcome and the verdict of a row."""
        if not self._tables:
            return
        for name, values in flat(row).items():
            self._tables[name].add(values)

    def add_findings(self, findings: Iterable[Finding]) -> None:
        """Add the findings of the run."""
        for finding in findings if self._tables else ():
            difference = None if finding.difference is None else json.dumps(finding.difference)
            self._tables["findings"].add({**finding.to_json(), "difference": difference})

    def _commit(self) -> None:
        for name, table in self._tables.items():
            table.close()
            seal(table.folder / PART)
            sweep(table.folder)  # a rename that was lost
            final = self._folder / name / self._partition
            shutil.rmtree(final, ignore_errors=True)
            sync_all(table.folder)
            move(table.folder, final)


def seal(part: Path) -> None:
    """Write the digest of a file of the dataset beside it."""
    write_whole(part.with_name(DIGEST), json.dumps(digest_of(part).to_json()))


def is_sealed(part: Path) -> bool:
    """Return whether a file is as it was written, or of a colconf that wrote no digests; raises OSError."""
    try:
        text = part.with_name(DIGEST).read_text("ascii")
    except FileNotFoundError:
        return True
    return text == json.dumps(digest_of(part).to_json())


class _Table:
    """One Parquet file that is being written, in batches."""

    def __init__(self, folder: Path, columns: Iterable[tuple[str, str]], file: Path | None = None) -> None:
        import pyarrow.parquet as pq

        self.folder = folder
        self._schema = schema(columns)
        file = file or folder / PART
        self._writer: Any = pq.ParquetWriter(file, self._schema, compression="zstd")
        self._rows: list[dict[str, Any]] = []

    def add(self, row: dict[str, Any]) -> None:
        """Add a row; values that are no columns are left out."""
        self._rows.append({name: storable(row.get(name)) for name in self._schema.names})
        if len(self._rows) == BATCH:
            self._flush()

    def close(self) -> None:
        """Write the remaining rows; calling it twice is allowed."""
        if self._writer is not None:
            self._flush()
            self._writer.close()
            self._writer = None

    def _flush(self) -> None:
        import pyarrow as pa

        if self._rows:
            self._writer.write_table(pa.Table.from_pylist(self._rows, self._schema))
            self._rows = []


def storable(value: Any) -> Any:
    """Return the value with lone surrogates escaped: names and messages may have them, UTF-8 must not."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    return [storable(element) for element in value] if isinstance(value, list) else value
