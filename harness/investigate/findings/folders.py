"""The folder of a finding: everything that somebody needs who knows nothing of colconf.

| file                 | holds                                                                             |
|----------------------|-----------------------------------------------------------------------------------|
| `file.parquet`/`.orc`| the file                                                                          |
| `case.json`          | the case, as in the corpora                                                       |
| `said.json`          | the finding, its clause, and what each engine said                                |
| `repro.py`           | shows it with the engine alone; exit status 1 the bug shows, 0 it does not        |
| `expected.txt`       | what `repro.py` expects, where that is long                                       |
| `issue.md`           | text for an issue upstream                                                        |
"""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpora.cases import Case, CaseError, dump
from corpora.cases import load as load_case
from corpora.files import whole_path
from harness.engines.errors import Unsupported
from harness.investigate.findings import made, repro
from harness.judging.results import Finding
from harness.listings.text import LONG, code, fenced, line, plain

if TYPE_CHECKING:
    from harness.investigate.findings.gather import Found

CASE, SAID, ISSUE = "case.json", "said.json", "issue.md"
_PASTED = 3_000  # bytes of a file that an issue carries


class FolderError(ValueError):
    """A folder is not that of a finding; the message is one line."""


def write(found: Found, out: Path) -> tuple[Path, str]:
    """Write the folder of a finding into `out`, in place of an older one; answer it and why it has no script.

    Raises OSError.
    """
    folder = out / found.name
    out.mkdir(parents=True, exist_ok=True)
    with whole_path(folder) as unfinished:
        unfinished.mkdir()
        why = _fill(unfinished, found)
        shutil.rmtree(folder, ignore_errors=True)
    return folder, why


def _fill(unfinished: Path, found: Found) -> str:
    """Write the files of a finding into a folder, and return why it has no script."""
    name = f"file.{found.case.format}"
    data = found.case.file.read_bytes()
    (unfinished / name).write_bytes(data)
    digest = hashlib.sha256(data).hexdigest()
    case = replace(found.case, file=Path(name), sha256=digest)
    dump(case, unfinished / CASE)
    told = {"finding": found.finding.to_json(), "clause": found.clause, "said": list(map(_said, found.rows))}
    _put(unfinished / SAID, json.dumps(told, indent=1) + "\n")
    why = ""
    try:
        script, lines = repro.script(found, name)
    except Unsupported as error:
        why = str(error)
    else:
        _put(unfinished / repro.NAME, script)
        if lines is not None:
            _put(unfinished / repro.LINES, lines)
    _put(unfinished / ISSUE, issue(found, data, has_script=not why))
    return why


def _put(path: Path, text: str) -> None:
    path.write_text(text, "utf-8", "backslashreplace")


def _said(row: Any) -> dict[str, Any]:
    """Return what an engine said; the file's place on this machine has no part in it."""
    told: dict[str, Any] = row.to_json()
    detail = {name: value for name, value in told["detail"].items() if name not in {"file", "features"}}
    names = ("engine", "version", "config", "outcome", "verdict")
    return {**{name: told[name] for name in names}, "detail": detail, "seconds": told["seconds"]}


def read(folder: Path) -> tuple[Case, Finding]:
    """Return the case of a folder and its finding; raises FolderError."""
    try:
        case = load_case(folder / CASE)
        told = json.loads((folder / SAID).read_bytes())
        return case, Finding(**told["finding"])
    except (OSError, CaseError, ValueError, KeyError, TypeError) as error:
        raise FolderError(f"{folder}: not the folder of a finding: {error}") from error


def issue(found: Found, data: bytes, *, has_script: bool) -> str:
    """Return the text of an issue upstream, in Markdown."""
    one, case = found.finding, found.case
    row = found.row
    entry = found.entry
    lines = [f"# {plain(repro.title(found), 300)}", ""]
    if entry and entry.reason:
        lines += [line(f"{entry.symptom or ''}: {entry.reason}.".removeprefix(": "), LONG), ""]
    lines += ["## Versions", "", f"* {plain(f'{one.engine} {one.version}')}"]
    lines += [f"* configuration: {code(one.config)}"] if one.config else []
    pins, python = repro.environment(one.engine, one.version)
    lines += [f"* {plain(f'{name} {number}')}" for name, number in pins[1:] if number]
    lines += [f"* Python {python}"] if python else []
    name = {"parquet": "Parquet", "orc": "ORC"}[case.format]
    lines += [
        "",
        "## Steps",
        "",
        f"The file (`file.{case.format}`, {name}, {len(data):,} bytes, SHA-256 `{case.sha256}`):",
        "",
    ]
    if len(data) <= _PASTED:
        text = base64.b64encode(data).decode("ascii")
        pieces = [text[at : at + 100] for at in range(0, len(text), 100)]
        lines += ["```", *pieces, "```", "", "(base64; `base64 -d` writes it)", ""]
    if found.probe:
        lines += [f"The query: {code(found.probe.query, LONG)}", ""]
    if has_script:
        lines += ["`repro.py` beside this text asks for it with nothing but the engine:", ""]
        lines += [fenced("\n".join(repro.run_with(one.engine, one.version))), ""]
    lines += ["## Expected", "", _expected(found), ""]
    lines += [f"Specification: {code(found.clause, LONG)}", ""] if found.clause else []
    lines += ["## Actual", "", _actual(found, row), ""]
    others = sorted({_label(other) for other in found.rows if other.verdict in _RIGHT})
    lines += [f"As expected with: {', '.join(others)}.", ""] if others else []
    return "\n".join(lines)


def _label(row: Any) -> str:
    return plain(f"{row.engine} {row.version}" + (f" ({row.config})" if row.config else ""))


_RIGHT = ("agree", "equivalent", "refused_as_expected")


def _expected(found: Found) -> str:
    one = found.finding
    if one.verdict == "accepted_invalid":
        return "A clean error: the file is not valid."
    if one.verdict == made.VERDICT:
        return "A file that keeps the rule."
    if one.difference:
        return f"{code(one.difference['path'])}: {code(one.difference['expected'])}"
    if one.verdict in {"refused_valid", "unsupported"}:
        return "The values of the file, which is valid."
    return "An answer or a clean error, in time and memory in proportion to the file."


def _actual(found: Found, row: Any) -> str:
    one = found.finding
    if one.difference:
        return f"{code(one.difference['path'])}: {code(one.difference['actual'])}"
    if one.verdict == "accepted_invalid":
        return "The file is read without an error."
    if one.verdict == made.VERDICT:
        return f"The file, written by {one.engine}, breaks it: {code(one.error, LONG)}"
    if row and row.detail["signal"] is not None:
        return f"The process dies by signal {row.detail['signal']}."
    if one.error:
        return fenced(one.error)
    peak = f", {row.peak_rss_bytes >> 20} MB of memory" if row else ""
    return f"{plain(one.verdict.replace('_', ' '))}: {row.seconds if row else 0:.1f} s{peak}."
