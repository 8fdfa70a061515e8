import gzip
import os
import struct
from collections import Counter
from pathlib import Path

import pytest

from corpora import tagged
from corpora.build import reading
from corpora.cases import CaseError
from corpora.importers import import_path, import_paths, orc_examples
from corpora.importers.orc_json import JsonProblem, json_table, type_of
from corpora.tagged import Table, integer, timestamp

ROOT = os.environ.get("ORC_TEST_DATA")
needs_data = pytest.mark.skipif(not ROOT, reason="ORC_TEST_DATA is not set")


SMALL = 150_000  # bytes of JSON, compressed
MAP = tagged.map_of(integer(32), tagged.DATE)
UNION = tagged.union_of([integer(32), tagged.STRING])
LIST = tagged.list_of(tagged.struct_of([("a", integer(32))]))
TWICE = "path = 'x'\nsha256 = ''\nexpectation = 'vote'"


def written(tmp_path, *lines):
    """Write lines as the tool's output is kept; return the path."""
    path = tmp_path / "x.jsn.gz"
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode()))
    return path


@pytest.mark.parametrize(
    ("schema", "type_", "text", "value"),
    [
        ("boolean", tagged.BOOL, "true", True),
        ("tinyint", integer(8), "-128", "-128"),
        ("bigint", integer(64), "9223372036854775807", "9223372036854775807"),
        ("string", tagged.STRING, '"\\u00e9"', "é"),
        ("varchar(3)", tagged.STRING, '"a"', "a"),
        ("binary", tagged.BYTES, "[0, 255]", "00ff"),
        ("date", tagged.DATE, '"1969-12-31"', "-1"),
        ("date", tagged.DATE, '"0001-01-01"', "-719162"),
        ("decimal(10,5)", tagged.decimal(10, 5), "-1000.50000", "-100050000"),
        ("decimal(4)", tagged.decimal(4, 0), "7", "7"),
        ("timestamp", timestamp("ns", utc=False), '"1970-01-01 00:00:00.5"', "500000000"),
        ("timestamp", timestamp("ns", utc=False), '"1969-12-31 23:59:59.000000001"', "-999999999"),
        ("array<int>", tagged.list_of(integer(32)), "[1, null]", ["1", None]),
        ("map<int,date>", MAP, '[{"key": 1, "value": null}]', [["1", None]]),
        ("uniontype<int,string>", UNION, '{"tag": 1, "value": "x"}', ["1", "x"]),
        ("array<struct<a:int>>", LIST, '[{"a": 2}]', [["2"]]),
    ],
)
def test_each_type(tmp_path, schema, type_, text, value):
    """Every type is read as ORC spells it, and each value as the tool prints it, nulls too."""
    found = json_table(written(tmp_path, text, "null"), schema)
    assert found == Table.of([("", type_)], [[value, None]])


def test_rows_of_structs(tmp_path):
    """The fields of the root are the columns; no rows are an empty table."""
    assert json_table(written(tmp_path, '{"a": 1, "b": "x"}'), "struct<a:int,b:string>").column(1) == ["x"]
    assert json_table(written(tmp_path), "struct<a:double>").num_rows == 0


def test_floats_are_not_exact(tmp_path):
    """A float is a problem, unless somebody says what stands for its text."""
    path = written(tmp_path, "0.77624090391187")
    with pytest.raises(JsonProblem, match="fewer digits"):
        json_table(path, "double")
    assert json_table(path, "double", lambda _, text: text).column(0) == ["0.77624090391187"]


@pytest.mark.parametrize(
    ("schema", "line"),
    [
        ("int", "{"),
        ("int", '"x"'),
        ("decimal(4,1)", "1.25"),
        ("date", '"1970-01-01 00:00:00.0"'),
        ("timestamp", '"1970-01-01"'),
        ("array<int>", "3"),
        ("string", "3"),
        ("boolean", '"true"'),
        ("struct<a:int>", "{}"),
        ("uniontype<int>", '{"tag": 5, "value": 1}'),
    ],
)
def test_values_of_another_form(tmp_path, schema, line):
    """What is no value of the schema is a problem of one line."""
    with pytest.raises(JsonProblem):
        json_table(written(tmp_path, line), schema)


@pytest.mark.parametrize(
    "schema", ["", "int32", "struct<a>", "array<int", "int>", "map<int;int>", "array<int>,"]
)
def test_no_schemas(schema):
    """A text that is no type of ORC is a problem."""
    with pytest.raises(JsonProblem):
        type_of(schema)


def test_no_file(tmp_path):
    """A file that is absent, or no gzip, is a problem."""
    with pytest.raises(JsonProblem):
        json_table(tmp_path / "nothing", "int")
    (tmp_path / "x").write_bytes(b"no gzip")
    with pytest.raises(JsonProblem):
        json_table(tmp_path / "x", "int")


def test_other_bytes_are_not_described(tmp_path):
    """A file of a known name but other bytes is judged by vote, and its notes say so; others are skipped."""
    (tmp_path / "TestOrcFile.testUnionAndTimestamp.orc").write_bytes(b"ORC and so on")
    (tmp_path / "expected").mkdir()
    (tmp_path / "expected" / "x.jsn.gz").write_bytes(b"")
    found = import_path(tmp_path)
    (case,) = found.cases
    assert case.id == "orc-examples/TestOrcFile.testUnionAndTimestamp.orc"
    assert case.expectation.source == "vote"
    assert "not the bytes" in case.notes
    assert [one.reason for one in found.skipped] == ["the values expected of the ORC file of that name"]


@pytest.mark.parametrize(
    "entry",
    [
        "path = 'x'",
        "path = 'x'\nsha256 = ''\nexpectation = 'maybe'",
        "path = 'x'\nsha256 = ''\nexpectation = 'accept'",
        "path = 'x'\nsha256 = ''\nexpectation = 'vote'\nclaus = ''",
        f"{TWICE}\n[[file]]\n{TWICE}",
    ],
)
def test_broken_tables(tmp_path, entry):
    """An entry of the table that is of another form is an error that names it."""
    path = tmp_path / "table.toml"
    path.write_text(f"other = []\n[[file]]\n{entry}\n")
    with pytest.raises(CaseError, match=r"^x|twice"):
        orc_examples.table(path)


@pytest.mark.heavy
@needs_data
@pytest.mark.corpus
def test_every_example_is_described():
    """No example is without an entry, none stands for other bytes, and all JSON is read."""
    cases = import_path(ROOT).cases
    entries = orc_examples.table().entries
    assert {case.file.relative_to(ROOT).as_posix() for case in cases} == set(entries)
    assert not [case.id for case in cases if "not the bytes" in case.notes or "cannot be used" in case.notes]
    kinds = Counter((case.expectation.kind, case.expectation.source) for case in cases)
    assert kinds["refuse", "spec"] == 5
    assert kinds["accept", orc_examples.WRITER] == 18
    assert kinds["accept", "writer:spark@3.2.0"] == 2


@needs_data
@pytest.mark.corpus
def test_the_reference_agrees_with_what_was_encrypted():
    """With the key that comes with them, the encrypted examples hold what was shown of them."""
    cases = import_path(Path(ROOT) / "encrypted").cases
    assert len(cases) == 2
    for case in cases:
        assert reading.read(str(case.file), "orc", case.keys).to_json() == case.expectation.table.to_json()


@needs_data
@pytest.mark.corpus
def test_the_reference_agrees_with_the_json(some_of):
    """What the reference reads of the smaller examples is what ORC's tool printed, as far as it prints it."""
    root = Path(ROOT).absolute()
    entries = [one for one in orc_examples.table().entries.values() if one.schema]
    small = [one.path for one in entries if one.json(root).stat().st_size < SMALL]
    assert len(small) >= 15
    sample = some_of(((path, path) for path in small), 6)
    for case in import_paths([root / path for path in sample]).cases:
        expected = orc_examples.Checkout(root).expected(case)
        assert expected is not None
        found = reading.read(str(case.file), "orc")
        assert [field.name for field in found.columns] == [field.name for field in expected.columns]
        assert found.num_rows == expected.num_rows
        for at, field in enumerate(found.columns):
            printed = [as_printed(field.type, value) for value in found.column(at)]
            assert printed == expected.column(at), (case.id, field.name)


def as_printed(type_, value):
    """Return a value with floats as `%.14g`, or `%.7g`, prints them."""
    if (
        type_ == tagged.decimal(38, 10) and value is not None
    ):  # Hive 0.11: it prints 6 digits, the rest cut off
        return str((int(value) // 10**4 if int(value) >= 0 else -(-int(value) // 10**4)) * 10**4)
    if value is None or not (type_.children or type_.kind == "float"):
        return value
    if type_.kind == "float":
        (number,) = struct.unpack(">f" if type_.bits == 32 else ">d", bytes.fromhex(value))
        return f"{number:.7g}" if type_.bits == 32 else f"{number:.14g}"
    inner = [child.type for child in type_.children]
    if type_.kind == "list":
        return [as_printed(inner[0], one) for one in value]
    if type_.kind == "map":
        return [[as_printed(of, one) for of, one in zip(inner, pair, strict=True)] for pair in value]
    if type_.kind == "union":
        return [value[0], as_printed(inner[int(value[0])], value[1])]
    return [as_printed(of, one) for of, one in zip(inner, value, strict=True)]
