"""Each difference of two outcomes has one class, told by what both sides did and by the cells."""

import pytest

from corpora.tagged import STRING, Table, Type, decimal, integer, struct_of
from harness.children.outcomes import Detail, Outcome, OutcomeKind
from harness.investigate.upgrade.classes import (
    MEANINGS,
    Class,
    Right,
    are_alike,
    unlike,
    who_is_right,
)
from harness.judging.verdicts import Verdict
from harness.listings.text import whole_words

INT = integer(32)


def table(values, name="a", type_=INT):
    """Return the outcome of a reader that answered one column."""
    return Outcome(OutcomeKind.TABLE, Table.of([(name, type_)], [values]))


def failed(kind, cls="E", message="no", signal=None):
    """Return the outcome of one that did not answer."""
    return Outcome(kind, detail=Detail(cls, message, signal=signal))


GOOD = table(["1", "2"])
REFUSED = failed(OutcomeKind.REFUSED)
LACKS = failed(OutcomeKind.UNSUPPORTED)
NOT_ASKED = failed(OutcomeKind.UNSUPPORTED, "harness.engines.base.Unsupported")  # by an adapter
CRASHED = failed(OutcomeKind.CRASHED, signal=11)
HUNG = failed(OutcomeKind.HUNG)
WROTE = Outcome(OutcomeKind.TABLE)
TABLE = [
    (GOOD, table(["1", "2"]), None),
    (GOOD, table(["1", "3"]), Class.VALUE),
    (GOOD, table(["1", None]), Class.NULLS),
    (table([None, "1"]), table(["2", "1"]), Class.NULLS),
    (GOOD, table(["2", "1"]), Class.ORDER),
    (GOOD, table(["1"]), Class.ROWS),
    (GOOD, table(["1", "2"], name="b"), Class.SCHEMA),
    (GOOD, table(["1", "2"], type_=integer(64)), Class.SCHEMA),
    (GOOD, REFUSED, Class.REFUSES),
    (GOOD, LACKS, Class.REFUSES),
    (REFUSED, GOOD, Class.ACCEPTS),
    (LACKS, GOOD, Class.ACCEPTS),
    (GOOD, CRASHED, Class.DIES),
    (REFUSED, HUNG, Class.DIES),
    (CRASHED, GOOD, Class.LIVES),
    (HUNG, LACKS, Class.LIVES),
    (NOT_ASKED, GOOD, None),
    (NOT_ASKED, REFUSED, None),
    (GOOD, NOT_ASKED, Class.REFUSES),
    (NOT_ASKED, CRASHED, Class.DIES),
    (CRASHED, CRASHED, None),
    (CRASHED, HUNG, Class.ERROR),
    (REFUSED, REFUSED, None),
    (REFUSED, LACKS, Class.ERROR),
    (REFUSED, failed(OutcomeKind.REFUSED, "F"), Class.ERROR),
    (REFUSED, failed(OutcomeKind.REFUSED, message="never"), Class.MESSAGE),
    (
        failed(OutcomeKind.REFUSED, message="line 7 of `a`"),
        failed(OutcomeKind.REFUSED, message="line 8 of `b`"),
        None,
    ),
    (
        failed(OutcomeKind.REFUSED, message="[A.B] x"),
        failed(OutcomeKind.REFUSED, message="[A.C] x"),
        Class.MESSAGE,
    ),
    (WROTE, WROTE, None),
    (WROTE, REFUSED, Class.REFUSES),
    (LACKS, WROTE, Class.ACCEPTS),
]


@pytest.mark.parametrize(("old", "new", "expected"), TABLE)
def test_class(old, new, expected):
    """The class is that of the table above, and None where both did the same."""
    found = unlike(old, new)
    assert (found.cls if found else None) == expected


DID, REFUSED_TO, DIED = "did", "refused to", "died"
FATES = dict.fromkeys(OutcomeKind, DIED) | {OutcomeKind.TABLE: DID}
# A panic is an error, too: the process goes on, and no values come.
REFUSALS = (OutcomeKind.REFUSED, OutcomeKind.UNSUPPORTED, OutcomeKind.PANICKED)
FATES |= dict.fromkeys(REFUSALS, REFUSED_TO)
CLASSES = {
    (DID, REFUSED_TO): Class.REFUSES,
    (DID, DIED): Class.DIES,
    (REFUSED_TO, DID): Class.ACCEPTS,
    (REFUSED_TO, DIED): Class.DIES,
    (DIED, DID): Class.LIVES,
    (DIED, REFUSED_TO): Class.LIVES,
}


@pytest.mark.parametrize("old", OutcomeKind)
def test_every_kind_against_every_kind(old, for_each):
    """The kinds decide the class; two equal kinds, or a limit of the run, are no difference."""

    def check(new):
        difference = unlike(Outcome(old), Outcome(new))
        expected = CLASSES.get((FATES[old], FATES[new]), Class.ERROR)
        assert (difference.cls if difference else None) == (
            None if old is new or OutcomeKind.LIMITED in {old, new} else expected
        )

    for_each([(new.name, new) for new in OutcomeKind], check)


@pytest.mark.parametrize(
    ("old", "new", "cause"),
    [
        (Type("float", bits=64), decimal(12, 2), "float(64) as decimal"),
        (decimal(9, 2), STRING, "decimal as string"),
        (decimal(9, 2), decimal(12, 2), "decimal(9, 2) as decimal(12, 2)"),
    ],
)
def test_digits_of_decimals_tell_only_decimals_apart(old, new, cause):
    """Decimals that were read as floats are one difference, whatever their digits."""
    sides = [Outcome(OutcomeKind.TABLE, Table.of([("a", type_)], [[None]])) for type_ in (old, new)]
    assert unlike(*sides).cause == cause


def test_nulls_inside():
    """A null for a value in a struct is a difference of nulls; with a changed value, it is one of values."""
    type_ = struct_of([("x", INT), ("y", INT)])
    assert unlike(table([["1", "2"]], type_=type_), table([["1", None]], type_=type_)).cls is Class.NULLS
    assert unlike(table([["1", "2"]], type_=type_), table([["3", None]], type_=type_)).cls is Class.VALUE


def test_order_needs_the_same_rows():
    """Rows differ only in order if each row occurs equally often."""
    assert unlike(table(["1", "1", "2"]), table(["1", "2", "2"])).cls is Class.VALUE


def test_a_text_that_says_null_is_no_null():
    """The text `null` is a value."""
    assert unlike(table(["null"], type_=STRING), table(["x"], type_=STRING)).cls is Class.VALUE


def test_a_cause_in_another_wrapping():
    """Two errors with one cause and different wrapping differ by message, which names the wrapping."""
    old = failed(OutcomeKind.REFUSED, message="Job aborted | caused by: bad page 7")
    found = unlike(old, failed(OutcomeKind.REFUSED, message="[FAILED.X] reading | caused by: bad page 8"))
    assert (found.cls, found.cause) == (
        Class.MESSAGE,
        "the same error, without a wrapping condition → wrapped in [FAILED.X]",
    )
    assert unlike(old, failed(OutcomeKind.REFUSED, message="Job ended | caused by: bad page 9")) is None


def test_long_errors_are_cut_between_words():
    """The cause and what is around it end with a word and "…", and only where something is missing."""
    inner, around = "inside " * 80, "wrapping " * 80
    error = failed(OutcomeKind.REFUSED, message=f"{around}| caused by: {inner}")
    text = unlike(error, table(["1"])).old
    assert text.endswith("wrapping …)")
    assert "inside … (in: wrapping" in text
    assert whole_words("a bc", 4) == "a bc"
    assert whole_words("a bcd", 4) == "a …"
    assert whole_words("abcde", 4) == "abcd…"


def test_where_an_error_occurred_is_no_part_of_its_cause():
    """Errors of one cause in other tasks and other columns are one difference."""
    task = (
        "Job aborted due to stage failure: Task {0} in stage 7.0 failed, lost task (TID {0}) (host driver): "
    )
    messages = [
        f"{task.format(at)}column: [{path}], physicalType: INT32" for at, path in ((1, "a"), (2, "b, c"))
    ]
    causes = {unlike(failed(OutcomeKind.REFUSED, message=text), table(["1"])).cause for text in messages}
    assert causes == {"E: column: [<column>], physicalType: INT<n>"}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (Verdict.AGREE, Verdict.DIFFERENT, Right.REGRESSED),
        (Verdict.EQUIVALENT, Verdict.UNSUPPORTED, Right.REGRESSED),
        (Verdict.DIFFERENT, Verdict.AGREE, Right.IMPROVED),
        (Verdict.UNSUPPORTED, Verdict.DIFFERENT, Right.REGRESSED),
        (Verdict.REFUSED_VALID, Verdict.UNSUPPORTED, Right.IMPROVED),
        (Verdict.AGREE, Verdict.EQUIVALENT, Right.BOTH_RIGHT),
        (Verdict.UNSUPPORTED, Verdict.UNSUPPORTED, Right.UNSPECIFIED),
        (Verdict.CRASHED, Verdict.DIFFERENT, Right.BOTH_WRONG),
        (Verdict.ACCEPTED_INVALID, Verdict.REFUSED_AS_EXPECTED, Right.IMPROVED),
        (Verdict.REFUSED_AS_EXPECTED, Verdict.UNSUPPORTED, Right.UNSPECIFIED),
        (Verdict.UNSUPPORTED, Verdict.REFUSED_AS_EXPECTED, Right.UNSPECIFIED),
    ],
)
def test_who_is_right(old, new, expected):
    """A correct result beats an unsupported feature, which beats a wrong result."""
    assert who_is_right(old, new) is expected


def test_what_a_way_takes_is_not_compared():
    """What the new version lacks for a way to call it is no difference; a crash is, on either side."""
    assert unlike(GOOD, NOT_ASKED, in_way=True) is None
    assert unlike(GOOD, LACKS, in_way=True).cls is Class.REFUSES  # the engine says so
    assert unlike(CRASHED, NOT_ASKED, in_way=True).cls is Class.LIVES
    assert unlike(NOT_ASKED, CRASHED, in_way=True).cls is Class.DIES


def test_what_was_not_asked_is_like_nothing():
    """A configuration that a version lacks neither restores nor explains a difference."""
    assert are_alike(GOOD, GOOD)
    assert not are_alike(GOOD, NOT_ASKED)
    assert not are_alike(NOT_ASKED, GOOD)
    assert not are_alike(GOOD, CRASHED)


def test_classes_are_explained():
    """Each class has a meaning."""
    assert set(MEANINGS) == set(Class)
