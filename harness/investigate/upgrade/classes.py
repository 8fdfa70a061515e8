"""The class of a difference between two versions of an engine, from a closed set, and which version is right.

The judge compares each outcome with the meaning of the file; this module compares the outcomes with each
other. Both are needed: a difference may be an improvement as well as a regression, and a difference between
two allowed outcomes still changes the results of a user's job.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Any, NamedTuple

from corpora.cases import Case
from corpora.tagged import Table
from harness.children.outcomes import LOST, Outcome, OutcomeKind
from harness.engines.spark.errors import CONDITION
from harness.investigate.upgrade.comparable import are_compared
from harness.judging.compare import Difference, TablePath, compare
from harness.judging.root_cause import CAUSE, root_cause
from harness.judging.rows import misplaced
from harness.judging.signature import Signature, normalised
from harness.judging.verdicts import Verdict
from harness.listings.text import whole_words

ORDERED_ROWS = 100_000  # no search for the same rows in another order above this number
_NULL = "null"
_DECIMAL = "decimal("
_QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"|'[^']*'|“[^”]*”")
# The path of a column, which differs between files, and in which task of which stage an error occurred.
_COLUMN = re.compile(r"(?<=column: )\[[^\]]*\]")
_TASK = re.compile(r"^Job aborted due to stage failure: .*?\(TID \d+\) \([^)]*\): ")
_TEXT = 120
_MESSAGE, _WRAPPING = 400, 300  # characters of an error's innermost cause, and of the whole message


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
    """Which version is right, by the meaning of the file."""

    REGRESSED = "regressed"  # the old version was right, the new one is not
    BOTH_WRONG = "both wrong"
    BOTH_RIGHT = "both allowed"  # the expectation, or a documented mapping, allows both answers
    UNSPECIFIED = "unspecified"  # nothing says what is right
    IMPROVED = "improved"


RIGHTS: dict[str, str] = {
    Right.REGRESSED: "the old version was right, the new one is not",
    Right.BOTH_WRONG: "neither version is right",
    Right.UNSPECIFIED: "nothing says what is right",
    Right.BOTH_RIGHT: "the specification, or the engine's documentation, allows what both do",
    Right.IMPROVED: "the new version is right, or says that it lacks support where the old one was wrong",
}
_REFUSALS = frozenset({OutcomeKind.REFUSED, OutcomeKind.UNSUPPORTED, OutcomeKind.PANICKED})
_GOOD = frozenset(
    {
        Verdict.AGREE,
        Verdict.EQUIVALENT,
        Verdict.REFUSED_AS_EXPECTED,
        Verdict.REFUSED_OTHERWISE,
        Verdict.CONTESTED,
    }
)


class Unlike(NamedTuple):
    """A difference of two outcomes: its class, its place, both sides, and the cause that like ones share.

    `kind` is the kind of `harness.judging.compare.Difference` where tables differ, else "".
    """

    cls: Class
    path: TablePath
    old: str
    new: str
    cause: str
    kind: str = ""

    def signature(self, engine: str, config: str = "", *, query: str = "", cell: str = "") -> str:
        """Return the text under which like differences are one group; `query` is the kind of a query."""
        kind = f"{query}: " if query else ""
        cause, about = (self.cause, cell or None) if self.cause else (cell, None)
        return plain(str(Signature(engine, config, self.cls, kind + cause, about)))


def unlike(old: Outcome, new: Outcome, *, in_way: bool = False) -> Unlike | None:
    """Return the first difference of the outcomes of two versions, or None, as `differences_of`."""
    return next(iter(differences_of(old, new, in_way=in_way)), None)


def differences_of(old: Outcome, new: Outcome, *, in_way: bool = False) -> list[Unlike]:
    """Return how the outcomes of two versions differ; `in_way`: not read in the default way.

    The comparison is exact, except that NaN payloads are equal: the equivalences that a version documents do
    not make two versions alike. Where colconf cannot put the question to one of them, nothing is compared.
    """
    if not are_compared(old, new, in_way=in_way):
        return []
    if old.table is not None and new.table is not None:
        return by_values(old.table, new.table)
    cls = _of_kinds(old.kind, new.kind)
    if cls is None:
        cls = _of_errors(old, new)
    if cls is None:
        return []
    return [Unlike(cls, TablePath(), _description(old), _description(new), _cause(cls, old, new))]


def are_alike(old: Outcome, new: Outcome) -> bool:
    """Return whether two outcomes can be compared, and do not differ; what was not asked is like nothing."""
    return are_compared(old, new, in_way=True) and unlike(old, new) is None


def _of_kinds(old: OutcomeKind, new: OutcomeKind) -> Class | None:
    """Return the class that the kinds alone decide; None where the errors decide."""
    if old in LOST or new in LOST:
        if old in LOST and new in LOST:
            return None if old is new else Class.ERROR
        return Class.DIES if new in LOST else Class.LIVES
    if old in _REFUSALS and new in _REFUSALS:
        return None
    if old is new:  # both wrote
        return None
    return Class.REFUSES if new in _REFUSALS else Class.ACCEPTS


def _of_errors(old: Outcome, new: Outcome) -> Class | None:
    if old.kind in LOST or old.kind is OutcomeKind.TABLE:
        return None
    if old.kind is not new.kind or old.detail.error_class != new.detail.error_class:
        return Class.ERROR
    return None if (gist(old), _around(old)) == (gist(new), _around(new)) else Class.MESSAGE


def by_values(old: Table, new: Table) -> list[Unlike]:
    """Return how two tables differ: shape, number or order of rows, or the first row of columns of a type."""
    differences = compare(old, new, ()).differences
    if any(each.kind == "value" for each in differences) and same_rows(old, new):
        return [_unlike(Class.ORDER, differences[0])]
    first: dict[tuple[Class, str, str], Unlike] = {}
    for each in differences:
        classified = _of_tables(old, new, each)
        number = classified.path.column
        kind = "" if number is None else str(old.columns[number].type)
        first.setdefault((classified.cls, classified.cause, kind), classified)
    return list(first.values())


def _of_tables(old: Table, new: Table, difference: Difference) -> Unlike:
    if difference.kind == "type":
        return _unlike(Class.SCHEMA, difference, _short(_types(difference.expected, difference.actual)))
    if difference.kind == "columns":
        return _unlike(Class.SCHEMA, difference, _short(_columns(old, new)))
    if difference.kind == "rows":
        return _unlike(Class.ROWS, difference, "more" if new.num_rows > old.num_rows else "fewer")
    return of_cell(difference)


def _types(old: str, new: str) -> str:
    """Return two types of a column; a decimal that becomes no decimal, or was none, without its digits."""
    is_both = old.startswith(_DECIMAL) and new.startswith(_DECIMAL)
    return " as ".join(
        "decimal" if text.startswith(_DECIMAL) and not is_both else text for text in (old, new)
    )


def of_cell(difference: Difference) -> Unlike:
    """Return the difference of two values."""
    if _NULL not in (difference.expected, difference.actual):
        return _unlike(Class.VALUE, difference)
    return _unlike(Class.NULLS, difference, "became null" if difference.actual == _NULL else "was null")


def _unlike(cls: Class, difference: Difference, cause: str = "") -> Unlike:
    return Unlike(cls, difference.path, difference.expected, difference.actual, cause, difference.kind)


def _columns(old: Table, new: Table) -> str:
    left, right = ([column.name for column in table.columns] for table in (old, new))
    if sorted(left) == sorted(right):
        return "order of columns"
    return f"columns: {len(left)} as {len(right)}" if len(left) != len(right) else "names of columns"


def same_rows(old: Table, new: Table) -> bool:
    """Return whether two tables have the same rows in any order; False above ORDERED_ROWS rows."""
    if old.num_rows > ORDERED_ROWS:
        return False
    moved = misplaced(old, range(old.num_rows), new, ())
    return moved is not None and not (moved.lost or moved.gained or moved.strange)


def who_is_right(old: Verdict, new: Verdict) -> Right:
    """Return which version is right, from the verdicts of both.

    `unsupported` is worse than a right answer and better than a wrong one; beside a right refusal, neither
    version reads the file, and nothing is better or worse.
    """
    if {old, new} == {Verdict.UNSUPPORTED, Verdict.REFUSED_AS_EXPECTED}:
        return Right.UNSPECIFIED
    before, after = _rank(old), _rank(new)
    if before != after:
        return Right.IMPROVED if after > before else Right.REGRESSED
    return {2: Right.BOTH_RIGHT, 1: Right.UNSPECIFIED, 0: Right.BOTH_WRONG}[before]


def _rank(verdict: Verdict) -> int:
    if verdict in _GOOD:
        return 2
    return 1 if verdict is Verdict.UNSUPPORTED else 0


_MEMBERS = (
    *("signature", "class", "right", "by", "case", "format", "file", "other", "sha256", "size"),
    *("probe", "query", "read", "configs", "of", "path", "old", "new", "verdicts", "features", "unstable"),
    *("changed", "tried", "restored", "explained"),
)


def line(cls: Class, right: Right, case: Case | None = None, /, **members: Any) -> dict[str, Any]:
    """Return a difference as a line of JSON.

    By default it is about a whole file in the default configuration, without verdicts or evidence.
    """
    given: dict[str, Any] = {"class": cls.value, "right": right.value, "probe": None, "query": None}
    given |= {"configs": [""], "of": 1, "verdicts": ["", ""], "unstable": False}
    given |= {"tried": [], "restored": [], "explained": []}
    if case is not None:
        given |= {"case": case.id, "format": case.format, "file": str(case.file), "sha256": case.sha256}
        given["features"] = sorted(case.features)
        given |= {"read": case.read.to_json()} if case.read else {}
    given |= members
    return {name: given[name] for name in _MEMBERS if name in given}


def plain(text: str) -> str:
    """Return text as one printable line: the names in a file may contain any character."""
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)


def gist(outcome: Outcome) -> str:
    """Return the common part of errors of one cause: Spark's condition, or the message without names.

    Of a chain of causes, the last one counts.
    """
    conditions = CONDITION.findall(outcome.detail.message.rpartition(CAUSE)[2])
    if conditions:
        return f"[{conditions[-1]}]"
    message = normalised(_TASK.sub("", outcome.detail.message))
    return _short(_QUOTED.sub("<q>", _COLUMN.sub("[<column>]", message)))


def _around(outcome: Outcome) -> str:
    """Return the wrapping of an error's cause, in words: Spark's first condition."""
    conditions = CONDITION.findall(outcome.detail.message.rpartition(CAUSE)[0])
    return f"wrapped in [{conditions[0]}]" if conditions else "without a wrapping condition"


def _cause(cls: Class, old: Outcome, new: Outcome) -> str:
    if cls in {Class.REFUSES, Class.DIES}:
        return _error(new)
    if cls in {Class.ACCEPTS, Class.LIVES}:
        return _error(old)
    if cls is Class.MESSAGE and gist(old) == gist(new):
        return f"the same error, {_around(old)} → {_around(new)}"
    return f"{_error(old)} → {_error(new)}"


def _error(outcome: Outcome) -> str:
    if outcome.kind in LOST:
        signal = outcome.detail.signal
        return f"{outcome.kind}{f', signal {signal}' if signal is not None else ''}"
    name = outcome.detail.error_class.rpartition(".")[2]
    return _short(": ".join(filter(None, (name, gist(outcome)))))


def _description(outcome: Outcome) -> str:
    if outcome.kind is OutcomeKind.TABLE:
        return "reads it" if outcome.table is not None else "writes it"
    detail, message = outcome.detail, outcome.detail.message.strip()
    inner = root_cause(message).strip()
    wrapped = f" (in: {whole_words(message, _WRAPPING)})" if inner != message else ""
    texts = filter(None, (detail.error_class, whole_words(inner, _MESSAGE) + wrapped))
    return f"{outcome.kind}: {': '.join(texts)}"


def _short(text: str) -> str:
    return text if len(text) <= _TEXT else f"{text[:_TEXT]}…"
