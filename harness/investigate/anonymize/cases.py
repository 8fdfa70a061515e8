"""A case with other names and values, and whether it shows the same findings."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from corpora.build.formats import ORC, PARQUET
from corpora.cases import Case, Expectation, Probe
from corpora.files import write_whole
from corpora.queries import Query
from harness.children.connection import Limits
from harness.engines.reference.adapter import Reference
from harness.investigate.anonymize import orc, orc_queries, parquet, queries, tables
from harness.investigate.findings.rejudge import rejudge
from harness.judging.judge import expectation_by_reference
from reference_impl.errors import ReferenceError_
from reference_impl.orc.anatomy import dissect as dissect_orc
from reference_impl.parquet.anatomy import dissect, nodes


@dataclass(frozen=True)
class Proof:
    """The signatures of findings of the old file: those that the new file shows, and the others."""

    remaining: frozenset[str]
    lost: frozenset[str]

    @property
    def holds(self) -> bool:
        """Return whether the new file shows all findings of the old one."""
        return not self.lost


def anonymized(cases: Sequence[Case], out: Path, random: Random) -> list[Case]:
    """Write the file of a case, or the folder that cases read, with other names and values.

    Returns cases of it, with the same queries and reads. Raises Unsupported, with a line, for parts that are
    not anonymized, Malformed, and OSError.
    """
    if cases[0].read is None:
        (case,) = cases
        return [_file(case, out, random)]
    table = tables.anonymized(cases, out, random)
    return [table.case(case) for case in cases]


def _file(case: Case, out: Path, random: Random) -> Case:
    data = case.file.read_bytes()
    content, new_queries = _ANONYMIZE[case.format](data, random, [each.query for each in case.probes])
    write_whole(out, content)
    probes = tuple(
        Probe(query, probe.rows, probe.misled) for query, probe in zip(new_queries, case.probes, strict=True)
    )
    digest = hashlib.sha256(content).hexdigest()
    return replace(
        case,
        id=f"files/anonymized-{digest[:12]}",
        file=out,
        sha256=digest,
        expectation=_expectation(case, out),
        probes=probes,
        notes="",
    )


def _parquet(data: bytes, random: Random, requested: list[Query]) -> tuple[bytes, list[Query]]:
    wanted = queries.wanted(requested, nodes(dissect(data))) if requested else {}
    content, names = parquet.anonymize(data, random, wanted)
    return content, [queries.renamed(query, names, queries.other) for query in requested]


def _orc(data: bytes, random: Random, requested: list[Query]) -> tuple[bytes, list[Query]]:
    wanted = {}
    if requested:
        footer = dissect_orc(data).tail
        wanted = orc_queries.wanted(requested, dict(zip(orc.paths(footer), footer.types, strict=True)))
    content, names = orc.anonymize(data, random, wanted)
    return content, [queries.renamed(query, names, orc_queries.other) for query in requested]


_ANONYMIZE = {PARQUET.name: _parquet, ORC.name: _orc}


def _expectation(case: Case, file: Path) -> Expectation:
    """Return the expectation for the new file: the reference's table, or the rule that the old one breaks."""
    old = case.expectation
    if old.kind == "refuse" or (old.table is None and old.source != "vote"):
        return old
    try:
        table = Reference().read(str(file), case.format, {})
    except ReferenceError_:
        return Expectation.by_vote() if old.kind == "accept" else replace(old, table=None)
    source = "generator" if old.source == "vote" else old.source
    return replace(old, table=table, source=source, votes=None)


def prove(
    pairs: Sequence[tuple[Case, Case]], engines: Sequence[str], limits: Limits, signature: str = ""
) -> Proof:
    """Have engines read the old and the new file of each pair; with `signature`, only that finding counts.

    Raises CannotAsk.
    """
    before, after = (
        frozenset(
            finding.signature
            for pair in pairs
            for finding in rejudge(pair[which], engines, limits, decide=expectation_by_reference).findings
        )
        for which in (0, 1)
    )
    meant = frozenset(known for known in before if signature in {"", known})
    return Proof(meant & after, meant - after)
