"""`colconf coverage`: what a run or a campaign reaches of colconf's own parsers, and of the specification."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from corpora import own_cases
from corpora.cases import Case, load
from corpora.importers import import_paths
from harness.children.connection import Limits
from harness.children.scratch import scratch_folder
from harness.commands.parameters import problems, time_limit_option
from harness.investigate.reached import Clauses, Module, Tracing, clauses, limits_of
from harness.judging.results import load as load_results
from harness.listings.text import show_line
from harness.problem import Problem
from harness.runs.pipeline import generated
from harness.runs.pipeline.context import Context
from harness.runs.progress import progress
from properties.fuzz import targets

_FOLDER = click.Path(path_type=Path, file_okay=False)
_LISTED = 10
_GENERATED = "generated"


@click.command("coverage")
@click.argument("run", required=False, type=click.Path(path_type=Path))
@click.option("--fuzz", "campaign", type=_FOLDER, metavar="DIR", help="Folder of `colconf fuzz --out DIR`.")
@click.option("--html", type=_FOLDER, metavar="DIR", help="Write coverage.py's pages to this folder.")
@time_limit_option(60.0, "Time limit for a file or query.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with each module, rule and feature.")
def coverage_command(
    *, run: Path | None, campaign: Path | None, html: Path | None, time_limit: float, as_json: bool
) -> None:
    """Show which branches of colconf's own parsers the files of a run, or the inputs of a campaign, reach.

    The reference reads the files of RUN again, and answers their queries, while coverage.py records what it
    reaches; generated files are generated again. For a run, the rules that its files break and the
    features that they have are counted, too.

    Exit status: 0 measured; 2 error.
    """
    if (run is None) == (campaign is None):
        raise Problem("name the folder of a run, or of a campaign with --fuzz")
    with problems(), scratch_folder() as scratch, progress() as bars:
        tracing = Tracing(scratch)
        readable, missing = _cases(run, scratch) if run else ([], 0)
        if run:
            if not readable:
                raise Problem(f"{run}: none of its files exists any more")
            bars.stage("reading, traced", len(readable))
            tracing.read(readable, limits_of(time_limit), bars.advance)
        else:
            assert campaign is not None
            inputs = _inputs(campaign)
            bars.stage("running inputs, traced", len(inputs))
            for target, data in inputs.items():
                tracing.fuzz(target, data)
                bars.advance(1)
        modules = tracing.modules(html)
    about = clauses(readable, sorted({case.format for case in readable}))
    if as_json:
        click.echo(json.dumps(_to_json(modules, about, len(readable), missing), indent=2))
        return
    _show(modules)
    if run:
        _show_clauses(about, len(readable), missing)
    if html:
        show_line(html / "index.html")


def _cases(run: Path, scratch: Path) -> tuple[list[Case], int]:
    """Return the cases of a run whose files can be had, and the number of the others."""
    results = load_results(run)
    by_id = {row.case: row for row in results.rows}
    again = _generated_again([(name, row.format) for name, row in by_id.items()], scratch)
    cases, missing = [], 0
    for name, row in by_id.items():
        own, file = own_cases.folder() / f"{name}.json", Path(row.detail.file)
        if name in again:
            cases.append(again[name])
        elif own.is_file():
            cases.append(load(own))
        elif row.detail.file and file.is_file():
            cases += import_paths([file]).cases
        else:
            missing += 1
    return cases, missing


def _generated_again(names: Sequence[tuple[str, str]], scratch: Path) -> dict[str, Case]:
    ids = [(name.split("/"), format_) for name, format_ in names]
    sheets = {
        (format_, int(parts[1]), int(parts[2]))
        for parts, format_ in ids
        if parts[0] == _GENERATED and parts[-1].isdecimal()
    }
    wanted = {name for name, _ in names}
    cases = {}
    for format_, seed, sheet in sorted(sheets):
        context = Context(scratch / format_, (), Limits(), scratch, format=format_)
        some = generated.remade(context, seed, sheet, format_)
        cases.update({case.id: case for case in some if case.id in wanted})
    return cases


def _inputs(campaign: Path) -> dict[str, list[bytes]]:
    """Return the inputs of each target in the corpus of a campaign; raises Problem if there are none."""
    inputs = {}
    for name in targets.names():
        folder = campaign / "corpus" / name
        data = [file.read_bytes() for file in sorted(folder.glob("*")) if file.is_file()]
        if data:
            inputs[name] = data
    if not inputs:
        raise Problem(f"{campaign}: no corpus of `colconf fuzz` is there")
    return inputs


def _totals(modules: Sequence[Module]) -> tuple[int, int, int, int]:
    lines = [sum(module.lines[at] for module in modules) for at in (0, 1)]
    branches = [sum(module.branches[at] for module in modules) for at in (0, 1)]
    return (lines[0], lines[1], branches[0], branches[1])


def _to_json(modules: Sequence[Module], about: Clauses, files: int, missing: int) -> dict[str, Any]:
    lines, all_lines, branches, all_branches = _totals(modules)
    return {
        "files": files,
        "files_missing": missing,
        "lines": {"reached": lines, "all": all_lines},
        "branches": {"reached": branches, "all": all_branches},
        "modules": [
            {
                "module": module.name,
                "lines": {"reached": module.lines[0], "all": module.lines[1]},
                "branches": {"reached": module.branches[0], "all": module.branches[1]},
            }
            for module in modules
        ],
        "rules": about.rules,
        "features": about.features,
    }


def _show(modules: Sequence[Module]) -> None:
    """Print totals, and the modules with most branches that were not reached."""
    lines, all_lines, branches, all_branches = _totals(modules)
    show_line(f"{lines:,} of {all_lines:,} lines and {branches:,} of {all_branches:,} branches were reached")
    missed = sorted(modules, key=lambda module: module.branches[0] - module.branches[1])[:_LISTED]
    for module in missed:
        reached, total = module.branches
        if reached < total:
            show_line(f"  {module.name}: {total - reached} of {total} branches not reached")


def _show_clauses(about: Clauses, files: int, missing: int) -> None:
    for what, counts in (("rules are broken by", about.rules), ("features are in", about.features)):
        show_line(
            f"{sum(map(bool, counts.values()))} of {len(counts)} {what} at least one of {files:,} files"
        )
    if missing:
        show_line(f"{missing:,} files of the run no longer exist, and were not read")
