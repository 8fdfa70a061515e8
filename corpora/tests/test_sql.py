"""Queries that people write in SQL: what they mean for columns, and where an error is."""

import pytest

from corpora import tagged
from corpora.build.sql.binding import bind
from corpora.build.sql.parser import parse
from corpora.build.sql.tokens import SqlError
from corpora.queries import from_json
from corpora.tagged import (
    BOOL,
    BYTES,
    DATE,
    INT96,
    STRING,
    Field,
    Type,
    decimal,
    floating,
    integer,
    timestamp,
)

COLUMNS = (
    Field("day", DATE),
    Field("amount", decimal(10, 2)),
    Field("n", integer(32)),
    Field("name", STRING),
    Field("moment", timestamp("us", utc=True)),
    Field("clock", timestamp("ms", utc=False)),
    Field("time", tagged.time("ms", utc=False)),
    Field("old", INT96),
    Field("ok", BOOL),
    Field("f", floating(32)),
    Field("raw", BYTES),
    Field("u", Type("uuid")),
    Field("s", tagged.struct_of([("a", integer(8)), ("B c", STRING)])),
    Field("l", tagged.list_of(STRING)),
    Field("Key", integer(8)),
    Field("key", integer(8)),
)


def bound(text, **more):
    """Return the kind and the text of the only query of a text, which must survive its JSON form."""
    (statement,) = parse(text)
    query = bind(statement, COLUMNS, **more).query
    assert from_json(query.to_json()) == query
    return query.kind, str(query)


@pytest.mark.parametrize(
    ("text", "kind", "meaning"),
    [
        ("WHERE day = DATE '2024-01-01' AND amount > 10", "filter", "day = date(19723) AND amount > 10.00"),
        ("select Name, n from t where 5 < n or n in (1, NULL, -3);", "filter",
         "name, n WHERE n > 5 OR n IN (1, NULL, -3)"),
        ("SELECT COUNT(*) AS rows FROM a.t WHERE name LIKE 'it''s%'", "count",
         'COUNT WHERE like(name, "it\'s%")'),
        ("SELECT COUNT(*)", "count", "COUNT"),
        ("SELECT COUNT(l)", "count_values", "COUNT OF l"),
        ("SELECT MIN(n), COUNT(*) WHERE NOT ok", "aggregate_where", "COUNT, MIN, MAX OF n WHERE NOT ok"),
        ("SELECT MAX(s.a)", "aggregate", "COUNT, MIN, MAX OF s.a"),
        ("SELECT * ORDER BY amount DESC NULLS FIRST LIMIT 5", "top_rows",
         "ALL ORDER BY amount DESC NULLS FIRST LIMIT 5"),
        ("SELECT n, day ORDER BY day LIMIT 5", "top_rows", "n, day ORDER BY day ASC NULLS LAST LIMIT 5"),
        ("WHERE day = DATE '1970-01-02' AND ok ORDER BY n DESC NULLS FIRST LIMIT 5 OFFSET 2", "top_where",
         "ALL WHERE day = date(1) AND ok ORDER BY n DESC NULLS FIRST LIMIT 5 OFFSET 2"),
        ("SELECT n WHERE n > 1 ORDER BY n LIMIT 5", "top_where",
         "n WHERE n > 1 ORDER BY n ASC NULLS LAST LIMIT 5 OFFSET 0"),
        ("WHERE n IS NOT NULL ORDER BY s.a LIMIT 1", "top_where",
         "ALL WHERE NOT n IS NULL ORDER BY s.a ASC NULLS LAST LIMIT 1 OFFSET 0"),
        ("SELECT day ORDER BY n LIMIT 5 OFFSET 3", "top_where",
         "day ORDER BY n ASC NULLS LAST LIMIT 5 OFFSET 3"),
        ("SELECT s.a ORDER BY s.a LIMIT 2", "top", "s.a ORDER BY s.a ASC NULLS LAST LIMIT 2"),
        ("SELECT DISTINCT name", "distinct", "DISTINCT name"),
        ("SELECT name, COUNT(*) GROUP BY name", "groups", "COUNT BY name"),
        ("SELECT * LIMIT 5 OFFSET 3", "slice", "ALL LIMIT 5 OFFSET 3"),
        ("WHERE n = 1 LIMIT 0", "slice", "ALL WHERE n = 1 LIMIT 0 OFFSET 0"),
        ("SELECT s.a, n WHERE s.`B c` IS NOT NULL", "fields", 'SELECT s.a, n WHERE NOT s."B c" IS NULL'),
        ("SELECT name, n", "project", "SELECT name, n"),
        ("WHERE n NOT BETWEEN 1 AND 2 AND name NOT LIKE '_'", "filter",
         'NOT (n >= 1 AND n <= 2) AND NOT like(name, "_")'),
        ("WHERE NOT (n <> 1 OR ok) -- a comment;\n AND n NOT IN (2)", "filter",
         "NOT (n != 1 OR ok) AND NOT n IN (2)"),
        ("WHERE n IS NOT DISTINCT FROM 2 OR n IS DISTINCT FROM NULL", "filter",
         "n IS NOT DISTINCT FROM 2 OR NOT n IS NOT DISTINCT FROM NULL"),
        ("WHERE moment >= TIMESTAMP '2024-01-01 12:00:00.5+01:00'", "filter",
         "moment >= timestamp(1704106800500000 us, utc)"),
        ("WHERE clock < DATE '1969-12-31' AND old > '1970-01-01 00:00'", "filter",
         "clock < timestamp(-86400000 ms) AND old > int96(0)"),
        ("WHERE time = TIME '01:00:00.001'", "filter", "time = time(3600001 ms)"),
        ("WHERE CAST(moment AS DATE) = DATE '2024-01-01' AND YEAR(day) IN (2023, 2024)", "filter",
         'cast(moment, "date") = date(19723) AND (year(day) = 2023 OR year(day) = 2024)'),
        ("WHERE LOWER(name) = 'a'", "filter", 'lower(name) = "a"'),
        ("WHERE u = '550e8400-E29B-41d4-a716-446655440000' AND raw = x'00Ff'", "filter",
         "u = X'550e8400e29b41d4a716446655440000' AND raw = X'00ff'"),
        ("WHERE f <> 0.1 AND f < 'NaN' AND f > -1e3 AND amount = 1.5e1", "filter",
         "f != 0.10000000149011612 AND f < NaN AND f > -1000.0 AND amount = 15.00"),
        ("WHERE n > 3 IS TRUE AND (n = 1 OR ok) IS NOT TRUE", "filter",
         "NOT (n > 3) IS NOT TRUE AND (n = 1 OR ok) IS NOT TRUE"),
        ("WHERE ok IS FALSE OR n IN (1, NULL) IS NOT FALSE", "filter",
         "NOT (NOT ok) IS NOT TRUE OR (NOT n IN (1, NULL)) IS NOT TRUE"),
        ("WHERE (n = 1) IS UNKNOWN", "filter", "(n = 1) IS NOT TRUE AND (NOT n = 1) IS NOT TRUE"),
        ("WHERE NOT (ok) IS NOT NULL OR (n) = 3", "filter", "NOT NOT ok IS NULL OR n = 3"),
        ("WHERE (n = 1) IS NOT NULL", "filter", "NOT ((n = 1) IS NOT TRUE AND (NOT n = 1) IS NOT TRUE)"),
        ("SELECT t.n, x.t.s.a FROM x.t WHERE T.ok AND s.a = 1", "fields",
         "SELECT n, s.a WHERE ok AND s.a = 1"),
        ("SELECT t.* FROM x AS t WHERE t.n == 1", "filter", "n = 1"),
        ("SELECT COUNT(t.n), MAX(n) FROM u t WHERE t.ok", "aggregate_where", "COUNT, MIN, MAX OF n WHERE ok"),
        ("SELECT s.a FROM s WHERE s.n = 3", "fields", "SELECT s.a WHERE n = 3"),
        ("SELECT t.name who, COUNT(*) AS n FROM t GROUP BY who", "groups", "COUNT BY name"),
        ("SELECT name, COUNT(*) n FROM 'a file.parquet' t GROUP BY t.NAME", "groups", "COUNT BY name"),
        ("SELECT n AS day, day AS n FROM t ORDER BY t.day OFFSET 1 LIMIT 2", "top_where",
         "n, day ORDER BY day ASC NULLS LAST LIMIT 2 OFFSET 1"),
        ("SELECT n AS day, day AS n FROM t ORDER BY day LIMIT 2", "top_rows",
         "n, day ORDER BY n ASC NULLS LAST LIMIT 2"),
        ("SELECT /* both; */ n/**/, day FROM t", "project", "SELECT n, day"),
        ('WHERE "Key" = 1 AND "key" = 2 AND Key = 3', "filter", "Key = 1 AND key = 2 AND Key = 3"),
    ],
)  # fmt: skip
def test_what_a_query_means(text, kind, meaning):
    """A query is one of colconf's, with constants of the columns' types."""
    assert bound(text) == (kind, meaning)


@pytest.mark.parametrize(
    ("text", "at", "message"),
    [
        ("SELEC n", 0, "SELECT or WHERE is expected here, not SELEC"),
        ("WHERE n = ", 10, "a constant is expected here, not the end"),
        ("WHERE n = name", 10, "a constant is expected here, not name"),
        ('WHERE name = "a"', 13, "a constant is expected here, not \"a\"; text stands in '…'"),
        ("WHERE name = 'a", 13, "a text without its closing '"),
        ("WHERE n ~ 3", 8, "'~' has no meaning here"),
        ("WHERE n = NULL", 10, "a comparison with NULL is never TRUE: IS NULL tests for it"),
        ("WHERE ABS(n) > 3", 6, "ABS is not one of the functions here: YEAR, LOWER, CAST(… AS DATE)"),
        ("WHERE CAST(n AS INT) > 3", 16, "DATE is expected here, not INT"),
        ("WHERE (n = 1", 12, ") is expected here, not the end"),
        ("WHERE n = 1 LIMIT x", 18, "x is not a number of rows, at most 1,000,000,000"),
        ("SELECT n LIMIT 1000000001", 15, "1000000001 is not a number of rows, at most 1,000,000,000"),
        ("WHERE " + "(" * 40 + "n = 1", 36, "conditions are nested deeper than 30"),
        ("WHERE name LIKE 'a' ESCAPE 'b'", 20, "ESCAPE cannot be expressed"),
        ("WHERE n NOT = 1", 12, "a comparison is expected here, not ="),
        ("WHERE n IS 1", 11, "NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM is expected here, not 1"),
        ("WHERE (n = 1) IS DISTINCT FROM 1", 17,
         "TRUE, FALSE, UNKNOWN or NULL is expected here, not DISTINCT"),
        ("WHERE (n = 1) IS TRUE IS TRUE", 22, "the end is expected here, not IS"),
        ("WHERE YEAR(day) IS TRUE", 11, "IS TRUE is of a column, not of a function"),
        ("WHERE case = 1", 6, 'a column is expected here, not case; as a name it stands in "…"'),
        ("SELECT n /* all", 9, "a comment without its closing */"),
        ("WHERE n / 2 = 1", 8, "'/' has no meaning here"),
        ("SELECT u.* FROM t WHERE n = 1", 7, "no table u, whose columns are selected"),
        ("SELECT n, t.* FROM t", 11, "the end is expected here, not ."),
        ("SELECT SUM(n) FROM t", 7, "SUM is not one of the functions of SELECT: COUNT, MIN, MAX"),
        ("SELECT n FROM read('a')", 18, "a table is a name here, not a function"),
        ("SELECT * FROM t, u WHERE n = 1", 15, "a query is of one table"),
        ("SELECT * FROM t JOIN u", 16, "the end is expected here, not JOIN"),
        ("SELECT * FROM t", 0, "SELECT * without WHERE or LIMIT reads the whole file, which every run does"),
        ("SELECT n ORDER BY n", 0, "ORDER BY requires LIMIT, of at least one row"),
        ("SELECT n ORDER BY n, day LIMIT 1", 19, "ORDER BY more than one column cannot be expressed"),
        ("WHERE n = 1 ORDER BY n", 0, "ORDER BY requires LIMIT, of at least one row"),
        ("SELECT n ORDER BY n LIMIT 3 WHERE n = 1", 28, "the end is expected here, not WHERE"),
        ("WHERE n = 1 ORDER BY n LIMIT 3 OFFSET n", 38, "n is not a number of rows, at most 1,000,000,000"),
        ("SELECT n OFFSET 3", 9, "OFFSET requires LIMIT"),
        ("SELECT n, MAX(n)", 0, "aggregates stand alone: no other column, DISTINCT, ORDER BY or LIMIT"),
        ("SELECT DISTINCT n, day", 0, "DISTINCT is of one column, without WHERE, ORDER BY and LIMIT"),
    ],
)  # fmt: skip
def test_what_cannot_be_read(text, at, message):
    """An error names the place in the text, and what is wrong there."""
    with pytest.raises(SqlError) as caught:
        parse(text)
    assert (caught.value.at, str(caught.value)) == (at, message)


@pytest.mark.parametrize(
    ("text", "at", "message"),
    [
        ("WHERE a = 1", 6, "no column a"),
        ('WHERE "NAME" = \'a\'', 6, "no column NAME"),
        ("SELECT x.n FROM t", 7, "no column x.n: x is no column, and the table is called t"),
        ("SELECT t.n FROM t AS u", 7, "no column t.n: t is no column, and the table is called u"),
        ("SELECT n FROM t WHERE t.a = 1", 22, "no column t.a"),
        ("SELECT t.n", 7, "no column t.n"),
        ("WHERE n IS TRUE", 6, "n is of type int(32, signed), so that a condition is not defined"),
        ("WHERE ((n = 1) IS UNKNOWN OR ok) IS UNKNOWN", 15,
         "IS UNKNOWN of a condition with IS UNKNOWN cannot be expressed"),
        ("SELECT MIN(n), MAX(day)", 0, "aggregates of several columns cannot be expressed: one query each"),
        ("SELECT n, COUNT(*) GROUP BY day", 0,
         "GROUP BY is SELECT column, COUNT(*) GROUP BY column, without WHERE, ORDER BY and LIMIT"),
        ("WHERE kEY = 1", 6, "more than one column kEY"),
        ("WHERE s.a.b = 3", 6, "s.a is of type int(8, signed), which has no field b"),
        ("WHERE s.x = 3", 6, "no column s.x"),
        ("WHERE clock = '2024-01-01 00:00:00Z'", 14,
         "clock is of type timestamp(ms, not utc), which has no value '2024-01-01 00:00:00Z'"),
        ("WHERE u = 'no'", 10, "u is of type uuid, which has no value 'no'"),
        ("WHERE f = 'much'", 10, "f is of type float(32), which has no value 'much'"),
        ("WHERE f = 1e39", 10, "f is of type float(32), which has no value 1e39"),
        ("WHERE l = 'a'", 10, "l is of type list<element: string>, which has no value 'a'"),
        ("WHERE n", 6, "n is of type int(32, signed), so that a condition is not defined"),
        ("WHERE YEAR(n) = 3", 11, "n is of type int(32, signed), so that YEAR of it is not defined"),
        ("WHERE n LIKE 'a'", 6, "n is of type int(32, signed), so that LIKE of it is not defined"),
        (r"WHERE name LIKE '\%'", 16, "engines differ in what a \\ of a pattern means"),
        ("SELECT MIN(l)", 11, "l is of type list<element: string>, which has no minimum"),
        ("SELECT DISTINCT l", 16, "l is of type list<element: string>, whose values cannot be grouped"),
        ("SELECT COUNT(*) GROUP BY s", 25,
         "s is of type struct<a: int(8, signed), B c: string>, whose values cannot be grouped"),
        ("SELECT l ORDER BY l LIMIT 1", 18, "l is of type list<element: string>, which has no order"),
        ("SELECT s.a LIMIT 1", 0, "fields of structs with LIMIT cannot be expressed"),
        ("SELECT s.a WHERE ok ORDER BY s.a LIMIT 1", 0,
         "fields of structs with ORDER BY and WHERE or OFFSET cannot be expressed"),
        ("SELECT s.a ORDER BY n LIMIT 1", 0,
         "fields of structs in the order of another column cannot be expressed"),
        ("SELECT n, n WHERE ok", 0, "columns ('n', 'n') are not distinct"),
    ],
)  # fmt: skip
def test_what_does_not_fit_columns(text, at, message):
    """A query of a column that is not there, or of a value that its type does not have, does not fit."""
    with pytest.raises(SqlError) as caught:
        bound(text)
    assert (caught.value.at, str(caught.value)) == (at, message)


def test_names_that_differ_in_case():
    """A name without quotes may differ in case from the only such column; of two, it must be exact."""
    columns = (Field("Ab", BOOL), Field("aB", BOOL), Field("Cd", BOOL))
    assert str(bind(*parse("WHERE cd AND Ab"), columns).query) == "Cd AND Ab"
    with pytest.raises(SqlError, match="more than one column ab"):
        bind(*parse("WHERE ab"), columns)


def test_queries_of_tables():
    """Folders have the queries that engines answer of folders."""
    assert bound("SELECT n, day", is_table=True) == ("fields", "SELECT n, day")
    assert bound("WHERE n = 1 LIMIT 3", is_table=True)[0] == "slice"
    for text in (
        "SELECT n ORDER BY n LIMIT 1",
        "WHERE ok ORDER BY n LIMIT 1",
        "SELECT DISTINCT n",
        "SELECT COUNT(n)",
    ):
        with pytest.raises(SqlError, match="is of files, not of folders that are read as tables"):
            bound(text, is_table=True)


def test_several_queries():
    """Queries end with a semicolon, unless it is in a text or comment; their texts can be read again."""
    text = "WHERE name = ';'\n;; -- no; end\nSELECT COUNT ( * ) -- all\n  FROM t;"
    statements = parse(text)
    texts = ["WHERE name = ';'", "SELECT COUNT ( * ) FROM t"]
    assert [statement.text for statement in statements] == texts
    again = [parse(each)[0] for each in texts]
    assert [bind(each, COLUMNS) for each in again] == [bind(each, COLUMNS) for each in statements]
    assert parse(" -- nothing\n;") == []
