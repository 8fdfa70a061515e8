"""colconf for scripts: run engines, judge a file, validate, explain rules, and read results as Arrow tables.

    from harness import api

    for violation in api.validate("path/to/file.parquet"):
        print(violation.rule, violation.message, api.explain(violation.rule).clause)

Every function raises `UserError`, whose message is one line, for what its caller can mend: a file that is not
there, an engine that is not installed, a folder that holds no run. `docs/api.md` has an example of each.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from corpora import rules
from corpora.build.evolution.importing import import_tables
from corpora.cases import Case
from corpora.importers import import_paths
from corpora.problem import UserError
from corpora.rules import Rule
from harness.children.connection import Limits
from harness.commands.exit_status import exit_status, incomplete
from harness.commands.keyed import keys_of
from harness.commands.parameters import check_paths, problems
from harness.commands.run import run as run_command
from harness.commands.run_extent import check_extent
from harness.commands.run_request import request_of
from harness.formats import format_of
from harness.investigate.findings.rejudge import rejudge
from harness.judging.results import Finding, Row, load, load_run
from harness.judging.run_record import RunRecord
from harness.runs.pipeline import archive
from harness.runs.pipeline.run import run as run_pipeline
from harness.runs.progress import Silent
from reference_impl.validation import Violation

__all__ = [
    "Finding",
    "Row",
    "Rule",
    "Run",
    "UserError",
    "Violation",
    "explain",
    "judge",
    "open_run",
    "run",
    "validate",
]

PathLike = str | Path
_LEFT_OUT = ("resume", "time_budget", "history", "report", "as_json", "out", "files", "engine")
_SECONDS = 120.0


@dataclass(frozen=True)
class Run:
    """The results of a run in its folder `out`."""

    out: Path
    record: RunRecord

    @property
    def exit_status(self) -> int:
        """Return what `colconf run` exits with: 0, 1 for findings, 2 if no engine but the reference ran."""
        return exit_status(self.record)

    def rows(self) -> Iterator[Row]:
        """Yield the results, one per case, engine and configuration; raises UserError if they are damaged."""
        yield from load(self.out, streamed=True).rows

    def findings(self) -> list[Finding]:
        """Return the findings, one per signature and version of an engine; raises UserError."""
        return load(self.out, streamed=True).findings

    def arrow(self, table: str = "verdicts") -> Any:
        """Return `outcomes`, `verdicts` or `findings` as a `pyarrow.Table`, with a row per result or finding.

        Raises UserError for an unknown or damaged table, and where pyarrow is not installed.
        """
        with _errors():
            return archive.read(self.out, table)


def run(
    files: PathLike | Iterable[PathLike] = (),
    *,
    engines: Sequence[str] = (),
    out: PathLike,
    **options: Any,
) -> Run:
    """Have engines read files, judge their answers, and write the results into the folder `out`.

    Without `files`, engines write files and read each other's, or `case` names cases of colconf's corpora.
    `engines` are names as for `--engine`, such as `spark@4.0.0:vectorized=off`; none: all installed ones.
    `options` are those of `colconf run`, with underscores: `queries=0`, `case=["parquet/delta*"]`,
    `fail_fast=True`, `time_limit=30`. Settings of the current folder apply. The pipeline runs without Spark.

    Raises UserError for wrong arguments, and where a named engine does not start.
    """
    with _errors():
        parsed = _parsed(_list(files), engines, out, options)
        check_extent(parsed)
        request = request_of(parsed)
        record, _ = run_pipeline(request, Silent())
        if message := incomplete(parsed["engine"], record):
            raise UserError(message)
    return Run(request.out, record)


def open_run(out: PathLike) -> Run:
    """Return the results of the run in a folder; raises UserError if it holds none."""
    with _errors():
        return Run(Path(out), load_run(Path(out)))


def judge(case: Case | PathLike, engines: Sequence[str] = (), *, seconds: float = _SECONDS) -> list[Row]:
    """Have engines read a case, or a file or folder with one case, in memory; return the judged answers.

    The file of a case is judged by its record (a JSON file beside it), any other by a vote. Known failures
    are findings here. `seconds` is the time limit of a file or query. Raises UserError.
    """
    with _errors():
        if not isinstance(case, Case):
            check_paths([os.fspath(case)], "a file")
        chosen = case if isinstance(case, Case) else _case_of(Path(case))
        return rejudge(chosen, engines, Limits(seconds=seconds)).rows


def validate(file: PathLike, *, keys: PathLike | None = None) -> list[Violation]:
    """Return the rules that a Parquet or ORC file breaks, in the order in which its parts are checked.

    `keys` is the path of a JSON file of keys, as for `--keys`. A violation has `rule`, `offset` in bytes
    (None where it has no place), `path` of fields and `message`. Raises UserError if the file cannot be read.
    """
    with _errors():
        data = Path(file).read_bytes()
        text = None if keys is None else str(keys)
        return format_of(file, data).examine(data, keys_of(text, file) if data else None).violations


def explain(rule: str) -> Rule:
    """Return a rule by its id: `id`, `clause`, `level` and `text`; raises UserError for an unknown one."""
    try:
        return rules.load()[rule.upper()]
    except KeyError as error:
        raise UserError(f"unknown rule {rule!r:.80}") from error


def _case_of(path: Path) -> Case:
    cases = (import_tables([str(path)]) if path.is_dir() else import_paths([path])).cases
    if len(cases) != 1:
        raise UserError(f"{path}: {len(cases):,} cases; name one, or use run()")
    return cases[0]


def _parsed(
    files: Sequence[PathLike], engines: Sequence[str], out: PathLike, options: dict[str, Any]
) -> dict[str, Any]:
    """Return the options as the command parses them; raises click's errors."""
    names = {option.opts[0].removeprefix("--").replace("-", "_"): option for option in run_command.params}
    arguments = ["--out", str(out), "--no-spark"]
    for file in files:
        arguments += ["--files", str(file)]
    for engine in engines:
        arguments += ["--engine", engine]
    for name, value in options.items():
        if name not in names or name in _LEFT_OUT:
            raise UserError(f"run() has no option {name!r:.40}")
        values = _list(value) if names[name].multiple else [value]
        for each in values:
            arguments += [names[name].opts[0]] * (each is not False) + ([] if each is True else [str(each)])
    return run_command.make_context("run", arguments).params


def _list(value: Any) -> list[Any]:
    return [value] if isinstance(value, (str, Path)) else list(value)


@contextmanager
def _errors() -> Iterator[None]:
    """Raise UserError in place of a command's errors and OSError."""
    try:
        with problems():
            yield
    except click.ClickException as error:
        raise UserError(error.format_message()) from error
