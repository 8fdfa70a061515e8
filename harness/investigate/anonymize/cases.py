"""A case with other names and values, and whether it shows what the old one did."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from corpora.cases import Case, Expectation, Probe
from corpora.files import write_whole
from harness.engines.reference.adapter import Reference
from harness.investigate.anonymize import orc, orc_queries, parquet, queries
from harness.investigate.findings.rejudge import rejudge
from reference_impl.errors import ReferenceError_
from reference_impl.orc.anatomy import dissect as dissect_orc
from reference_impl.parquet.anatomy import dissect, nodes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from random import Random

    from corpora.queries import Query
    from harness.children.connection import Limits


@dataclass(frozen=True)
class Proof:
    """Signatures of what engines do wrong with the old file: those that the new one shows, and the others."""

    kept: frozenset[str]
    lost: frozenset[str]

    @property
    def holds(self) -> bool:
        """Return whether the new file shows all that the old one does."""
        return not self.lost


def anonymized(case: Case, out: Path, random: Random) -> Case:
    """Write the case's file with other names and values; answer it as a case, asked the same.

    Raises Unsupported, in one line, for what is not anonymized, Malformed, and OSError.
    """
    data = case.file.read_bytes()
    made, asked = (_orc if case.format == "orc" else _parquet)(
        data, random, [one.query for one in case.probes]
    )
    write_whole(out, made)
    probes = tuple(
        Probe(query, probe.rows, probe.misled) for query, probe in zip(asked, case.probes, strict=True)
    )
    digest = hashlib.sha256(made).hexdigest()
    return replace(
        case,
        id=f"files/anonymized-{digest[:12]}",
        file=out,
        sha256=digest,
        expectation=_expectation(case, out),
        probes=probes,
        notes="",
    )


def _parquet(data: bytes, random: Random, asked: list[Query]) -> tuple[bytes, list[Query]]:
    wanted = queries.wanted(asked, nodes(dissect(data))) if asked else {}
    made, names = parquet.anonymize(data, random, wanted)
    return made, [queries.renamed(query, names) for query in asked]


def _orc(data: bytes, random: Random, asked: list[Query]) -> tuple[bytes, list[Query]]:
    wanted = {}
    if asked:
        footer = dissect_orc(data).tail
        wanted = orc_queries.wanted(asked, dict(zip(orc.paths(footer), footer.types, strict=True)))
    made, names = orc.anonymize(data, random, wanted)
    return made, [orc_queries.renamed(query, names) for query in asked]


def _expectation(case: Case, file: Path) -> Expectation:
    """Return what the new file must mean: what the reference reads, or the rule that the old one breaks."""
    old = case.expectation
    if old.kind == "refuse" or (old.table is None and old.source != "vote"):
        return old
    try:
        table = Reference().read(str(file), case.format, {})
    except ReferenceError_:
        return Expectation.by_vote() if old.kind == "accept" else replace(old, table=None)
    source = "generator" if old.source == "vote" else old.source
    return replace(old, table=table, source=source, votes=None)


def prove(old: Case, new: Case, engines: Sequence[str], limits: Limits, signature: str = "") -> Proof:
    """Ask engines about both; `signature`: only that finding counts. Raises CannotAsk."""
    before, after = (
        frozenset(one.signature for one in rejudge(case, engines, limits).findings) for case in (old, new)
    )
    meant = frozenset(one for one in before if not signature or one == signature)
    return Proof(meant & after, meant - after)
