"""Evidence about a file besides the answers: broken MUSTs, and clauses that decide.

The validator runs only where the reference came to an end with the file, within the limits of its process:
then validation, which decodes the same bytes under the same limits, comes to an end too.
"""

from __future__ import annotations

import mmap
import re
from typing import NamedTuple

from corpora import rules
from corpora.build import silences
from corpora.build.formats import FORMATS, ORC, PARQUET
from corpora.cases import Case
from corpora.tagged import Table
from harness.children.outcomes import Outcome, OutcomeKind
from harness.judging.blame import ANNOTATIONS, MISLEADING, PLACES, is_misleading
from harness.judging.clauses import Clause, clauses_of
from reference_impl.errors import ReferenceError_
from reference_impl.validation import Report

_ENDED = {OutcomeKind.TABLE, OutcomeKind.REFUSED, OutcomeKind.UNSUPPORTED}
_MUST = "MUST"
# The step of a leaf in the path of a violation.
_LEAF = {
    PARQUET.name: re.compile("column (.*)", re.DOTALL),
    ORC.name: re.compile(r"column \d+ \((.*)\)", re.DOTALL),
}


class Evidence(NamedTuple):
    """The evidence about a file besides the engines' results.

    `broken` are the ids of the MUSTs that it breaks, `repeated` those of them that excuse no refusal, which
    are not among `broken`, `lapses` other broken rules that a reader of all rows meets, `clauses` those that
    define its values. `silence` is why a reader may refuse the file although it is legal, `undecided` why any
    result is right after the rules that it breaks; "" if the specification decides. `writer` is the software
    that the file names as its writer, if it can be opened. `misleading` are the names of the top-level
    columns with false statistics, indexes or filters, None where they are not known, `misannotated` those
    whose ConvertedType is not that of the LogicalType.
    """

    broken: tuple[str, ...] = ()
    clauses: tuple[Clause, ...] = ()
    lapses: tuple[str, ...] = ()
    silence: str = ""
    undecided: str = ""
    writer: str = ""
    misleading: frozenset[str] | None = None
    misannotated: frozenset[str] = frozenset()
    repeated: tuple[str, ...] = ()

    @property
    def breach(self) -> list[str]:
        """Return all MUSTs that the file breaks, those that excuse no refusal last."""
        return [*self.broken, *self.repeated]


NOTHING = Evidence()


def evidence_of(case: Case, reference: Outcome) -> Evidence:
    """Return the evidence about a case; `reference` is the outcome of reading it with the reference."""
    report, clauses, silence, writer = _examined(case) if reference.kind in _ENDED else (Report(), (), "", "")
    broken = tuple(dict.fromkeys(violation.rule for violation in report.violations))
    musts = tuple(rule for rule in broken if level_of(rule) == _MUST)
    if case.read is not None:  # of a folder: why a reader may refuse to read it so
        silence = case.expectation.reason or ""
    if reference.table is not None:
        silence = silence or silences.far_moments(reference.table)
    return Evidence(
        tuple(rule for rule in musts if rule not in silences.REPEATED),
        clauses,
        tuple(rule for rule in broken if rule not in musts and rule in silences.MET),
        silence,
        silences.undecided(broken),
        writer,
        None if reference.table is None else _misleading(report, reference.table, case.format),
        frozenset(each.path[1] for each in report.violations if each.rule in ANNOTATIONS),
        tuple(rule for rule in musts if rule in silences.REPEATED),
    )


def _misleading(report: Report, table: Table, format_: str) -> frozenset[str] | None:
    """Return the names of the columns that a report finds false metadata of; None if it does not say of all.

    By where a column's pages or positions are, a filter of another column returns other values of it: None.

    A leaf is named by its path, in which a name may have a dot, too: so all columns count that it may be of.
    """
    if any(map(_is_misleading, report.suppressed)) or any(each.rule in PLACES for each in report.violations):
        return None
    names: set[str] = set()
    for violation in report.violations:
        if _is_misleading(violation.rule):
            leaves = [leaf.group(1) for step in violation.path if (leaf := _LEAF[format_].fullmatch(step))]
            columns = {
                column.name
                for column in table.columns
                if any(f"{leaf}.".startswith(f"{column.name}.") for leaf in leaves)
            }
            if not columns:
                return None
            names |= columns
    return frozenset(names)


def _is_misleading(rule: str) -> bool:
    return is_misleading(rule) and (level_of(rule) == _MUST or rule in MISLEADING)


def level_of(rule: str) -> str:
    """Return the level of a rule; an unlisted rule counts as a MUST."""
    return rules.load()[rule].level if rule in rules.load() else _MUST


def clause_of(rule: str) -> str | None:
    """Return the clause of a rule, None for an unlisted one."""
    return rules.load()[rule].clause if rule in rules.load() else None


def _examined(case: Case) -> tuple[Report, tuple[Clause, ...], str, str]:
    """Return all that a file breaks, the clauses that decide, why a reader may refuse it, its writer.

    Of a file that cannot be opened, nothing.
    """
    format_ = FORMATS[case.format]
    try:
        with case.file.open("rb") as file:
            # Not closed here: it closes with the last view of it, which an error may still hold.
            size = file.seek(0, 2)
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
    except OSError:  # a folder of files, or a file that is gone
        return Report(), (), "", ""
    report = format_.examine(data, case.keys)
    rules_broken = tuple(dict.fromkeys(violation.rule for violation in report.violations))
    try:
        opened = format_.file(data, case.keys)
        clauses = tuple(clauses_of(opened, rules_broken))
        return report, clauses, silences.may_refuse(opened), format_.writer(opened)
    except ReferenceError_:  # broken, and `validate` has said so
        return report, (), "", ""
