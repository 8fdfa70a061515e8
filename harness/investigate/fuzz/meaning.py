"""The expectation of a mutated file: the reference's table, or the rule that reference and validator name.

No reader is blamed without a clause:

* `refuse` only where the reference refuses, and the validator names a MUST that the file breaks, whose fault
  in the corpora is one that a reader must notice;
* a table only where no MUST is broken, or where the broken rules concern metadata beside the rows, or do not
  stop decoding;
* otherwise `either`: any answer is right, if it is an answer, twice the same, at a fair cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import corpora
from corpora import rules
from corpora.build.formats import FORMATS
from corpora.cases import CaseError, Expectation, load
from corpora.keys import Keys
from harness.children.outcomes import Outcome, OutcomeKind
from properties.fuzz.bounds import limits
from reference_impl.errors import ReferenceError_, rule_of
from reference_impl.orc.noted import NOTED as NOTED_OF_ORC
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.noted import NOTED
from reference_impl.parquet.schema import ConvertedType

LARGE = "Large"
_DEEP = 24
_BESIDE = (
    *("PQ-INDEX-", "PQ-BLOOM-", "PQ-STATS-", "PQ-SIZE-", "PQ-GEO-"),
    *("ORC-INDEX-", "ORC-BLOOM-", "ORC-STATS-"),
)

_READ_OVER = {*NOTED, *NOTED_OF_ORC}


def is_large(outcome: Outcome) -> bool:
    """Return whether the reference found a file valid, with too many values to be sent."""
    return outcome.detail.error_class.rpartition(".")[2] == LARGE


def is_open(outcome: Outcome) -> bool:
    """Return whether the reference could not bound the contents of the file: a hang may be a long read."""
    return outcome.kind in {OutcomeKind.LIMITED, OutcomeKind.OUT_OF_MEMORY}


class Broken(NamedTuple):
    """The rules that a file breaks, in the order of their violations: MUSTs, and others."""

    musts: list[str]
    others: list[str]


def broken(data: bytes, format_: str, keys: Keys | None = None) -> Broken:
    """Return the rules that a file breaks."""
    report = FORMATS[format_].examine(data, keys, limits(data))
    known = rules.load()
    names = list(dict.fromkeys(violation.rule for violation in report.violations))
    musts = [name for name in names if known[name].level == "MUST"]
    return Broken(musts, [name for name in names if name not in musts])


def expected(outcome: Outcome, musts: Sequence[str], format_: str) -> Expectation:
    """Return the expectation of a file, given the reference's outcome, and the MUSTs that the file breaks."""
    names = ", ".join(musts[:3])
    if outcome.table is not None:
        if not musts:
            return Expectation.accept(outcome.table, "vote")
        beside = all(rule.startswith(_BESIDE) or rule in _READ_OVER for rule in musts)
        why = f"breaks {names}, and can still be read"
        either = Expectation.either(why, table=outcome.table if beside else None, source="vote")
        # A reader that skips rows by false metadata is not blamed.
        return replace(either, breach=" ".join(musts))
    if outcome.kind is not OutcomeKind.REFUSED:
        return Expectation.either("the reference could not read all of it", source="vote")
    rule = rule_of(outcome.detail.message)
    if rule not in musts:
        rule = next(iter(musts), None)
    if rule is None:
        return Expectation.either("no MUST that the file breaks is named", source="vote")
    lenient = _lenience(rule, format_)
    if lenient is None:
        return Expectation.refuse(
            rule=rule, clause=rules.load()[rule].clause, reason=outcome.detail.message[:500]
        )
    return Expectation.either(f"breaks {names}: {lenient}", source="vote")


def lenience(data: bytes, format_: str, keys: Keys | None = None) -> str:
    """Return why a reader may refuse a valid file, "" if no reason is known.

    No clause states what a reader does with an unknown converted type, or how deep types may be.
    """
    try:
        file = FORMATS[format_].file(data, keys, limits(data))
    except ReferenceError_:
        return ""
    if not isinstance(file, ParquetFile):
        return ""
    if any(element.converted_type not in {None, *ConvertedType} for element in file.metadata.schema):
        return "an unknown converted type"
    return "deeper types than readers expect" if any(len(leaf.path) > _DEEP for leaf in file.leaves) else ""


def lenient(expectation: Expectation, why: str) -> Expectation:
    """Return an expectation that also allows a refusal; an answer must still be right."""
    if expectation.kind != "accept":
        return expectation
    return Expectation.either(why, table=expectation.table, source="vote")


@cache
def _lenience(rule: str, format_: str) -> str | None:
    """Return why a reader may accept a file that breaks a rule, by the corpora; None if it must not."""
    folder = Path(corpora.__path__[0], format_, "fault", rule.lower())
    for path in sorted(folder.glob("*.json")):
        if not path.name.startswith("near-"):
            try:
                expectation = load(path).expectation
            except CaseError:
                break
            return None if expectation.kind == "refuse" else expectation.reason or "a reader may accept it"
    return "no case in the corpora says that a reader must notice it"
