"""`FINDINGS.md`, rendered from the entries of `corpora/known` that are confirmed findings."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from corpora.cases import CaseError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from corpora.known_failures import Entry

_HEAD = """# Findings

What current readers do otherwise than the specifications of Parquet and ORC say, as colconf found and
confirmed it.
Rendered from `corpora/known` by `colconf corpus findings --write FINDINGS.md`; do not edit. For each finding
our writer, our reference, the adapter, and a documented mapping were ruled out: the script shows it without
colconf, run from the project's folder.

To see one again: run the script, or `colconf run --files corpora/parquet --files corpora/orc --engine
ENGINE`, which reports it as a known failure.
"""


def findings(entries: Iterable[Entry]) -> list[tuple[str, list[Entry]]]:
    """Return the entries of each finding, by engine and name; raises CaseError if the first lacks a field."""
    told = sorted((entry for entry in entries if entry.finding), key=lambda one: (one.engine, one.finding))
    grouped = [(name, list(group)) for name, group in groupby(told, key=lambda one: one.finding)]
    for name, group in grouped:
        first = group[0]
        lacking = [field for field in ("symptom", "clause", "repro") if not getattr(first, field)]
        if lacking:
            raise CaseError(f"{first}: finding {name} lacks {', '.join(lacking)}")
    return grouped


def render(entries: Iterable[Entry]) -> str:
    """Return the page; raises CaseError."""
    found = findings(entries)
    lines = [_HEAD, "| engine | finding | versions | clause | upstream |", "|---|---|---|---|---|"]
    for name, group in found:
        first = group[0]
        link = f"[known]({first.url})" if first.url else "not known to us"
        lines.append(
            f"| {first.engine} | [{name}](#{name}) | {first.versions or 'all'} | {first.clause} | {link} |"
        )
    for name, group in found:
        lines += ["", *_section(name, group)]
    return "\n".join(lines) + "\n"


def _section(name: str, group: Sequence[Entry]) -> Iterable[str]:
    first = group[0]
    yield f"## {name}"
    yield ""
    yield f"**{first.engine}** {first.versions or '(all versions)'}: {first.symptom}"
    yield ""
    yield f"* clause: {first.clause}"
    configs = sorted({", ".join(f"{key}={value}" for key, value in one.config.items()) for one in group})
    if any(configs):
        yield f"* configurations: {'; '.join(config or 'all' for config in configs)}"
    yield f"* verdict: `{first.verdict}`; {first.reason}"
    cases = dict.fromkeys(
        one.case for one in group if not (one.signature and one.case.startswith("generated/"))
    )
    yield f"* case: {', '.join(f'`{case}`' for case in cases)}"
    if first.url:
        yield f"* upstream: {first.url}"
    yield ""
    yield "```python"
    yield first.repro.strip()
    yield "```"
