"""The heading of a finding's script: what was seen, its clause, and the command that shows it again."""

from __future__ import annotations

from collections.abc import Sequence

from corpora.build.formats import FORMATS
from harness.engines.naming import EngineName
from harness.engines.registry import ENGINES
from harness.environments import store
from harness.environments.availability import installed, status_of
from harness.investigate.findings.collect import Evidence
from harness.judging.odds import MISSED
from harness.judging.rows import ROWS
from harness.judging.wording import in_words
from harness.listings.text import quoted

NAME = "repro.py"


def head(evidence: Evidence) -> list[str]:
    """Return the first lines: the finding, its clause, and how to run the script."""
    finding, row = evidence.finding, evidence.row
    lines = [f"{title(evidence)}", ""]
    if evidence.clause:
        lines.append(f"Clause: {evidence.clause}")
    if evidence.probe:
        lines.append(f"Query: {evidence.probe.query}")
    if finding.config:
        lines.append(f"Configuration: {finding.config}")
    if finding.difference:
        path, kind, *values = (finding.difference[name] for name in ("path", "kind", "expected", "actual"))
        lines.append(f"Seen at {path}: {in_words(finding.verdict, kind, *values)}")
    elif finding.error:
        lines.append(f"Seen: {finding.error}")
    elif row and row.detail.signal is not None:
        lines.append(f"Seen: ended by signal {row.detail.signal}")
    if finding.share.tries > 1:
        tries = f"{finding.share.tries} runs miss it in less than {MISSED:.0%}"
        lines.append(f"It showed in {finding.share}: {tries}")
    return [
        *lines,
        "",
        *run_with(finding.engine, finding.version),
        "Exit status: 1 if the finding shows, 0 if it does not, 2 on any other error",
    ]


def title(evidence: Evidence) -> str:
    """Return the title of a finding."""
    finding = evidence.finding
    if evidence.entry and evidence.entry.symptom:
        return f"{finding.engine} {finding.version}: {evidence.entry.symptom}"
    what = {
        "different": _differing(finding.difference or {}),
        "refused_valid": "refuses a valid file",
        "accepted_invalid": "reads a file that the specification forbids",
        "unsupported": "does not support a file",
        "crashed": "dies",
        "panicked": "fails in its own code",
        "hung": "does not come to an end",
        "out_of_memory": "takes all memory",
        "amplified": "takes time or memory out of proportion to the file",
        "unstable": "answers one thing, then another",
        "inconsistent": "reads a file differently in another documented way",
        "wrote_invalid": "writes a file that the specification forbids",
        "wrote_other": "writes other values than it was given",
    }.get(finding.verdict, finding.verdict)
    name = FORMATS[evidence.case.format].title
    query = f" asked for {evidence.probe.query}" if evidence.probe else ""
    return f"{finding.engine} {finding.version} {what} ({name}: {evidence.case.id}){query}"


def _differing(difference: dict[str, str]) -> str:
    """Return in words what a wrong answer has otherwise than the file."""
    if difference.get("kind") == "type":
        return "reads a column as another type"
    if difference.get("path") in ROWS or difference.get("kind") == "rows":
        return "returns other rows than the right ones"
    if difference.get("kind") == "columns":
        return "returns other columns than the right ones"
    return "reads other values than are in the file"


def run_with(engine: str, version: str, script: str = NAME) -> list[str]:
    """Return the command that runs a script, with the versions of the packages that were used here."""
    if engine in ENGINES and ENGINES[engine].foreign is not None:
        return [
            f"python {script}",
            f"python {script} COMMAND ARGUMENT ... (if the engine is started otherwise there)",
        ]
    pins, python = environment(engine, version)
    pinned = (quoted(f"{name}=={number}" if number else name) for name, number in pins)
    given = " ".join(f"--with {pin}" for pin in pinned)
    wanted = f" --python {quoted(python)}" if python else ""
    return [f"uv run --no-project{wanted} {given} python {script}"]


def environment(engine: str, version: str) -> tuple[Sequence[tuple[str, str]], str]:
    """Return the packages of an engine's environment with their versions ("": unknown), and its Python's."""
    entry = ENGINES.get(engine)
    if entry is None or not entry.packages:  # a manifest does not say what it needs by version
        return [(engine, version)], ""
    status = status_of(EngineName(engine, version or None))
    if status.launch.apart:
        held = store.find(entry, version)
        if held:
            python = ".".join(held.python.split(".")[:2])
            # All of them: pyarrow before 16.1, for one, does not start with the numpy of today.
            names = [*entry.packages, *sorted(held.packages.keys() - set(entry.packages))]
            return [(name, held.packages.get(name, "")) for name in names], python
    first, *others = entry.packages
    return [(first, version), *((name, installed(name) if status.available else "") for name in others)], ""
