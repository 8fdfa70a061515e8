"""How a file, or a query, fared under two versions of an engine: a closed set of classes, and who is right.

The judge holds each outcome against what the file must mean; this module holds them against each other. Both
are needed: a difference may be a mend as well as a regression, and a difference of which neither side breaks
anything still changes what a user's job answers.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from harness.children.outcomes import OutcomeKind
from harness.judging.compare import TablePath, compare
from harness.judging.rows import misplaced
from harness.judging.signature import CAUSE, normalised
from harness.judging.verdicts import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable

    from corpora.tagged import Table
    from harness.children.outcomes import Outcome
    from harness.judging.compare import Difference

ORDERED_ROWS = 100_000  # a table of more rows is not looked through for the same rows in another order
_NULL = "null"
_CONDITION = re.compile(r"\[([A-Z][A-Z0-9_]+(?:\.[A-Z0-9_]+)*)\]")  # Spark's error conditions
_QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"|'[^']*'|“[^”]*”")
_TEXT = 120


class Class(StrEnum):
    """The closed set of classes of a difference, the gravest first."""

    DIES = "dies"  # the new version crashes, hangs or runs out of memory, the old one does not
    REFUSES = "refuses"  # the new version refuses, or lacks, what the old one read or wrote
    VALUE = "value"  # another value in a cell
    NULLS = "nulls"  # a value where there was a null, or a null where there was a value
    ROWS = "rows"  # more rows, or fewer
    PUSHDOWN = "pushdown"  # other rows, and the same ones without pushdown
    ORDER = "order"  # the same rows in another order
    SCHEMA = "schema"  # other columns, another order of columns, other types
    RULES = "rules"  # a written file breaks other rules of the specification
    CODEC = "codec"  # of a written file
    ENCODING = "encoding"  # of a written file
    STATISTICS = "statistics"  # of a written file: bounds, counts, indexes, Bloom filters
    LAYOUT = "layout"  # of a written file: schema, pages, row groups or stripes
    SPEED = "speed"  # slower, or faster, beyond noise
    ACCEPTS = "accepts"  # the new version reads or writes what the old one refused, or lacked
    LIVES = "lives"  # the old version crashed, hung or ran out of memory, the new one does not
    ERROR = "error class"  # both refuse, by another class of error
    MESSAGE = "message"  # both refuse, in other words


MEANINGS = {
    Class.DIES: "the new version crashes, hangs or runs out of memory",
    Class.REFUSES: "the new version refuses what the old one took",
    Class.VALUE: "another value",
    Class.NULLS: "null on one side only",
    Class.ROWS: "another number of rows",
    Class.PUSHDOWN: "other rows with pushdown, the same without",
    Class.ORDER: "the same rows in another order",
    Class.SCHEMA: "other columns or types",
    Class.RULES: "written files break other rules of the specification",
    Class.CODEC: "written with another codec",
    Class.ENCODING: "written in other encodings",
    Class.STATISTICS: "written with other statistics or indexes",
    Class.LAYOUT: "written with another schema or layout",
    Class.SPEED: "slower or faster beyond noise",
    Class.ACCEPTS: "the new version takes what the old one refused",
    Class.LIVES: "the old version crashed, hung or ran out of memory",
    Class.ERROR: "both refuse, by another error",
    Class.MESSAGE: "both refuse, in other words",
}


class Right(StrEnum):
    """Who is right, by what the file must mean."""

    REGRESSED = "regressed"  # the old version was right, the new one is not
    BOTH_WRONG = "both wrong"
    BOTH_RIGHT = "both allowed"  # the expectation, or a documented mapping, allows both answers
    UNSPECIFIED = "unspecified"  # nothing says what is right
    IMPROVED = "improved"


_LOST = frozenset({OutcomeKind.CRASHED, OutcomeKind.HUNG, OutcomeKind.OUT_OF_MEMORY, OutcomeKind.MISSPOKE})
_SAID_NO = frozenset({OutcomeKind.REFUSED, OutcomeKind.UNSUPPORTED})
_GOOD = frozenset({Verdict.AGREE, Verdict.EQUIVALENT, Verdict.REFUSED_AS_EXPECTED})


class Unlike(NamedTuple):
    """A difference of two outcomes: its class, where, what each side has, and what others like it say too.

    `kind` is the kind of `harness.judging.compare.Difference` where tables differ, else "".
    """

    cls: Class
    path: TablePath
    old: str
    new: str
    told: str
    kind: str = ""


def unlike(old: Outcome, new: Outcome) -> Unlike | None:
    """Return how the outcomes of two versions differ, or None.

    Exact, no equivalence is allowed but that of NaN payloads: what each version documents about itself has
    no part in whether they do the same.
    """
    if old.table is not None and new.table is not None:
        return by_values(old.table, new.table)
    told = _said(old), _said(new)
    cls = _of_kinds(old.kind, new.kind)
    if cls is None:
        cls = _of_errors(old, new)
    if cls is None:
        return None
    return Unlike(cls, TablePath(), *told, _gist_of(cls, old, new))


def _of_kinds(old: OutcomeKind, new: OutcomeKind) -> Class | None:
    """Return the class that kinds alone decide; None where errors decide."""
    if old in _LOST or new in _LOST:
        if old in _LOST and new in _LOST:
            return None if old is new else Class.ERROR
        return Class.DIES if new in _LOST else Class.LIVES
    if old in _SAID_NO and new in _SAID_NO:
        return None
    if old is new:  # both wrote
        return None
    return Class.REFUSES if new in _SAID_NO else Class.ACCEPTS


def _of_errors(old: Outcome, new: Outcome) -> Class | None:
    if old.kind in _LOST or old.kind is OutcomeKind.TABLE:
        return None
    if old.kind is not new.kind or old.detail.error_class != new.detail.error_class:
        return Class.ERROR
    return None if (gist(old), _around(old)) == (gist(new), _around(new)) else Class.MESSAGE


def by_values(old: Table, new: Table) -> Unlike | None:
    """Return how two tables differ, or None."""
    found = compare(old, new, ()).difference
    if found is None:
        return None
    if found.kind in {"columns", "type"}:
        told = f"{found.expected} as {found.actual}" if found.kind == "type" else _columns(old, new)
        return Unlike(Class.SCHEMA, found.path, found.expected, found.actual, _short(told), found.kind)
    if found.kind == "rows":
        more = "more" if new.num_rows > old.num_rows else "fewer"
        return Unlike(Class.ROWS, found.path, found.expected, found.actual, more, found.kind)
    if same_rows(old, new):
        return Unlike(Class.ORDER, found.path, found.expected, found.actual, "", found.kind)
    return of_cell(found)


def of_cell(found: Difference) -> Unlike:
    """Return the difference of two values."""
    is_null = _NULL in (found.expected, found.actual)
    told = ("became null" if found.actual == _NULL else "was null") if is_null else ""
    cls = Class.NULLS if is_null else Class.VALUE
    return Unlike(cls, found.path, found.expected, found.actual, told, found.kind)


def _columns(old: Table, new: Table) -> str:
    left, right = ([column.name for column in table.columns] for table in (old, new))
    if sorted(left) == sorted(right):
        return "order of columns"
    return f"columns: {len(left)} as {len(right)}" if len(left) != len(right) else "names of columns"


def same_rows(old: Table, new: Table) -> bool:
    """Whether two tables have the same rows, in whatever order; not of larger ones than ORDERED_ROWS."""
    if old.num_rows > ORDERED_ROWS:
        return False
    found = misplaced(old, range(old.num_rows), new, ())
    return found is not None and not (found.lost or found.gained or found.strange)


def who_is_right(old: Verdict, new: Verdict) -> Right:
    """Return who is right, from the verdicts of both.

    That a version says it lacks something is worse than a right answer and better than a wrong one.
    """
    before, after = _rank(old), _rank(new)
    if before != after:
        return Right.IMPROVED if after > before else Right.REGRESSED
    return {2: Right.BOTH_RIGHT, 1: Right.UNSPECIFIED, 0: Right.BOTH_WRONG}[before]


def _rank(verdict: Verdict) -> int:
    if verdict in _GOOD:
        return 2
    return 1 if verdict is Verdict.UNSUPPORTED else 0


def worst_first(classes: Iterable[str]) -> list[str]:
    """Return classes by gravity."""
    order = [str(one) for one in Class]
    return sorted(classes, key=order.index)


def plain(text: str) -> str:
    """Return text that any file can hold on one line: of names in files, anything may be part."""
    return "".join(one if one.isprintable() else repr(one)[1:-1] for one in text)


def gist(outcome: Outcome) -> str:
    """Return what errors of one cause have in common: Spark's condition, or the words without names.

    Of a chain of causes it is the last one that counts.
    """
    conditions = _CONDITION.findall(outcome.detail.message.rpartition(CAUSE)[2])
    if conditions:
        return f"[{conditions[-1]}]"
    return _short(_QUOTED.sub("<q>", normalised(outcome.detail.message)))


def _around(outcome: Outcome) -> str:
    """Return what the cause of an error is wrapped in: the first condition of Spark, or nothing."""
    conditions = _CONDITION.findall(outcome.detail.message.rpartition(CAUSE)[0])
    return f"[{conditions[0]}]" if conditions else "nothing"


def _gist_of(cls: Class, old: Outcome, new: Outcome) -> str:
    if cls in {Class.REFUSES, Class.DIES}:
        return _error(new)
    if cls in {Class.ACCEPTS, Class.LIVES}:
        return _error(old)
    if cls is Class.MESSAGE and gist(old) == gist(new):
        return f"the same error, in {_around(old)} → in {_around(new)}"
    return f"{_error(old)} → {_error(new)}"


def _error(outcome: Outcome) -> str:
    if outcome.kind in _LOST:
        signal = outcome.detail.signal
        return f"{outcome.kind}{f', signal {signal}' if signal is not None else ''}"
    name = outcome.detail.error_class.rpartition(".")[2]
    return _short(": ".join(filter(None, (name, gist(outcome)))))


def _said(outcome: Outcome) -> str:
    if outcome.kind is OutcomeKind.TABLE:
        return "reads it" if outcome.table is not None else "writes it"
    detail = outcome.detail
    return f"{outcome.kind}: " + ": ".join(filter(None, (detail.error_class, detail.message.strip()[:400])))


def _short(text: str) -> str:
    return text if len(text) <= _TEXT else f"{text[:_TEXT]}…"
