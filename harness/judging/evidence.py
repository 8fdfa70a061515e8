"""What the specification says about a file beside the answers: broken MUSTs, and clauses that decide.

The validator runs only where the reference came to an end with the file, within the limits of its process:
then validation, which decodes the same bytes under the same limits, comes to an end too.
"""

from __future__ import annotations

import mmap
from collections.abc import Collection
from typing import NamedTuple

from corpora import rules
from corpora.build.formats import FORMATS
from corpora.cases import Case
from harness.children.outcomes import Outcome, OutcomeKind

# Where a file has the feature, or breaks the SHOULD, a clause says how its values are read; some
# readers read otherwise.
CLAUSES = {
    "parquet/encoding/bit-packed": "Encodings.md#BITPACKED (PQ-BITPACKED-001): levels are packed from the"
    " most significant bit to the least",
    "parquet/encoding/delta-binary-packed": "Encodings.md#DELTAENC (PQ-DBP-006): sums wrap around in 2's"
    " complement",
    "parquet/nesting/repeated": "LogicalTypes.md, Lists: a repeated field without LIST is a required list of"
    " required elements",
    "ORC-RLE1-003": "ORCv1.md, Integer Run Length Encoding, version 1 (ORC-RLE1-003): values wrap around",
    "ORC-RLE2-010": "ORCv1.md, Integer Run Length Encoding, version 2 (ORC-RLE2-010): values wrap around",
}
_ENDED = {OutcomeKind.TABLE, OutcomeKind.REFUSED, OutcomeKind.UNSUPPORTED}
_MUST = "MUST"


class Evidence(NamedTuple):
    """The MUSTs that a file breaks, by id, and the clauses by which its values are read."""

    broken: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()


NOTHING = Evidence()


def evidence_of(case: Case, reference: Outcome, features: Collection[str]) -> Evidence:
    """Return the evidence about a case; `reference` is the outcome of reading it with the reference."""
    broken = _broken(case) if reference.kind in _ENDED else ()
    clauses = tuple(clause for key, clause in CLAUSES.items() if key in features or key in broken)
    return Evidence(tuple(rule for rule in broken if level_of(rule) == _MUST), clauses)


def level_of(rule: str) -> str:
    """Return the level of a rule; an unlisted rule counts as a MUST."""
    return rules.load()[rule].level if rule in rules.load() else _MUST


def clause_of(rule: str) -> str | None:
    """Return the clause of a rule, None for an unlisted one."""
    return rules.load()[rule].clause if rule in rules.load() else None


def _broken(case: Case) -> tuple[str, ...]:
    """Return all rules that a file breaks, of any level; none of a file that cannot be opened."""
    try:
        with case.file.open("rb") as file:
            # Not closed here: it closes with the last view of it, which an error may still hold.
            size = file.seek(0, 2)
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
            report = FORMATS[case.format].examine(data, case.keys)
    except OSError:  # a folder of files, or a file that is gone
        return ()
    return tuple(dict.fromkeys(violation.rule for violation in report.violations))
