"""Which lines and branches of colconf's own parsers files and fuzz inputs reach, measured by coverage.py.

The reference reads in a child, as in a run, so that no file decides what this process does; a child that is
killed for a file loses what it had recorded, and the next one records on.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from corpora import rules
from corpora.cases import Case
from corpora.features import registry
from corpora.problem import UserError
from harness.children.connection import Connection, Limits
from harness.children.launch import ROOT, Launch, adapter_of
from harness.engines.registry import ENGINES
from harness.judging.ask import query_one, read_one

MEASURED = "reference_impl"
_SETTINGS = """[run]
branch = true
parallel = true
sigterm = true
data_file = {folder}/data
source_pkgs = {measured}
omit = */tests/*
[report]
exclude_also =
    if TYPE_CHECKING:
    @overload
"""
_SWITCHES = {"pushdown": "on"}
_CLOSE_SECONDS = 60.0  # to write what was recorded
_INPUT_SECONDS = 600.0  # for all inputs of a fuzz target


class ReachedError(UserError):
    """Coverage cannot be measured; the message is one line."""


@dataclass(frozen=True)
class Module:
    """How much of a module was reached: lines and branches, reached and in all."""

    name: str
    lines: tuple[int, int]
    branches: tuple[int, int]


class Tracing:
    """Records in `folder` what processes reach; raises ReachedError without coverage.py."""

    def __init__(self, folder: Path) -> None:
        if find_spec("coverage") is None:
            raise ReachedError("coverage.py is not installed: pip install coverage")
        self.folder = folder
        self._settings = folder / "coverage.ini"
        self._settings.write_text(_SETTINGS.format(folder=folder, measured=MEASURED), "utf-8")

    def command(self, module: str, *arguments: str) -> tuple[str, ...]:
        """Return the command that runs a module and records what it reaches."""
        rcfile = f"--rcfile={self._settings}"
        return (sys.executable, "-P", "-m", "coverage", "run", rcfile, "-m", module, *arguments)

    def read(self, cases: Iterable[Case], limits: Limits, tick: Callable[[int], object]) -> None:
        """Have the reference read each case, and answer its queries."""
        launch = Launch(self.command("harness.children.worker", adapter_of(ENGINES["reference"])))
        with Connection(launch, limits) as connection:
            for case in cases:
                read_one(connection, case, _SWITCHES)
                for probe in case.probes:
                    query_one(connection, case, _SWITCHES, probe.query)
                tick(1)

    def fuzz(self, target: str, inputs: Sequence[bytes]) -> None:
        """Run inputs of a fuzz target, without atheris; raises ReachedError."""
        file = self.folder / "inputs.json"
        file.write_text(json.dumps({"inputs": [data.hex() for data in inputs]}), "utf-8")
        command = self.command("properties.fuzz.child", target, "--plain", str(file))
        self._run(command, f"{target}: its inputs")

    def modules(self, html: Path | None) -> list[Module]:
        """Return what was reached, by module; `html` is the folder of the pages. Raises ReachedError."""
        if not any(self.folder.glob("data.*")):
            raise ReachedError("nothing was recorded: no process of the reference ended by itself")
        rcfile, out = f"--rcfile={self._settings}", self.folder / "totals.json"
        coverage = (sys.executable, "-P", "-m", "coverage")
        self._run((*coverage, "combine", rcfile, "--quiet"), "what was recorded")
        self._run((*coverage, "json", rcfile, "--quiet", "-o", str(out)), "what was recorded")
        if html is not None:
            self._run((*coverage, "html", rcfile, "--quiet", "-d", str(html.absolute())), str(html))
        files = json.loads(out.read_text("utf-8"))["files"]
        return [_module(name, content["summary"]) for name, content in sorted(files.items())]

    def _run(self, command: Sequence[str], about: str) -> None:
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        try:
            done = subprocess.run(
                command,
                cwd=ROOT,
                env=env,
                capture_output=True,
                text=True,
                timeout=_INPUT_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise ReachedError(f"{about}: took longer than {_INPUT_SECONDS:,.0f} s") from error
        if done.returncode:
            last = (done.stderr.strip() or done.stdout.strip() or f"status {done.returncode}").splitlines()[
                -1
            ]
            raise ReachedError(f"{about}: {last}")


def limits_of(seconds: float) -> Limits:
    """Return the limits of a reference that is traced."""
    return Limits(seconds=seconds, close_seconds=_CLOSE_SECONDS)


def _module(name: str, summary: Mapping[str, Any]) -> Module:
    lines = summary["covered_lines"], summary["num_statements"]
    return Module(name, lines, (summary["covered_branches"], summary["num_branches"]))


@dataclass(frozen=True)
class Clauses:
    """How many cases break each rule and have each feature; the registered ones that none has are 0."""

    rules: dict[str, int]
    features: dict[str, int]


def clauses(cases: Sequence[Case], formats: Iterable[str]) -> Clauses:
    """Return the clauses of some formats that cases are about."""
    short = {"parquet": "PQ-", "orc": "ORC-"}
    broken = Counter(case.expectation.rule for case in cases if case.expectation.rule)
    features = Counter(feature for case in cases for feature in case.features)
    some = tuple(formats)
    return Clauses(
        {rule: broken[rule] for rule in rules.load() if rule.startswith(tuple(short[name] for name in some))},
        {name: features[name] for name in registry() if name.partition("/")[0] in some},
    )
