"""The folder of a finding, for readers who do not have colconf.

| file                 | holds                                                                             |
|----------------------|-----------------------------------------------------------------------------------|
| `file.parquet`/`.orc`| the file                                                                          |
| `files`              | instead of it, the folder of a table case                                         |
| `case.json`          | the case, as in the corpora                                                       |
| `said.json`          | the finding, its clause, and the answer of each engine                            |
| `repro.py`           | shows the bug with the engine alone: exit status 1 if it shows, 0 if it does not   |
| `expected.txt`       | the lines that `repro.py` expects, if there are many                              |
| `order.json`, `before…` | what the process had read before, if the answer depends on that            |
| `issue.md`           | text for an issue upstream                                                        |
"""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

from corpora.build.formats import FORMATS
from corpora.cases import Case, CaseError, dump
from corpora.files import whole_path
from corpora.folders import digest as digest_of
from corpora.given_cases import load_given
from corpora.problem import UserError
from harness.engines.errors import Unsupported
from harness.engines.registry import ENGINES
from harness.investigate.findings import broken_files, heading, ordered, repro
from harness.investigate.findings.collect import Evidence
from harness.investigate.findings.scripts import has
from harness.judging.results import Finding
from harness.judging.rows import ROWS
from harness.judging.wording import failing_too
from harness.listings.text import LONG, code, fenced, line, plain

CASE, REPLIES, ISSUE = "case.json", "said.json", "issue.md"
_PASTED = 2_048  # bytes of a file that an issue carries


class FolderError(UserError, ValueError):
    """A folder does not hold a finding; the message is one line."""


def write(evidence: Evidence, out: Path, named: str = "") -> tuple[Path, str]:
    """Write the folder of a finding into `out`, and return its path and why it has no script.

    `named` is the engine that `--engine` names: of foreign ones, a script may start its program alone.

    An older folder of the same name is replaced. Raises OSError.
    """
    folder = out / evidence.name
    out.mkdir(parents=True, exist_ok=True)
    with whole_path(folder) as unfinished:
        unfinished.mkdir()
        why = _fill(unfinished, evidence, named)
        shutil.rmtree(folder, ignore_errors=True)
    return folder, why


def _fill(unfinished: Path, evidence: Evidence, named: str) -> str:
    """Write the files of a finding into a folder, and return why it has no script."""
    data = b""
    if evidence.case.read is not None:
        name = "files"
        shutil.copytree(evidence.case.file, unfinished / name)
        digest = digest_of(unfinished / name)
    else:
        name = f"file.{evidence.case.format}"
        data = evidence.case.file.read_bytes()
        (unfinished / name).write_bytes(data)
        digest = hashlib.sha256(data).hexdigest()
    case = replace(evidence.case, file=Path(name), sha256=digest)
    dump(case, unfinished / CASE)
    content = {
        "finding": evidence.finding.to_json(),
        "clause": evidence.clause,
        "said": list(map(_reply, evidence.rows)),
    }
    _put(unfinished / REPLIES, json.dumps(content, indent=1) + "\n")
    why = ""
    try:
        if evidence.order:
            ordered.fill(unfinished, evidence.order)
        script, lines = repro.script(evidence, name, named)
        engine, version = evidence.finding.engine, evidence.finding.version
        modules = ordered.modules(engine, version, unfinished) if evidence.order else {}
    except Unsupported as error:
        why = str(error)
    else:
        for file, text in {**modules, heading.NAME: script}.items():
            _put(unfinished / file, text)
        if lines is not None:
            _put(unfinished / repro.LINES, lines)
    _put(unfinished / ISSUE, issue(evidence, data, has_script=not why))
    return why


def _put(path: Path, text: str) -> None:
    path.write_text(text, "utf-8", "backslashreplace")


def _reply(row: Any) -> dict[str, Any]:
    """Return the answer of an engine, without the path of the file on this machine."""
    data: dict[str, Any] = row.to_json()
    detail = {name: value for name, value in data["detail"].items() if name not in {"file", "features"}}
    names = ("engine", "version", "config", "outcome", "verdict")
    return {**{name: data[name] for name in names}, "detail": detail, "seconds": data["seconds"]}


def read(folder: Path) -> tuple[Case, Finding]:
    """Return the case of a folder and its finding; raises FolderError."""
    try:
        case = load_given(folder / CASE)
        content = json.loads((folder / REPLIES).read_bytes())
        return case, Finding(**content["finding"])
    except (OSError, CaseError, ValueError, KeyError, TypeError) as error:
        raise FolderError(f"{folder}: not the folder of a finding: {error}") from error


def issue(evidence: Evidence, data: bytes, *, has_script: bool) -> str:
    """Return the text of an issue upstream, in Markdown."""
    finding, case = evidence.finding, evidence.case
    row = evidence.row
    entry = evidence.entry
    lines = [f"# {plain(heading.title(evidence), 300)}", ""]
    if entry and entry.reason:
        lines += [line(f"{entry.symptom or ''}: {entry.reason}.".removeprefix(": "), LONG), ""]
    lines += ["## Versions", "", f"* {plain(f'{finding.engine} {finding.version}')}"]
    lines += [f"* configuration: {code(finding.config)}"] if finding.config else []
    pins, python = heading.environment(finding.engine, finding.version)
    lines += [f"* {plain(f'{name} {number}')}" for name, number in pins[1:] if number]
    lines += [f"* Python {python}"] if python else []
    if entry and entry.versions:
        lines.append(f"* releases that show it: {code(entry.versions)}")
    name = FORMATS[case.format].title
    lines += [
        "",
        "## Steps",
        "",
        f"The file beside this text (`file.{case.format}`, {name}, {len(data):,} bytes, SHA-256 "
        f"`{case.sha256}`){':' if 0 < len(data) <= _PASTED else '.'}"
        if case.read is None
        else f"The files of the folder `files` ({name}), {plain(str(case.read), LONG)}",
        "",
    ]
    if 0 < len(data) <= _PASTED:
        text = base64.b64encode(data).decode("ascii")
        pieces = [text[at : at + 100] for at in range(0, len(text), 100)]
        lines += ["```", *pieces, "```", "", "(base64; `base64 -d` writes it)", ""]
    if evidence.probe:
        lines += [f"The query: {code(evidence.probe.query, LONG)}", ""]
    if finding.column_features:
        names = ", ".join(map(code, finding.column_features))
        lines += [f"Features of the columns that it is about: {names}.", ""]
    if has_script:
        lines += ["`repro.py` beside this text asks for it with nothing but the engine:", ""]
        lines += [fenced("\n".join(heading.run_with(finding.engine, finding.version))), ""]
    elif not has(finding.engine) or ENGINES[finding.engine].foreign is not None:
        lines += [
            "`colconf replay FOLDER --engine MANIFEST`, of this folder and the engine's manifest, shows it.",
            "",
        ]
    lines += ["## Expected", "", _expected(evidence), ""]
    lines += [f"Specification: {code(evidence.clause, LONG)}", ""] if evidence.clause else []
    if broken := evidence.broken:
        lines += ["The file itself is not valid, so that a reader may refuse it. It breaks:", ""]
        lines += [*(f"* {code(rule.id)}: {plain(rule.text)} ({plain(rule.clause)})" for rule in broken), ""]
    lines += ["## Actual", "", _actual(evidence, row), ""]
    if too := failing_too(finding.others, finding.other_queries):
        lines += [f"{plain(too, LONG)}.", ""]
    right = _REFUSED if finding.verdict == "accepted_invalid" else _READ
    others = sorted({_label(other) for other in evidence.rows if other.verdict in right})
    is_written = finding.verdict in broken_files.VERDICTS  # a reader that agrees says nothing about a writer
    lines += [f"As expected with: {', '.join(others)}.", ""] if others and not is_written else []
    return "\n".join(lines)


def _label(row: Any) -> str:
    return plain(f"{row.engine} {row.version}" + (f" ({row.config})" if row.config else ""))


_READ, _REFUSED = ("agree", "equivalent"), ("refused_as_expected",)


def _expected(evidence: Evidence) -> str:
    finding = evidence.finding
    if finding.verdict == "accepted_invalid":
        return "A clean error: the file is not valid."
    if finding.verdict == broken_files.VERDICT:
        return "A file that keeps the rule."
    if finding.difference:
        path, right = finding.difference["path"], code(finding.difference["expected"])
        return right if path in ROWS else f"{code(path)}: {right}"
    if finding.verdict in {"refused_valid", "unsupported"}:
        return "The values of the file, which is valid."
    return "An answer or a clean error, in time and memory in proportion to the file."


def _actual(evidence: Evidence, row: Any) -> str:
    finding = evidence.finding
    if finding.difference:
        return f"{code(finding.difference['path'])}: {code(finding.difference['actual'])}"
    if finding.verdict == "accepted_invalid":
        return "The file is read without an error."
    if finding.verdict in broken_files.VERDICTS:
        return f"The file, written by {finding.engine}, breaks it: {code(finding.error, LONG)}"
    if row and row.detail.signal is not None:
        return f"The process dies by signal {row.detail.signal}."
    if finding.error:
        return fenced(finding.error)
    peak = f", {row.peak_rss_bytes >> 20} MB of memory" if row else ""
    return f"{plain(finding.verdict.replace('_', ' '))}: {row.seconds if row else 0:.1f} s{peak}."
