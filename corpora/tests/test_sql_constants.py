"""Comparisons with constants that a column's type lacks: they compare by value, as in SQL."""

import datetime as dt
import operator
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from corpora.build.sql.binding import bind
from corpora.build.sql.parser import parse
from corpora.build.sql.tokens import SqlError
from corpora.constants import range_of
from corpora.evaluation import evaluate
from corpora.queries import from_json
from corpora.tagged import (
    DATE,
    INT96,
    PER_SECOND,
    STRING,
    Field,
    Table,
    Type,
    decimal,
    integer,
    time,
    timestamp,
)

EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001 - a wall clock
TYPES = {
    "tiny": integer(8),
    "byte": integer(8, signed=False),
    "big": integer(64),
    "price": decimal(3, 1),
    "cents": decimal(5, 2),
    "day": DATE,
    "clock": timestamp("ms", utc=False),
    "fine": timestamp("ns", utc=False),
}
COMPARE = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def unit(type_):
    """Return the size of a unit of a type: of dates and timestamps in seconds."""
    if type_.kind == "date":
        return Fraction(86_400)
    return Fraction(1, PER_SECOND[type_.unit] if type_.unit else 10 ** (type_.scale or 0))


@st.composite
def constants(draw, type_):
    """Return a constant of SQL and its number: near the ends of the type or zero, or between two values."""
    least, greatest = range_of(type_)
    if type_.kind in {"date", "timestamp"}:
        micros = draw(st.sampled_from([0, 1, 500, 1_000, 43_200_000_000, 86_400_000_000]))
        day = draw(st.sampled_from([EPOCH, EPOCH, EPOCH.replace(year=1), EPOCH.replace(year=2400)]))
        moment = day + dt.timedelta(microseconds=micros)
        since = moment - EPOCH
        number = Fraction(since.days * 86_400 + since.seconds) + Fraction(since.microseconds, 10**6)
        return f"TIMESTAMP '{moment.isoformat(' ', 'microseconds')}'", number
    near = draw(st.sampled_from([least, greatest, 0, 3, 10 * greatest]))
    part = draw(st.sampled_from([0, Fraction(1, 2), Fraction(-1, 1000)]))
    number = (near + draw(st.integers(-2, 2))) * unit(type_) + part
    digits = f"{abs(number.numerator * 10**4 // number.denominator):05}"
    return f"{'-' * (number < 0)}{digits[:-4]}.{digits[-4:]}", number


@st.composite
def conditions(draw, depth=3):
    """Return a condition, and a function that returns its truth for a row of numbers by their column."""
    forms = ["compare", "between", "in", "same", *(["not", "is", "and", "or"] if depth else [])]
    form = draw(st.sampled_from(forms))
    if form == "not":
        text, truth = draw(conditions(depth - 1))
        return f"NOT ({text})", lambda row: None if truth(row) is None else not truth(row)
    if form == "is":
        text, truth = draw(conditions(depth - 1))
        values = [("TRUE", True), ("FALSE", False), *([] if "UNKNOWN" in text else [("UNKNOWN", None)])]
        (word, value), is_not = draw(st.sampled_from(values)), draw(st.booleans())
        return f"({text}) IS {'NOT ' * is_not}{word}", lambda row: (truth(row) is value) != is_not
    if form in {"and", "or"}:
        (left, first), (right, second) = draw(conditions(depth - 1)), draw(conditions(depth - 1))
        decides = form == "or"

        def joined(row):
            both = first(row), second(row)
            return decides if decides in both else None if None in both else not decides

        return f"({left} {form} {right})", joined
    name = draw(st.sampled_from(list(TYPES)))
    if form == "compare":
        op, (text, number) = draw(st.sampled_from(list(COMPARE))), draw(constants(TYPES[name]))
        return (
            f"{name} {op} {text}",
            lambda row: None if row[name] is None else COMPARE[op](row[name], number),
        )
    some = draw(st.lists(constants(TYPES[name]), min_size=2, max_size=2))
    (low, least), (high, greatest) = some
    if form == "between":
        return (
            f"{name} BETWEEN {low} AND {high}",
            lambda row: None if row[name] is None else least <= row[name] <= greatest,
        )
    if form == "same":
        return f"{name} IS NOT DISTINCT FROM {low}", lambda row: row[name] is not None and row[name] == least
    has_null = draw(st.booleans())

    def is_in(row):
        return None if row[name] is None else row[name] in (least, greatest) or (None if has_null else False)

    return f"{name} IN ({low}, {'NULL, ' * has_null}{high})", is_in


def table():
    """Return the values at the ends of each type, around zero and behind the constants, and nulls."""
    columns = []
    for type_ in TYPES.values():
        least, greatest = range_of(type_)
        below = (-3, -1) if least else (5, 6)
        columns.append([least, least + 1, *below, *range(5), greatest - 1, greatest, None])
    cells = [[None if value is None else str(value) for value in column] for column in columns]
    numbers = [
        {
            name: None if value is None else value * unit(type_)
            for (name, type_), value in zip(TYPES.items(), row, strict=True)
        }
        for row in zip(*columns, strict=True)
    ]
    return Table.of(list(TYPES.items()), cells), numbers


TABLE, NUMBERS = table()


@given(conditions())
@example(("NOT (tiny < 300)", lambda row: None if row["tiny"] is None else False))
@example(("NOT (tiny = 0.5)", lambda row: None if row["tiny"] is None else True))
@example(("(tiny < 300) IS NOT FALSE", lambda _: True))
@example(("(tiny = 0.5) IS UNKNOWN", lambda row: row["tiny"] is None))
@example(("NOT (tiny IN (0.5, NULL))", lambda _: None))
def test_they_compare_by_value(condition):
    """The rows of a query are those of plain three-valued logic over exact numbers, below NOT, too."""
    text, truth = condition
    query, notes = bind(*parse(f"WHERE {text}"), TABLE.columns)
    assert from_json(query.to_json()) == query
    right = [at for at, row in enumerate(NUMBERS) if truth(row)]
    assert evaluate(query.predicate, TABLE, "ieee") == right, (text, str(query), notes)


def test_the_columns_have_all_values_and_null():
    """The property would not see a comparison that is wrong for a null or at the ends of a type."""
    for name, type_ in TYPES.items():
        numbers = [row[name] for row in NUMBERS]
        assert None in numbers
        assert {end * unit(type_) for end in range_of(type_)} <= set(numbers)


COLUMNS = (
    Field("n", integer(32)),
    Field("tiny", integer(8)),
    Field("byte", integer(8, signed=False)),
    Field("amount", decimal(5, 2)),
    Field("day", DATE),
    Field("clock", timestamp("ms", utc=False)),
    Field("moment", timestamp("us", utc=True)),
    Field("fine", timestamp("ns", utc=False)),
    Field("time", time("ms", utc=False)),
    Field("old", INT96),
    Field("name", STRING),
)


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("n > 10.5", "n >= 11"),
        ("n >= 10.5", "n >= 11"),
        ("n < -10.5", "n <= -11"),
        ("10.5 >= n", "n <= 10"),
        ("n = 10.5", "n IS NULL AND NOT n IS NULL"),
        ("n <> 10.5", "NOT n IS NULL"),
        ("NOT n = 10.5", "NOT n IS NULL"),
        ("NOT n <> 10.5", "NOT (n IS NULL OR NOT n IS NULL)"),
        ("tiny < 300", "NOT tiny IS NULL"),
        ("tiny < 127.5", "NOT tiny IS NULL"),
        ("tiny > 126.5", "tiny >= 127"),
        ("tiny <= -128.5", "tiny IS NULL AND NOT tiny IS NULL"),
        ("byte > -1", "NOT byte IS NULL"),
        ("amount < 1.005", "amount <= 1.00"),
        ("amount BETWEEN 1.001 AND 1e9", "amount >= 1.01 AND NOT amount IS NULL"),
        ("tiny IN (1, 300, NULL, 2.5)", "tiny IN (1, NULL)"),
        ("tiny IN (300, 2.5)", "tiny IS NULL AND NOT tiny IS NULL"),
        ("tiny IS DISTINCT FROM 300", "NOT (tiny IS NULL AND NOT tiny IS NULL)"),
        ("day < TIMESTAMP '1970-01-02 00:00:00.1'", "day <= date(1)"),
        ("day >= TIMESTAMP '1969-12-31 12:00'", "day >= date(0)"),
        ("clock < TIMESTAMP '1970-01-01 00:00:00.0015'", "clock <= timestamp(1 ms)"),
        ("fine < TIMESTAMP '2300-01-01'", "NOT fine IS NULL"),
        ("moment > TIMESTAMP '1970-01-01 01:00:00.0000015+01:00'", "moment >= timestamp(2 us, utc)"),
        ("time > TIME '00:00:00.0001'", "time >= time(1 ms)"),
        ("YEAR(day) > 2023.5", "year(day) >= 2024"),
        ("CAST(clock AS DATE) = TIMESTAMP '1970-01-01 12:00'", "clock IS NULL AND NOT clock IS NULL"),
    ],
)
def test_what_is_asked_instead(text, meaning):
    """A comparison with a constant that the type lacks is one with a value, and a note says so."""
    query, notes = bind(*parse(f"WHERE {text}"), COLUMNS)
    assert str(query) == meaning
    assert notes


def test_notes():
    """A note has the comparison as it is written, but for its sides, what is asked, and the type."""
    text = "WHERE 10.5 < n AND YEAR(day) < 1e10 AND tiny IN (1, 1.5) AND n > 10.5 AND n > 1.0"
    query, notes = bind(*parse(text), COLUMNS)
    assert str(query) == "n >= 11 AND NOT day IS NULL AND tiny IN (1) AND n >= 11 AND n > 1"
    assert notes == (
        "n > 10.5 is asked as n >= 11, since n is of type int(32, signed)",
        "YEAR(day) < 1e10 is asked as NOT day IS NULL, since YEAR(day) is of type int(32, signed)",
        "tiny IN (1, 1.5) is asked as tiny IN (1), since tiny is of type int(8, signed)",
    )
    negated = bind(*parse("WHERE NOT (tiny = 2.5 OR n IN (1.5) OR n > 2.5)"), COLUMNS)
    assert str(negated.query) == "NOT (tiny IS NULL OR n IS NULL OR n >= 3)"
    assert [note.partition(",")[0] for note in negated.notes] == [
        "below NOT",
        "below NOT",
        "n > 2.5 is asked as n >= 3",
    ]
    text = "WHERE day = TIMESTAMP '1970-01-02 00:00' AND day < DATE '1970-01-02'"
    assert bind(*parse(text), COLUMNS).notes == ()


@pytest.mark.parametrize(
    ("text", "at", "message"),
    [
        ("n = 1e999999999", 4, "n is of type int(32, signed), which has no value 1e999999999"),
        ("n = 'x'", 4, "n is of type int(32, signed), which has no value 'x'"),
        ("n > DATE '1970-01-01'", 4, "n is of type int(32, signed), which has no value DATE '1970-01-01'"),
        ("day = '2024-02-30'", 6, "day is of type date, which has no value '2024-02-30'"),
        ("day = '2024-02-03 12:00'", 6, "day is of type date, which has no value '2024-02-03 12:00'"),
        ("day = DATE '2024-02-03 12:00'", 6,
         "day is of type date, which has no value DATE '2024-02-03 12:00'"),
        ("day = TIMESTAMP '2024-02-03Z'", 6,
         "day is of type date, which has no value TIMESTAMP '2024-02-03Z'"),
        ("day > 3.5", 6, "day is of type date, which has no value 3.5"),
        ("clock < '1970-01-01 00:00:00.0001'", 8,
         "clock is of type timestamp(ms, not utc), which has no value '1970-01-01 00:00:00.0001'"),
        ("tiny IN (NULL, NULL)", 9, "IN of NULL alone is never TRUE: IS NULL tests for it"),
        ("tiny NOT IN (NULL)", 13, "IN of NULL alone is never TRUE: IS NULL tests for it"),
        ("name < 3", 7, "name is of type string, which has no value 3"),
        ("tiny IN (300, DATE '1970-01-01')", 14,
         "tiny is of type int(8, signed), which has no value DATE '1970-01-01'"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared(text, at, message):
    """Text must be a value of the type, and a constant of another kind is an error at its place."""
    with pytest.raises(SqlError) as caught:
        bind(*parse(f"WHERE {text}"), COLUMNS)
    assert (caught.value.at, str(caught.value)) == (at + len("WHERE "), message)


def test_a_type_has_its_numbers():
    """The ends of a type are those that a constant may have."""
    assert range_of(integer(8)) == (-128, 127)
    assert range_of(integer(16, signed=False)) == (0, 65_535)
    assert range_of(decimal(5, 2)) == (-99_999, 99_999)
    assert range_of(DATE) == (-(2**31), 2**31 - 1)
    assert range_of(Type("int96")) == (-(2**95), 2**95 - 1)
