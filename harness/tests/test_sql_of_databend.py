"""The SQL that Databend is asked, and what its refusals are."""

import pytest

from corpora import tagged
from corpora.predicates import And, Compare, Computed, In, IsNull, Not, NullSafe, StartsWith
from corpora.queries import (
    Aggregate,
    AntiJoin,
    Batches,
    CountRows,
    Fields,
    Filter,
    Groups,
    Project,
    SemiJoin,
    Slice,
    Top,
    TopRows,
    TopWhere,
)
from corpora.tagged import BYTES, DATE, STRING, Type, decimal, floating, integer, timestamp
from harness.children.links import Links
from harness.engines.databend.adapter import Databend
from harness.engines.databend.query import sql
from harness.engines.databend.ways import settings
from harness.engines.errors import Unsupported
from harness.judging.nested_rewrites import fields_numbered

X = ("x",)
INT = integer(32)
SOME = ("1", None)


@pytest.mark.parametrize(
    ("type_", "value", "text"),
    [
        (integer(8), "-7", "to_int8('-7')"),
        (integer(64, signed=False), "18446744073709551615", "to_uint64('18446744073709551615')"),
        (floating(64), "7ff8000000000000", "to_float64('nan')"),
        (floating(64), "8000000000000000", "to_float64('-0.0')"),
        (floating(32), "3fc00000", "to_float32('1.5')"),
        (decimal(9, 2), "-5", "CAST('-0.05' AS DECIMAL(9, 2))"),
        (STRING, "it's\\ \0" + "1", r"'it\'s\\ \x001'"),
        (BYTES, "00ff", "unhex('00ff')"),
        (DATE, "-1", "to_date(to_int32('-1'))"),
        (timestamp("us", utc=True), "-1", "to_timestamp(to_int64('-1'), 6)"),
        (timestamp("ns", utc=False), "2000", "to_timestamp(to_int64('2'), 6)"),
        (Type("bool"), True, "TRUE"),
    ],
    ids=lambda each: str(each)[:20],
)
def test_constants(type_, value, text):
    """A constant is exactly the value that it names, in the type of the column."""
    assert sql(Filter(Compare(X, "<", type_, value)), "t") == f'SELECT * FROM t WHERE ("x" < {text})'


@pytest.mark.parametrize(
    ("predicate", "text"),
    [
        (
            And((Not(Compare(X, "!=", INT, "1")), IsNull(('a"`',)))),
            """((NOT ("x" != to_int32('1'))) AND ("a""`" IS NULL))""",
        ),
        (NullSafe(X, INT, None), '("x" IS NOT DISTINCT FROM NULL)'),
        (In(X, INT, SOME), """("x" IN (to_int32('1'), NULL))"""),
        (StartsWith(X, "5%_\\"), r"""("x" LIKE '5\\%\\_\\\\%')"""),
        (IsNull(("s", "it's", "f")), r"""("s"['it\'s']['f'] IS NULL)"""),
        (Computed(X, "cast", "int64", "=", integer(64), "5"), """(CAST("x" AS int64) = to_int64('5'))"""),
        (Computed(X, "add", "-1", "!=", INT, "5"), """(("x" + -1) != to_int32('5'))"""),
        (Computed(X, "year", None, "<", INT, "5"), """(to_year("x") < to_int32('5'))"""),
        (
            Computed(X, "date_trunc", "month", "=", timestamp("us", utc=True), "0"),
            """(to_timestamp(date_trunc(month, "x")) = to_timestamp(to_int64('0'), 6))""",
        ),
        (
            Computed(X, "date_trunc", "hour", "=", timestamp("us", utc=True), "0"),
            """(date_trunc(hour, "x") = to_timestamp(to_int64('0'), 6))""",
        ),
        (Computed(X, "lower", None, "=", STRING, "a"), """(lower("x") = 'a')"""),
        (Computed(X, "prefix", "2", "=", STRING, "a"), """(left("x", 2) = 'a')"""),
        (Computed(X, "like", "a%", "=", Type("bool"), True), """("x" LIKE 'a%')"""),
    ],
    ids=lambda each: str(each)[:30],
)
def test_predicates(predicate, text):
    """Tests are joined as in SQL, names are quoted, and a prefix is no pattern."""
    assert sql(Filter(predicate, columns=("b",)), "t") == f'SELECT "b" FROM t WHERE {text}'


@pytest.mark.parametrize(
    ("query", "text"),
    [
        (Project(("a", "b")), 'SELECT "a", "b" FROM t'),
        (Slice(2, 3), "SELECT * FROM t LIMIT 3 OFFSET 2"),
        (CountRows(IsNull(X)), 'SELECT to_int64(count(*)) AS "rows" FROM t WHERE ("x" IS NULL)'),
        (
            Groups(X),
            'SELECT "x" AS "value", to_int64(count(*)) AS "rows" FROM t GROUP BY "x"',
        ),
        (
            Top(X, 4, descending=True, nulls_first=True),
            'SELECT "x" AS "value" FROM t ORDER BY "x" DESC NULLS FIRST LIMIT 4',
        ),
        (
            TopRows(X, 4, descending=False, nulls_first=False, columns=("y",)),
            'SELECT "y" FROM t ORDER BY "x" ASC NULLS LAST LIMIT 4',
        ),
        (
            TopWhere(X, 4, True, False, ("y",), IsNull(("y",)), 2),
            'SELECT "y" FROM t WHERE ("y" IS NULL) ORDER BY "x" DESC NULLS LAST LIMIT 4 OFFSET 2',
        ),
        (
            SemiJoin(X, INT, SOME, ("y",)),
            (
                'SELECT "y" FROM t WHERE "x" IN (SELECT colconf_match FROM '
                "(VALUES (to_int32('1')), (NULL)) AS colconf_small(colconf_match))"
            ),
        ),
        (
            AntiJoin(X, INT, SOME, None, not_in=True),
            (
                'SELECT * FROM t WHERE "x" NOT IN (SELECT colconf_match FROM '
                "(VALUES (to_int32('1')), (NULL)) AS colconf_small(colconf_match))"
            ),
        ),
    ],
    ids=lambda each: str(each)[:30],
)
def test_kinds_of_queries(query, text):
    """Slices, joins and queries of a column are said as in SQL."""
    assert sql(query, "t") == text


def test_named_results():
    """Extremes, counts and fields have the names that the answer's columns need."""
    assert sql(Aggregate(X), "t") == (
        'SELECT to_int64(count(*)) AS "rows", to_int64(count("x")) AS "present", '
        'min("x") AS "min", max("x") AS "max" FROM t'
    )
    (named,) = Fields((("s", "f"),)).named
    assert sql(Fields((("s", "f"),)), "t") == f'SELECT "s"[\'f\'] AS "{named}" FROM t'


@pytest.mark.parametrize(
    "query",
    [
        Batches(2),
        Project(("a\\",)),
        Project(('a\\"b',)),
        Project(("a\0",)),
        Filter(Compare(X, "=", DATE, "99999999")),
        Filter(Compare(X, "=", timestamp("us", utc=True), "9000000000000000000")),
        Filter(Compare(X, "=", timestamp("ns", utc=True), "1")),
        Filter(Compare(X, "=", floating(16), "3c00")),
        Filter(Compare(X, "=", tagged.time("us", utc=False), "1")),
    ],
    ids=lambda each: str(each)[:40],
)
def test_what_is_not_asked(query):
    """What cannot be said in the dialect is unsupported, no other query."""
    with pytest.raises(Unsupported):
        sql(query, "t")


def test_numbered_fields():
    """A tuple has the fields of the struct, by number; a struct with other names is no tuple."""
    struct = tagged.struct_of([("a", INT), ("b", STRING)])
    numbered = tagged.struct_of([("1", INT), ("2", STRING)])
    rewrite = fields_numbered(struct, numbered)
    assert (rewrite.type, rewrite.convert([["1", "x"]])) == (numbered, [["1", "x"]])
    for other in (tagged.struct_of([("2", INT), ("1", STRING)]), tagged.struct_of([("1", INT)]), INT):
        assert fields_numbered(struct, other) is None


def test_settings():
    """Rows come from one thread, moments in UTC; a way and `pushdown=off` have settings of their own."""
    assert settings({}) == "max_threads = 1, timezone = 'UTC'"
    late = settings({"way": "prewhere", "pushdown": "on"})
    assert late == "max_threads = 1, timezone = 'UTC', enable_parquet_prewhere = 1"
    assert settings({"pushdown": "off"}).endswith(
        "enable_parquet_rowgroup_pruning = 0, enable_parquet_page_index = 0"
    )


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("Code: 1001, Text = Unsupported Arrow type: Time64(Microsecond).", "unsupported"),
        ("no function matches signature `eq(Binary NULL, Binary)`", "unsupported"),
        ("SELECT with no columns.", "unsupported"),
        ("Parquet argument error: NYI: The codec type LZO is not supported yet.", "unsupported"),
        ("Parquet error: Could not parse metadata: not implemented.", "refused"),
        ("Parquet error: Encoding DELTA_BYTE_ARRAY is not supported for type.", "refused"),
        ("Parquet error: unexpected parquet encoding: 10.", "refused"),
        ("fail to read /tmp/unsupported.parquet: failed to fill whole buffer", "refused"),
    ],
)
def test_refusals(message, kind):
    """What Databend's types and functions lack is no refusal of the file; the file's name says nothing."""
    engine = Databend.__new__(Databend)
    engine.file = "/tmp/unsupported.parquet"
    assert engine.classify(RuntimeError(message)) == kind


def test_a_statement(tmp_path):
    """A file is asked by a name of its own, which is a literal, with the settings of its configuration."""
    asked = []

    class Connection:
        def sql(self, statement):
            asked.append(statement)
            raise RuntimeError("enough")

    engine = Databend.__new__(Databend)
    engine.connection, engine.links, engine.file = Connection(), Links(), ""
    file = tmp_path / "it's.orc"
    file.write_bytes(b"ORC")
    with pytest.raises(RuntimeError, match="enough"):
        engine.read(str(file), "orc", {"pushdown": "off"})
    (statement,) = asked
    assert statement.startswith("SETTINGS (max_threads = 1")
    assert " SELECT * FROM 'fs:///" in statement
    assert statement.endswith("' (FILE_FORMAT => 'orc')")
    with pytest.raises(RuntimeError, match="enough"):
        engine.query_one(str(file), "orc", {}, CountRows())
    assert 'SELECT to_int64(count(*)) AS "rows" FROM ' in asked[1]
