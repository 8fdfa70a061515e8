"""The SQL that Hyper and ClickHouse are asked, and what Hyper's values become."""

from types import SimpleNamespace

import pytest

from corpora.predicates import And, Compare, Computed, In, IsNull, Not, NullSafe, StartsWith
from corpora.queries import (
    Aggregate,
    AntiJoin,
    Batches,
    CountRows,
    Distinct,
    Filter,
    Groups,
    Project,
    SemiJoin,
    Slice,
    Top,
)
from corpora.tagged import BYTES, DATE, STRING, Type, decimal, floating, integer, timestamp
from harness.engines.chdb import query as chdb
from harness.engines.errors import Unsupported
from harness.engines.hyper import adapter
from harness.engines.hyper import query as hyper

NAN = "7ff8000000000000"
X = ("x",)
# A constant, and how each of both writes it.
CONSTANTS = [
    (integer(32), "-7", "-7", "toInt32('-7')"),
    (
        integer(64),
        "-9223372036854775808",
        "'-9223372036854775808'::bigint",
        "toInt64('-9223372036854775808')",
    ),
    (floating(64), NAN, "'nan'::double precision", "reinterpretAsFloat64(unhex('000000000000f87f'))"),
    (floating(32), "3fc00000", "'1.5'::real", "reinterpretAsFloat32(unhex('0000c03f'))"),
    (decimal(9, 2), "-5", "'-0.05'::numeric(9, 2)", "toDecimal128('-0.05', 2)"),
    (STRING, "it's", "'it''s'", "unhex('69742773')"),
    (BYTES, "00ff", r"'\x00ff'::bytes", "unhex('00ff')"),
    (DATE, "-1", "DATE '1969-12-31'", "CAST(toInt32(-1), 'Date32')"),
    (
        timestamp("us", utc=True),
        "-1",
        "TIMESTAMPTZ '1969-12-31 23:59:59.999999+00'",
        "fromUnixTimestamp64Micro(toInt64('-1'), 'UTC')",
    ),
]


@pytest.mark.parametrize(
    ("type_", "value", "of_hyper", "of_chdb"), CONSTANTS, ids=lambda each: str(each)[:20]
)
def test_constants(type_, value, of_hyper, of_chdb):
    """A constant is exactly the value that it names, in the type of the column."""
    query = Filter(Compare(X, "<", type_, value))
    assert hyper.sql(query, "t") == f'SELECT * FROM t WHERE ("x" < {of_hyper})'
    assert chdb.sql(query, "t") == f"SELECT * FROM t WHERE (`x` < {of_chdb})"


def test_kinds():
    """Tests are joined as in SQL, and names are quoted."""
    one = Compare(X, "!=", integer(32), "1")
    query = Filter(And((Not(one), IsNull(('a"`',)))), columns=("b",))
    assert hyper.sql(query, "t") == 'SELECT "b" FROM t WHERE ((NOT ("x" <> 1)) AND ("a""`" IS NULL))'
    assert (
        chdb.sql(query, "t") == "SELECT `b` FROM t WHERE ((NOT (`x` != toInt32('1'))) AND isNull(`a\"\\``))"
    )
    same = Filter(NullSafe(X, integer(32), None))
    assert [sql(same, "t")[-26:] for sql in (hyper.sql, chdb.sql)] == [
        '"x" IS NOT DISTINCT FROM NULL)'[-26:],
        "`x` IS NOT DISTINCT FROM NULL)"[-26:],
    ]
    among = Filter(In(X, integer(32), ("1", "2")))
    assert hyper.sql(among, "t").endswith('("x" IN (1, 2))')
    assert chdb.sql(Project(("a", "b")), "t") == "SELECT `a`, `b` FROM t"
    assert "minOrNull(`x`)" in chdb.sql(Aggregate(X), "t")
    assert hyper.sql(Filter(StartsWith(X, "'")), "t").endswith("starts_with(\"x\", '''')")


INT = integer(32)
SOME = ("1", None)
NOT_EXISTS = "NOT EXISTS (SELECT 1 FROM (VALUES (1), (NULL)) AS colconf_small(colconf_match)"
SMALL = "(SELECT toInt32('1') AS colconf_match UNION ALL SELECT NULL AS colconf_match)"


@pytest.mark.parametrize(
    ("query", "of_hyper", "of_chdb"),
    [
        (Slice(2, 3), "SELECT * FROM t LIMIT 3 OFFSET 2", "SELECT * FROM t LIMIT 3 OFFSET 2"),
        (
            Slice(0, 1, IsNull(X), ("y",)),
            'SELECT "y" FROM t WHERE ("x" IS NULL) LIMIT 1 OFFSET 0',
            "SELECT `y` FROM t WHERE isNull(`x`) LIMIT 1 OFFSET 0",
        ),
        (Distinct(X), 'SELECT DISTINCT "x" AS "value" FROM t', "SELECT DISTINCT `x` AS `value` FROM t"),
        (
            Groups(X),
            'SELECT "x" AS "value", count(*) AS "rows" FROM t GROUP BY "x"',
            "SELECT `x` AS `value`, toInt64(count()) AS `rows` FROM t GROUP BY `x`",
        ),
        (
            Aggregate(X),
            'SELECT count(*) AS "rows", count("x") AS "present", min("x") AS "min", max("x") AS "max" FROM t',
            (
                "SELECT toInt64(count()) AS `rows`, toInt64(count(`x`)) AS `present`, "
                "minOrNull(`x`) AS `min`, maxOrNull(`x`) AS `max` FROM t"
            ),
        ),
        (CountRows(), 'SELECT count(*) AS "rows" FROM t', 'SELECT toInt64(count()) AS "rows" FROM t'),
        (
            CountRows(IsNull(X)),
            'SELECT count(*) AS "rows" FROM t WHERE ("x" IS NULL)',
            'SELECT toInt64(count()) AS "rows" FROM t WHERE isNull(`x`)',
        ),
        (
            Top(X, 4, descending=True, nulls_first=True),
            'SELECT "x" AS "value" FROM t ORDER BY "x" DESC NULLS FIRST LIMIT 4',
            "SELECT `x` AS `value` FROM t ORDER BY `x` DESC NULLS FIRST LIMIT 4",
        ),
        (
            SemiJoin(X, INT, SOME, ("y",)),
            (
                'SELECT "y" FROM t WHERE "x" IN (SELECT colconf_match FROM (VALUES (1), (NULL)) AS '
                "colconf_small(colconf_match))"
            ),
            f"SELECT `y` FROM t WHERE `x` IN {SMALL}",
        ),
        (
            AntiJoin(X, INT, SOME, ("y",)),
            f'SELECT "y" FROM t WHERE {NOT_EXISTS} WHERE colconf_match = "x")',
            (
                "SELECT colconf_file.`y` AS `y` FROM t AS colconf_file LEFT ANTI JOIN "
                f"{SMALL} AS colconf_small ON colconf_file.`x` = colconf_small.colconf_match"
            ),
        ),
    ],
    ids=lambda each: str(each)[:20],
)
def test_kinds_of_queries(query, of_hyper, of_chdb):
    """Slices, joins and queries of a column are said as in SQL."""
    assert (hyper.sql(query, "t"), chdb.sql(query, "t")) == (of_hyper, of_chdb)


@pytest.mark.parametrize(
    ("test", "of_hyper", "of_chdb"),
    [
        (
            ("cast", "int64", "=", integer(64), "5"),
            """CAST("x" AS bigint) = '5'::bigint""",
            "CAST(`x`, 'Nullable(Int64)') = toInt64('5')",
        ),
        (("add", "-1", "!=", INT, "5"), '("x" + -1) <> 5', "(`x` + -1) != toInt32('5')"),
        (("year", None, "<", INT, "5"), 'EXTRACT(YEAR FROM "x") < 5', "toYear(`x`) < toInt32('5')"),
        (("lower", None, "=", STRING, "a"), """lower("x") = 'a'""", "lowerUTF8(`x`) = unhex('61')"),
        (
            ("prefix", "2", "=", STRING, "a"),
            """left("x", 2) = 'a'""",
            "substringUTF8(`x`, 1, 2) = unhex('61')",
        ),
        (("like", "a%", "=", Type("bool"), True), """"x" LIKE 'a%'""", "`x` LIKE unhex('6125')"),
    ],
    ids=str,
)
def test_functions(test, of_hyper, of_chdb):
    """A function of a column is that of the dialect, compared with a constant of the result's type."""
    query = Filter(Computed(X, *test))
    assert hyper.sql(query, "t") == f"SELECT * FROM t WHERE ({of_hyper})"
    assert chdb.sql(query, "t") == f"SELECT * FROM t WHERE ({of_chdb})"


def test_not_in_a_table_with_a_null():
    """By SQL nothing is NOT IN a table with a null; ClickHouse's operator takes no notice of it."""
    query = AntiJoin(X, INT, SOME, None, not_in=True)
    assert hyper.sql(query, "t").startswith('SELECT * FROM t WHERE "x" NOT IN (SELECT')
    with pytest.raises(Unsupported):
        chdb.sql(query, "t")
    with pytest.raises(Unsupported):
        hyper.sql(Filter(Computed(X, "cast", "int8", "=", integer(8), "1")), "t")


@pytest.mark.parametrize(
    "query",
    [
        Batches(2),
        Filter(Compare(("s", "x"), "=", integer(32), "1")),
        Filter(Compare(X, "=", DATE, "99999999")),
        Filter(Compare(X, "=", Type("uuid"), "00" * 16), columns=()),
    ],
    ids=["batches", "nested", "far-date", "uuid"],
)
def test_what_is_not_asked(query):
    """What cannot be said in a dialect is unsupported, no other query."""
    for sql in (hyper.sql, chdb.sql):
        with pytest.raises(Unsupported):
            sql(query, "t")


@pytest.mark.parametrize(
    ("year", "month", "day", "days"),
    [(1970, 1, 1, 0), (1969, 12, 31, -1), (2000, 2, 29, 11016), (1, 1, 1, -719162), (-4712, 1, 1, -2440550)],
)
def test_days(year, month, day, days):
    """Dates of Hyper are those of the proleptic Gregorian calendar, before the year 1, too."""
    assert adapter._days(SimpleNamespace(year=year, month=month, day=day)) == days


def test_moments():
    """A moment is its microseconds since 1970-01-01."""
    moment = SimpleNamespace(year=1969, month=12, day=31, hour=23, minute=59, second=59, microsecond=999_999)
    assert adapter._moment(moment) == "-1"


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("Invalid type tag value 20", "unsupported"),
        ("a page with an Invalid type tag value 20", "refused"),
        ("Cannot read nested columns: not supported", "unsupported"),
        ("The file is probably corrupt.", "refused"),
    ],
)
def test_refusals_of_hyper(message, kind):
    """A type that the binding cannot name is one that is not read; another error refuses the file."""
    opened = adapter.Hyper.__new__(adapter.Hyper)
    opened.file = "x.parquet"
    assert opened.classify(ValueError(message)) == kind
