"""Many runs as tables for Spark SQL: `outcomes`, `verdicts` and `findings`, each with the id of its `run`.

On one machine, `comparison.py` answers `trend` and `diff` without Spark.

The migration rule: a table only ever gains columns. A column that an older run lacks is NULL or as in
`_DEFAULTS`; a run that is newer than this colconf is refused (`check`). So the current columns read all runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from harness.judging.results import ResultsError, load_run
from harness.judging.run_record import SCHEMA_VERSION
from harness.runs.pipeline.dataset import PART, TABLES, is_sealed, schema

_KINDS = {"string": "STRING", "int32": "INT", "int64": "BIGINT", "double": "DOUBLE", "bool": "BOOLEAN"}
_LISTS = "ARRAY<STRING>"
_DEFAULTS = {"features": "array()", "equivalences": "array()", "known": "false", "finding": "false"}
_VERSION = b"colconf.schema_version"
_RUN_AGAIN = "run it again, or remove it with `colconf runs prune`"

TREND = """
SELECT run, engine, version, config, count(*) AS results,
  count_if(finding) AS findings, count_if(known) AS known,
  count_if(verdict IN ('agree', 'equivalent', 'refused_as_expected')) AS fine,
  count_if(verdict = 'unsupported') AS unsupported
FROM verdicts WHERE verdict <> 'skipped'
GROUP BY run, engine, version, config ORDER BY engine, version, config, run
"""
DIFF = """
SELECT coalesce(a.case, b.case) AS case, coalesce(a.engine, b.engine) AS engine,
  coalesce(a.config, b.config) AS config, a.version AS version_before, b.version AS version_after,
  a.verdict AS before, b.verdict AS after
FROM (SELECT * FROM verdicts WHERE run = :before AND verdict <> 'skipped') AS a
FULL JOIN (SELECT * FROM verdicts WHERE run = :after AND verdict <> 'skipped') AS b
  ON a.case = b.case AND a.engine = b.engine AND a.config = b.config
    AND (a.version = b.version OR NOT EXISTS (
      SELECT 1 FROM verdicts AS c WHERE c.run = :after AND c.engine = a.engine AND c.version = a.version))
WHERE a.verdict IS DISTINCT FROM b.verdict
ORDER BY engine, config, case
"""


def partitions(outs: Sequence[Path]) -> dict[str, dict[str, Path]]:
    """Return the files of runs by id and table, the older runs first.

    Each of `outs` is the folder of a run (whose dataset may hold earlier runs), or a folder of such folders.
    Raises ResultsError if there is no run, a run is newer than this colconf, or a file is damaged or missing.
    """
    runs: dict[str, dict[str, Path]] = {}
    for out in outs:
        here = (
            [out]
            if (out / "dataset").is_dir()
            else sorted(dataset.parent for dataset in out.glob("*/dataset"))
        )
        if not here:
            load_run(out)
            raise ResultsError(f"{out}: the run has no dataset; was pyarrow installed, and is it finished?")
        for table in TABLES:
            for run in here:
                for part in sorted((run / "dataset" / table).glob(f"run=*/{PART}")):
                    runs.setdefault(part.parent.name.removeprefix("run="), {})[table] = part
    for id_, parts in runs.items():
        for part in parts.values():
            check(part)
        if missing := sorted(TABLES.keys() - parts):
            raise ResultsError(f"run {id_}: its dataset has no {' and no '.join(missing)}: {_RUN_AGAIN}")
    return dict(sorted(runs.items()))


def check(part: Path) -> None:
    """Raise ResultsError for a file of a dataset that this colconf cannot read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        sealed = is_sealed(part)
        version = int((pq.read_schema(part).metadata or {})[_VERSION])
    except (OSError, KeyError, ValueError, pa.ArrowException) as error:
        raise ResultsError(f"{part}: is no file of a colconf dataset") from error
    if not sealed:
        raise ResultsError(f"{part}: not as it was written: {_RUN_AGAIN}")
    if version > SCHEMA_VERSION:
        known = f"this colconf knows {SCHEMA_VERSION}: update it"
        raise ResultsError(f"{part}: of schema version {version}; {known}")


def read(out: Path, table: str) -> Any:
    """Return a table of the run in a folder as a `pyarrow.Table`, with the columns of now.

    Raises ResultsError for an unknown table, a damaged dataset, and without pyarrow.
    """
    if table not in TABLES:
        raise ResultsError(f"unknown table {table!r:.40}; known: {', '.join(TABLES)}")
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise ResultsError("Arrow tables require pyarrow; pip install 'colconf[pyarrow]'") from error
    part = partitions([out])[load_run(out).id][table]
    stored = pq.ParquetFile(part).read()
    wanted = schema(TABLES[table])
    columns = [
        stored[field.name] if field.name in stored.column_names else pa.nulls(len(stored), field.type)
        for field in wanted
    ]
    return pa.table(columns, schema=wanted)


@contextmanager
def opened(runs: Mapping[str, Mapping[str, Path]], master: str) -> Iterator[Any]:
    """Start Spark with the three tables as views; yields the session. Raises PipelineError."""
    from harness.runs.pipeline.spark import SparkRunner

    with TemporaryDirectory(prefix="colconf-sql-") as folder:
        runner = SparkRunner(master, Path(folder, "spark.log"), Path(folder))
        try:
            session = runner.session
            session.conf.set("spark.sql.shuffle.partitions", str(runner.cores))
            for table, columns in TABLES.items():
                wanted = ", ".join(f"`{name}` {_KINDS.get(kind, _LISTS)}" for name, kind in columns)
                paths = [str(parts[table]) for parts in runs.values() if table in parts]
                read = (
                    session.read.schema(wanted)
                    .parquet(*paths)
                    .selectExpr(
                        r"regexp_extract(_metadata.file_path, 'run=([^/]+)', 1) AS run",
                        *(_column(name) for name, _ in columns),
                    )
                )
                read.createOrReplaceTempView(table)
            yield session
        finally:
            runner.close()


def _column(name: str) -> str:
    return f"coalesce(`{name}`, {_DEFAULTS[name]}) AS `{name}`" if name in _DEFAULTS else f"`{name}`"


def trend(session: Any) -> list[dict[str, Any]]:
    """Return counts of results by run and engine, in the order of engines and runs."""
    return [row.asDict() for row in session.sql(TREND).collect()]


def diff(session: Any, before: str, after: str) -> list[dict[str, Any]]:
    """Return the verdicts that differ between two runs, None where a run lacks the result.

    An engine is compared with its own results in the same version or, if the later run lacks that version, in
    the version that it has.
    """
    return [row.asDict() for row in session.sql(DIFF, {"before": before, "after": after}).collect()]
