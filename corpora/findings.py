"""`FINDINGS.md`, rendered from the entries of `corpora/known` that are confirmed findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import groupby
from operator import attrgetter

from corpora.cases import CaseError
from corpora.known_failures import GENERATED, WRITTEN, Entry

_HEAD = """# Findings

Deviations of current readers and writers from the specifications of Parquet and ORC that colconf found and
confirmed. `colconf corpus findings --write FINDINGS.md` renders this page from `corpora/known`; do not edit
it. For each finding, colconf's writer, its reference reader, its adapter, and documented mappings were ruled
out as causes. Each script reproduces its finding without colconf; run it from the project's folder.

To reproduce a finding, run its script, or, for a finding of a reader, run `colconf run --files
corpora/parquet corpora/orc --tables corpora/evolved --engine ENGINE`, which reports it as a known failure.
"""


_BELOW_SPARK = {"parquet": "parquet_java", "orc": "orc_java"}
_BELOW_HEAD = """
## Spark's findings: is the bug in Spark, or in its library?

`parquet_java` and `orc_java` use the jars that PySpark ships, without Spark SQL. If they show a finding, too,
the bug is in the library. If they show no failure, they read and filter these cases correctly, or do not
support that kind of query ([engines](docs/engines.md)): the cause is in Spark.

| finding of Spark | parquet-java or ORC Java alone |
|---|---|"""


def findings(entries: Iterable[Entry]) -> list[tuple[str, list[Entry]]]:
    """Return the findings with their entries, sorted; raises CaseError for a first entry without a field."""
    ordered = sorted((entry for entry in entries if entry.finding), key=attrgetter("engine", "finding"))
    grouped = [(name, list(group)) for name, group in groupby(ordered, key=attrgetter("finding"))]
    for name, group in grouped:
        first = group[0]
        lacking = [field for field in ("symptom", "clause", "repro") if not getattr(first, field)]
        if lacking:
            raise CaseError(f"{first}: finding {name} lacks {', '.join(lacking)}")
    return grouped


def render(entries: Iterable[Entry]) -> str:
    """Return the page; raises CaseError."""
    entries = list(entries)
    groups = findings(entries)
    lines = [_HEAD, "| engine | finding | versions | clause | upstream |", "|---|---|---|---|---|"]
    for name, group in groups:
        first = group[0]
        link = f"[known]({first.url})" if first.url else "none known"
        lines.append(
            f"| {first.engine} | [{name}](#{name}) | {first.versions or 'all'} | {first.clause} | {link} |"
        )
    lines += [_BELOW_HEAD, *_below_spark(groups, entries)]
    for name, group in groups:
        lines += ["", *_section(name, group)]
    return "\n".join(lines) + "\n"


def _below_spark(groups: Iterable[tuple[str, list[Entry]]], entries: Sequence[Entry]) -> Iterator[str]:
    """Yield a row per finding of Spark: the failures that its library shows by itself for the same cases."""
    for name, group in groups:
        if group[0].engine == "spark":
            yield f"| [{name}](#{name}) | {_alone([entry.case for entry in group], entries)} |"


def _alone(cases: Sequence[str], entries: Sequence[Entry]) -> str:
    if all(case.startswith(WRITTEN) for case in cases):
        return "not asked: they do not write"
    if all(case.startswith("evolved/") for case in cases):
        return "not asked: they do not read folders"
    if all(case.startswith("parquet/encryption/") for case in cases):
        return "not asked: they are given no keys"
    engine = _BELOW_SPARK["orc" if any(case.startswith("orc/") for case in cases) else "parquet"]
    verdicts = {entry.verdict for entry in entries if entry.engine == engine and _meet(entry.case, cases)}
    if not verdicts:
        return f"no failure of `{engine}`"
    return f"`{engine}` as well: {', '.join(f'`{verdict}`' for verdict in sorted(verdicts))}"


def _meet(case: str, cases: Iterable[str]) -> bool:
    return any(fnmatchcase(other, case) or fnmatchcase(case, other) for other in cases)


def _section(name: str, group: Sequence[Entry]) -> Iterable[str]:
    first = group[0]
    yield f"## {name}"
    yield ""
    yield f"**{first.engine}** {first.versions or '(all versions)'}: {first.symptom}"
    yield ""
    yield f"* clause: {first.clause}"
    configs = sorted({", ".join(f"{key}={value}" for key, value in entry.config.items()) for entry in group})
    if any(configs):
        yield f"* configurations: {'; '.join(config or 'all' for config in configs)}"
    yield f"* verdict: `{first.verdict}`; {first.reason}"
    cases = dict.fromkeys(
        entry.case for entry in group if not (entry.signature and entry.case.startswith(GENERATED))
    )
    yield f"* case: {', '.join(f'`{case}`' for case in cases)}"
    if first.url:
        yield f"* upstream: {first.url}"
    yield ""
    yield f"```{first.language}"
    yield first.repro.strip()
    yield "```"
