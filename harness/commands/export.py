"""`colconf export`: write the results of a run for other programs, one row per case × engine."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import click

from corpora.files import whole_path
from harness.judging.results import ResultsError, Row, load_run, read_rows
from harness.listings.text import quoted
from harness.problem import Problem
from harness.runs.pipeline.dataset import COLUMNS, one_row, write_parquet

FORMATS = ("ndjson", "csv", "parquet")


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "format_",
    type=click.Choice(FORMATS),
    default="ndjson",
    show_default=True,
    help="Output format.",
)
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="FILE", help="Output file; default: standard output."
)
def export(run: Path, format_: str, out: Path | None) -> None:
    """Write the results in RUN, the folder of a run, one row per case and engine.

    ndjson has the lines of `results.ndjson`. csv and parquet have a column per field; csv has lists as JSON.
    """
    if format_ == "parquet" and out is None:
        raise Problem("--format parquet requires --out")
    try:
        if not load_run(run).finished:
            raise Problem(
                f"{run}: the run is not finished; continue with `colconf run --resume {quoted(run)}`"
            )
        with _whole(out) as path:
            _WRITERS[format_](read_rows(run), path)
    except ResultsError as error:
        raise Problem(str(error)) from error
    except OSError as error:
        raise Problem(f"{out or 'standard output'}: {error.strerror}") from error


@contextmanager
def _whole(out: Path | None) -> Iterator[Path | None]:
    """Give the output file its name when it is complete."""
    if out is None:
        yield None
        return
    with whole_path(out) as unfinished:
        yield unfinished


@contextmanager
def _text(path: Path | None) -> Iterator[IO[str]]:
    if path is None:
        yield sys.stdout
        return
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as out:
        yield out


def _ndjson(rows: Iterator[Row], path: Path | None) -> None:
    with _text(path) as out:
        for row in rows:
            out.write(json.dumps(row.to_json(), separators=(",", ":")) + "\n")


def _csv(rows: Iterator[Row], path: Path | None) -> None:
    with _text(path) as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in rows:
            values = one_row(row).values()
            writer.writerow(json.dumps(value) if isinstance(value, list) else value for value in values)


def _parquet(rows: Iterator[Row], path: Path | None) -> None:
    assert path is not None
    try:
        write_parquet(rows, path)
    except ImportError as error:
        raise Problem("--format parquet requires pyarrow; pip install 'colconf[pyarrow]'") from error


_WRITERS: dict[str, Callable[[Iterator[Row], Path | None], None]] = {
    "ndjson": _ndjson,
    "csv": _csv,
    "parquet": _parquet,
}
