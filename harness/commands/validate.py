"""`colconf validate`: list the rules of the specification that files break."""

from __future__ import annotations

import json
import mmap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click

from corpora import rules
from corpora.files import check_regular
from corpora.formats import BY_SUFFIX
from corpora.importers.files import classify
from corpora.keys import Keys
from corpora.rules import Rule
from harness.commands import keyed, validate_tables
from harness.commands.validate_tables import TableResult
from harness.commands.validate_text import Result, is_broken, text
from harness.formats import format_of
from harness.listings.text import show_line
from harness.problem import USAGE
from harness.version import __version__
from reference_impl.validation import Report, Violation

FORMAT = 1
_SARIF = "https://json.schemastore.org/sarif-2.1.0.json"
_SUFFIXES = tuple(BY_SUFFIX)
_SEVERITY = {"MUST": "error", "SHOULD": "warning", "MAY": "note"}
_BROKEN = 1
_NAMED = 5  # files that are not checked


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="FILE…")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "sarif"]),
    default="text",
    help="Output format; default: text.",
)
@click.option(
    "--level",
    type=click.Choice(["must", "should"]),
    default="should",
    help="must: check MUST rules only; should (default): check SHOULD and MAY rules too.",
)
@click.option(
    "--all", "every", is_flag=True, help="Text: list each place; default: the first places of each rule."
)
@click.option("--keys", metavar="FILE", help=keyed.HELP)
@click.pass_context
def validate(
    ctx: click.Context, /, *, paths: tuple[str, ...], form: str, level: str, every: bool, keys: str | None
) -> None:
    """List the rules of the Parquet or ORC specification that files break, with the place and the clause.

    FILE may be a folder: all Parquet and ORC files in it and its subfolders are checked. Files of one folder,
    and of its subfolders called KEY=VALUE, are also checked as a table, with a summary, and notes where files
    disagree: types, names, field ids, partition columns. `colconf explain RULE` explains a rule.

    Exit status: 0 no MUST rule is broken; 1 a MUST rule is broken; 2 a file could not be read.
    """
    known = rules.load()
    wanted = {"MUST"} if level == "must" else {"MUST", "SHOULD", "MAY"}
    results: list[Result] = []
    tables: list[TableResult] = []
    for path in paths:
        of_path = [_only(result, known, wanted) for result in _results(path, keys)]
        results += of_path
        tables += _tables(path, of_path, known, keys, has_notes=level == "should")
    if form == "json":
        click.echo(json.dumps(_json(results, tables, known), indent=2))
    elif form == "sarif":
        click.echo(json.dumps(_sarif(results, tables, known), indent=2))
    else:
        lines = text(results, known, every=every)
        for line in (*lines, *validate_tables.text(tables, has_notes=level == "should")):
            show_line(line)
    for result in results:
        if result.error is not None:
            show_line(f"colconf: {result.path}: {result.error}", err=True)
    reports = [result.report for result in results]
    messages = [why for report in reports for why in report.unchecked]
    messages += [f"{each.rule}: {each.message}" for report in reports for each in report.violations]
    if hint := keyed.mend(messages, keys):
        show_line(f"colconf: {hint}", err=True)
    broken = any(is_broken(result, known) for result in results)
    unread = any(result.error is not None for result in results)
    ctx.exit(USAGE if unread else _BROKEN if broken else 0)


def _results(path: str, keys: str | None) -> Iterator[Result]:
    """Yield the result of a file, or of every Parquet and ORC file below a folder."""
    if not Path(path).is_dir():
        yield _file(path, keys)
        return
    every = [file for file in sorted(Path(path).rglob("*")) if not file.is_dir()]
    reasons = {file: _unchecked(file, Path(path)) for file in every}
    files = [file for file in every if not reasons[file]]
    for why in dict.fromkeys(filter(None, reasons.values())):
        left = [str(file) for file in every if reasons[file] == why]
        more = f" and {len(left) - _NAMED:,} more" if len(left) > _NAMED else ""
        show_line(f"colconf: {', '.join(left[:_NAMED])}{more}: not checked: {why}", err=True)
    if not files:
        yield Result(path, Report(), "no Parquet or ORC file found")
    yield from (_file(str(file), keys) for file in files)


def _unchecked(file: Path, root: Path) -> str:
    """Return why a file in a folder is not checked, "" if it is: by its name, or by its magic number."""
    if file.name.endswith(_SUFFIXES):
        return ""
    if any(part.startswith(".") for part in file.relative_to(root).parts):
        return "hidden"
    try:
        detected = classify(file)
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    return detected if isinstance(detected, str) else ""


def _tables(
    path: str, results: Sequence[Result], known: Mapping[str, Rule], keys: str | None, *, has_notes: bool
) -> Iterator[TableResult]:
    """Yield the tables of a folder; nothing of a file."""
    if not Path(path).is_dir():
        return
    files = [Path(result.path) for result in results if result.error is None]
    files = [file for file in files if file.name.endswith(_SUFFIXES)]  # the names of files of a table
    broken = {result.path for result in results if is_broken(result, known)}
    for table in validate_tables.tables(Path(path), files, broken, keys):
        yield table if has_notes else table._replace(notes=())


def _file(path: str, keys: str | None) -> Result:
    try:
        check_regular(Path(path))
        with Path(path).open("rb") as file:
            size = file.seek(0, 2)
            if not size:
                return Result(path, _examine(path, b"", None))
            # Not closed here: it closes with the last view of it, which an error may still hold.
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            return Result(path, _examine(path, data, keyed.keys_of(keys, path)))
    except OSError as error:
        return Result(path, Report(), error.strerror or str(error))


def _examine(path: str, data: bytes | mmap.mmap, keys: Keys | None) -> Report:
    return format_of(path, data).examine(data, keys)


def _only(result: Result, known: Mapping[str, Rule], levels: set[str]) -> Result:
    report = result.report
    remaining = [violation for violation in report.violations if known[violation.rule].level in levels]
    left = Counter({rule: count for rule, count in report.suppressed.items() if known[rule].level in levels})
    notes = report.notes if "MAY" in levels else []
    return result._replace(report=Report(remaining, report.unchecked, left, notes))


def _json(
    results: Sequence[Result], tables: Sequence[TableResult], known: Mapping[str, Rule]
) -> dict[str, object]:
    files = [
        {
            "file": result.path,
            "error": result.error,
            "violations": [
                _violation(violation, known[violation.rule]) for violation in result.report.violations
            ],
            "suppressed": dict(sorted(result.report.suppressed.items())),
            "not_checked": result.report.unchecked,
            "notes": result.report.notes,
        }
        for result in results
    ]
    listed = validate_tables.to_json(tables)
    return {"format": FORMAT, "colconf": __version__, "files": files, "tables": listed}


def _violation(violation: Violation, rule: Rule) -> dict[str, object]:
    return {
        "rule": violation.rule,
        "level": rule.level,
        "clause": rule.clause,
        "offset": violation.offset,
        "path": list(violation.path),
        "message": violation.message,
        **({"since": rule.since} if rule.since else {}),
    }


def _sarif(
    results: Sequence[Result], tables: Sequence[TableResult], known: Mapping[str, Rule]
) -> dict[str, object]:
    """Return SARIF 2.1.0, a single run with the rules that are broken and the kinds of notes."""
    broken = sorted({violation.rule for result in results for violation in result.report.violations})
    described: list[dict[str, object]] = [
        {
            "id": rule,
            "shortDescription": {"text": known[rule].text},
            "help": {"text": known[rule].clause},
            "defaultConfiguration": {"level": _SEVERITY[known[rule].level]},
        }
        for rule in broken
    ]
    described += validate_tables.sarif_rules(tables)
    driver = {"name": "colconf", "version": __version__, "rules": described}
    sarif_results = [
        _sarif_result(result.path, violation, known[violation.rule], broken.index(violation.rule))
        for result in results
        for violation in result.report.violations
    ]
    places = {str(rule["id"]): at for at, rule in enumerate(described)}
    sarif_results += validate_tables.sarif_results(tables, places)
    notes = [
        {"level": "error" if result.error else "note", "message": {"text": f"{result.path}: {text}"}}
        for result in results
        for text in ([result.error] if result.error else [*result.report.unchecked, *result.report.notes])
    ]
    invocation = {
        "executionSuccessful": not any(result.error for result in results),
        "toolExecutionNotifications": notes,
    }
    run = {"tool": {"driver": driver}, "invocations": [invocation], "results": sarif_results}
    return {"$schema": _SARIF, "version": "2.1.0", "runs": [run]}


def _sarif_result(path: str, violation: Violation, rule: Rule, index: int) -> dict[str, object]:
    place: dict[str, object] = {"artifactLocation": {"uri": Path(path).as_posix()}}
    if violation.offset is not None:
        place["region"] = {"byteOffset": violation.offset, "byteLength": 1}
    location: dict[str, object] = {"physicalLocation": place}
    if violation.path:
        location["logicalLocations"] = [{"fullyQualifiedName": ".".join(violation.path)}]
    return {
        "ruleId": violation.rule,
        "ruleIndex": index,
        "level": _SEVERITY[rule.level],
        "message": {"text": violation.message},
        "locations": [location],
    }
