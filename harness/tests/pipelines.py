"""What tests of the pipeline share: files, fake engines as processes, a run of them; and a run to be killed.

`python -m harness.tests.pipelines FOLDER OUT` runs `Slow` over the files of a folder.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import sys
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from corpora.cases import Case, Expectation, case_id
from corpora.importers import Imported
from corpora.queries import Query
from corpora.tagged import STRING, Table, integer
from harness.children.connection import Limits, worker_command
from harness.engines.registry import Entry
from harness.judging.places import Config, Process
from harness.judging.results import load
from harness.runs.pipeline.context import Generate
from harness.runs.pipeline.request import Request
from harness.runs.pipeline.run import run
from harness.tests.fakes import Queried
from harness.tests.queried import QUERIES

LIMITS = Limits(start_seconds=20, seconds=5, sheet_file_seconds=0.1)


def process(cls, name="", module="harness.tests.fakes", **more):
    """Return the process of a fake engine; its name is that of its class in lower case."""
    name = name or cls.lower()
    command = tuple(worker_command(Entry(name, module, cls)))
    more = {"configs": (Config("", {}),), **more}
    return Process(name, "1", command, formats=("parquet",), **more)


def ours(cls, **more):
    """Return the process of a fake engine of this module."""
    return process(cls, module="harness.tests.run_fakes", **more)


def meaning(file):
    """Return what a healthy fake answers for a file."""
    return Table.of([("name", STRING), ("number", integer(32))], [[Path(file).name], ["7"]])


def files(folder, names, expectation=None, *, together=False):
    """Make files and answer them as imported; they mean what a healthy fake answers.

    `together`: they are Parquet files of one schema, hence of one sheet; else each is a sheet of its own.
    """
    folder.mkdir(exist_ok=True)
    cases = []
    for name in names:
        file = folder / name
        if together:
            pq.write_table(pa.table({"a": [name]}), file)
        else:
            file.write_bytes(os.fsencode(name))
        expected = expectation or Expectation.accept(meaning(file), "generator")
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        cases.append(Case(case_id("files", name), "parquet", file, digest, expected, source=expected.source))
    return Imported(tuple(cases), ())


class MadeFile(NamedTuple):
    """A file as properties.generate makes them; what it means is what `Queried` answers."""

    data: bytes
    groups: tuple[range, ...] = (range(3), range(3, 6))
    silence: str = ""
    table: Table = Queried.found
    keys: None = None
    text: str = "FilePlan(é)"


class MadeSheet(NamedTuple):
    """A sheet of three files."""

    number: int
    files: tuple[MadeFile, ...]
    queries: tuple[Query, ...]


def made(seed, start, stop, format):  # noqa: A002, ARG001 - its name
    """Generate sheets of three files, each of them another Parquet file, all of one schema."""
    for number in range(start, stop):
        found = []
        for file in range(3):
            out = io.BytesIO()
            pq.write_table(pa.table({"a": [f"{seed} {number} {file}"]}), out)
            found.append(MadeFile(out.getvalue()))
        yield MadeSheet(number, tuple(found), QUERIES)


def generated(out, count, *processes, seed=7, generator="harness.tests.pipelines:made", **more):
    """Run fakes over generated files; answer the results."""
    return go(out, None, *processes, generate=Generate(count, seed, generator), **more)


def pushing(cls, *values, module="harness.tests.fakes", **more):
    """Return the process of a fake with these values of pushdown, the first of them its default."""
    configs = tuple(
        Config(f"pushdown={value}" if place else "", {"pushdown": value})
        for place, value in enumerate(values or ("on", "off"))
    )
    return process(cls, module=module, configs=configs, **more)


class Quiet:
    """Keeps what a run says."""

    def __init__(self):
        self.stages, self.notes, self.done = [], [], 0

    def stage(self, name, total):
        """Keep the stage."""
        self.stages.append((name, total))

    def advance(self, count):
        """Count."""
        self.done += count

    def note(self, text):
        """Keep the note."""
        self.notes.append(text)


def go(out, imported, *processes, progress=None, settings=None, **more):
    """Run fakes over files; answer the results. `more` goes into the request."""
    known = more.get("known", out.parent / "known")
    known.mkdir(parents=True, exist_ok=True)
    request = Request(
        **{
            "out": out,
            "processes": processes,
            "limits": LIMITS,
            "imported": imported,
            "layouts": 2,
            "settings": settings or {"files": "these"},
            "arguments": ["run"],
            "known": known,
            **more,
        }
    )
    run(request, progress or Quiet())
    return load(out)


def verdicts(results, engine=None):
    """Return the verdict of each file name, of one engine."""
    return {
        row.case.removeprefix("files/"): row.verdict
        for row in results.rows
        if engine is None or row.engine == engine
    }


def comparable(out):
    """Return the results without what differs from run to run."""
    rows = [json.loads(line) for line in (out / "results.ndjson").read_text().splitlines()]
    for row in rows:
        del row["seconds"], row["peak_rss_bytes"], row["detail"]["stderr"]
    return rows


if __name__ == "__main__":
    here = Path(sys.argv[1])
    names = [file.name for file in sorted(here.iterdir())]
    go(Path(sys.argv[2]), files(here, names), ours("Slow"), process("Healthy"))
