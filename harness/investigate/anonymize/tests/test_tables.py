"""An anonymized folder is the same table with other names and values, alike in all files and folders."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

import corpora
from corpora import tagged
from corpora.answers import answer
from corpora.build.evolution import checked_in
from corpora.build.evolution.cases import WRITERS, generated
from corpora.build.evolution.importing import import_tables
from corpora.build.evolution.members import Member, fields_of
from corpora.build.evolution.reading import read_folder
from corpora.build.reading import read
from corpora.cases import Case, Expectation, Probe, dump, load
from corpora.folders import digest, files_of
from corpora.queries import Compare, Filter
from corpora.table_files import partition_values
from corpora.table_reads import BY_POSITION, CASELESS, TableRead
from corpora.tagged import Field, Table, decimal, floating, integer
from harness.cli import main
from harness.engines.registry import ENGINES
from harness.environments.availability import status
from harness.investigate.anonymize.cases import anonymized
from harness.investigate.anonymize.queries import constants
from harness.investigate.minimize.forms import TableForm
from reference_impl.errors import Unsupported

ENDS = {str(sign * (1 << bits) - (sign > 0)) for bits in (31, 63) for sign in (1, -1)}  # which stay
EVOLVED = Path(corpora.__file__).parent / "evolved"


def written(folder, path, *members, values, form="parquet"):
    """Write a file of a table."""
    fields = [(field.name, field.type) for field in fields_of(members)]
    file = folder / f"{path}.{form}"
    file.parent.mkdir(parents=True, exist_ok=True)
    table = Table.of(fields, [list(column) for column in values])
    file.write_bytes(WRITERS[form](members, table, random.Random(2)))


def in_order(folder, form):
    """Return the tables of the files of a folder, in the order of their paths."""
    return [read(str(path), form) for path in files_of(folder)]


def reads_of(folder):
    """Return the reads of a folder of which nothing is recorded."""
    return import_tables([str(folder)]).cases


@pytest.mark.parametrize("form", ["parquet", "orc"])
def test_equal_values_stay_equal_in_all_files(form, tmp_path):
    """A number is the same other number in files of 16, 32 and 64 bits, and in the names of folders."""
    text, year = Member(2, "text", tagged.STRING), Member(3, "year", integer(32))
    numbers = ["0", "-1", "7000", "32767", "-20000"]
    larger = {16: [], 32: ["2000000000"], 64: ["2000000000", "2147483647", "-2147483648"]}
    for bits, more in larger.items():
        values = [*numbers, *more]
        words = ["Ada", "Ada B", *[None] * (len(values) - 2)]
        columns = [values, words, ["2019"] * len(values)]
        members = Member(1, "Number", integer(bits)), text, year
        written(tmp_path / "t", f"year=2019/part-{bits}", *members, values=columns, form=form)
    written(tmp_path / "t", "year=1777/part-9", year, values=[["1777"]], form=form)
    cases = reads_of(tmp_path / "t")
    new = anonymized(cases, tmp_path / "new", random.Random(1))
    seen = {}
    for path in files_of(tmp_path / "new"):
        table = read(str(path), form)
        columns = [table.column(at) for at in range(len(table.columns))]
        (told,) = partition_values(path.relative_to(tmp_path / "new").as_posix()).values()
        assert set(columns.pop()) == {told}
        assert told not in {"1777", "2019"}
        seen[table.num_rows] = columns
        assert not {"number", "text", "year"} & {field.name.lower() for field in table.columns}
    (small, _), (middle, words), (large, _) = seen[5], seen[6], seen[8]
    assert small == middle[:5] == large[:5]
    assert middle[5] == large[5] != "2000000000"
    assert [number in small for number in numbers] == [True, True, False, True, False]
    assert large[6:] == ["2147483647", "-2147483648"]
    assert words[0] != "Ada"
    assert words[1].startswith(words[0])
    assert [case.read.partitions != old.read.partitions for case, old in zip(new, cases, strict=True)]


@pytest.mark.sweep(2)
@pytest.mark.parametrize(("form", "number"), [("parquet", 0), ("parquet", 9), ("orc", 3), ("orc", 8)])
def test_generated_tables(form, number, tmp_path):
    """Reads return as many rows with as many nulls; files break no further MUST; equal values are equal."""
    seed = f"anonymous {number}"
    listed = list(generated(form, seed, "tables/t", tmp_path / "t", ["add", "rename"]))
    with pytest.raises(Unsupported, match="names of files"):
        anonymized([case for case in listed if case.read.name_pattern], tmp_path / "no", random.Random(3))
    old = [case for case in listed if not (case.read.name_pattern or "file_name" in case.read.metadata)]
    new = anonymized(old, tmp_path / "new", random.Random(3))
    bundles = TableForm(form)
    assert bundles.broken(bundles.data(new[0])) <= bundles.broken(bundles.data(old[0]))
    others = {}
    for before, after in zip(in_order(old[0].file, form), in_order(new[0].file, form), strict=True):
        for at, field in enumerate(before.columns):
            for value, other in zip(before.column(at), after.column(at), strict=True):
                assert others.setdefault((field.name, str(value)), other) == other
    for before, after in zip(old, new, strict=True):
        assert after.expectation.kind == before.expectation.kind
        assert after.expectation.table == read_folder(after.file, form, after.read)
        schemas = [[field.type.kind for field in case.read.schema] for case in (before, after)]
        assert schemas[0] == schemas[1]
        nulls = [
            [table.column(at).count(None) for at in range(len(table.columns))]
            for table in (before.expectation.table, after.expectation.table)
        ]
        assert nulls[0] == nulls[1]
        assert before.expectation.table.num_rows == after.expectation.table.num_rows


def test_what_no_map_keeps(tmp_path, capsys):
    """A column that is of 32 bits in one file and of 64 in another as a float is refused in one line."""
    written(tmp_path / "t", "one", Member(1, "real", floating(32)), values=[[None]])
    written(tmp_path / "t", "two", Member(1, "real", floating(64)), values=[[None]])
    assert main(["anonymize", str(tmp_path / "t"), "--out", str(tmp_path / "new")]) == 2
    said = capsys.readouterr().err
    assert "column real has other types in one.parquet and in two.parquet" in said
    assert not (tmp_path / "new").exists()


def test_a_partition_that_contradicts_its_column(tmp_path):
    """A folder whose name is no value of the column of that name is refused."""
    written(tmp_path / "t", "year=old/one", Member(1, "year", integer(32)), values=[["1"]])
    with pytest.raises(Unsupported, match="partition year='old' is no value of the column"):
        anonymized(reads_of(tmp_path / "t"), tmp_path / "new", random.Random(1))


@pytest.mark.heavy
def test_a_known_finding_still_shows(tmp_path, monkeypatch, capsys):
    """The finding of a table shows with the anonymized folder as well; its case is written beside it."""
    if not status(ENGINES["datafusion"]).available:
        pytest.skip("datafusion is not installed")
    monkeypatch.chdir(tmp_path)
    ended = main(["anonymize", "--finding", "datafusion-null-partition", "--out", "new"])
    shown = capsys.readouterr().out
    if "nothing to check" in shown:
        pytest.skip("this version of datafusion reads null partitions")
    assert ended == 0
    assert "still shows: datafusion | different | value in string" in shown
    case = load(tmp_path / "new.json")
    assert digest(case.file) == case.sha256
    (old,) = (case for case in checked_in.stored("parquet") if case.id.endswith("null-partition/text"))
    assert not {field.name for field in case.read.schema} & {field.name for field in old.read.schema}


def test_another_folder_than_that_of_the_finding(tmp_path, capsys):
    """A folder that is not that of the finding is refused."""
    written(tmp_path / "t", "one", Member(1, "a", integer(32)), values=[["1"]])
    (case, *_) = reads_of(tmp_path / "t")
    dump(case, tmp_path / "case.json")
    arguments = [str(tmp_path / "t"), "--finding", "datafusion-null-partition", "--out", str(tmp_path / "n")]
    assert main(["anonymize", *arguments]) == 2
    assert "is not the file of datafusion-null-partition" in capsys.readouterr().err


@pytest.mark.parametrize(
    "name",
    [
        "parquet/widened-tested/wide",
        "parquet/drop-inside-reorder/queries-ids-renamed",
        "orc/widened-tested/wide",
        "parquet/add/queries-all",
        "orc/add/queries-all",
    ],
)
def test_queries_have_the_new_names_and_constants(name, tmp_path):
    """Each query returns as many rows of the new folder, and has none of its old constants."""
    case = load(EVOLVED / f"{name}.json")
    (new,) = anonymized([case], tmp_path / "t", random.Random(4))
    assert len(new.probes) == len(case.probes) > 3
    old, changed = (
        {str(value) for probe in each for _, _, value in constants(probe.query)} - ENDS
        for each in (case.probes, new.probes)
    )
    assert not {value for value in old & changed if len(value) > 6}
    for before, after in zip(case.probes, new.probes, strict=True):
        rows = answer(before.query, case.expectation.table, "ieee").num_rows
        assert answer(after.query, new.expectation.table, "ieee").num_rows == rows


def table_case(folder, read, *tests):
    """Return a case of a folder with a filter for each (path, operator, type, constant)."""
    probes = tuple(Probe(Filter(Compare((path,), op, type_, value))) for path, op, type_, value in tests)
    accept = Expectation.accept(read_folder(folder, "parquet", read), "generator")
    return Case("tables/t", "parquet", folder, digest(folder), accept, probes=probes, read=read)


def constants_of(case):
    """Return the constants of the queries of a case."""
    return [value for probe in case.probes for _, _, value in constants(probe.query)]


def test_queries_of_columns_that_no_file_has(tmp_path):
    """A constant becomes another one of the type, the name of a file its new name; places stay."""
    written(tmp_path / "t", "a", Member(1, "x", integer(32)), values=[["1", "2"]])
    metadata = ("file_name", "row_index")
    read = TableRead((Field("x", integer(32)), Field("later", integer(64))), metadata=metadata)
    tests = [
        ("later", "=", integer(64), "12345678"),
        ("_file_name", "=", tagged.STRING, "a.parquet"),
        ("_row_index", "=", integer(64), "1"),
    ]
    (new,) = anonymized([table_case(tmp_path / "t", read, *tests)], tmp_path / "n", random.Random(4))
    (file,) = files_of(tmp_path / "n")
    assert file.name != "a.parquet"
    assert constants_of(new) == ["0", file.name, "1"]
    other = table_case(tmp_path / "t", read, ("_file_name", "=", tagged.STRING, "b.parquet"))
    with pytest.raises(Unsupported, match="a name that is no file"):
        anonymized([other], tmp_path / "m", random.Random(4))


def test_queries_without_case(tmp_path):
    """Where names match without case, the constant goes with the column of any spelling."""
    written(tmp_path / "t", "a", Member(1, "Text", tagged.STRING), values=[["Ada"]])
    read = TableRead((Field("text", tagged.STRING),), (), CASELESS)
    case = table_case(tmp_path / "t", read, ("text", "=", tagged.STRING, "Ada"))
    (new,) = anonymized([case], tmp_path / "n", random.Random(4))
    assert constants_of(new) == new.expectation.table.column(0) != ["Ada"]


@pytest.mark.parametrize(
    ("folder", "kind", "constant"),
    [("k=222", tagged.STRING, "99999"), ("k=222", integer(32), "-2147483648"), ("k=a", tagged.STRING, "b")],
)
def test_queries_of_partitions(tmp_path, folder, kind, constant):
    """The constant of a column of folders is in the same order to the names of folders as before."""
    written(tmp_path / "t", f"{folder}/a", Member(1, "x", integer(32)), values=[["1"]])
    read = TableRead((Field("x", integer(32)),), (Field("k", kind),))
    tests = [("k", op, kind, constant) for op in ("<", "=", ">")]
    case = table_case(tmp_path / "t", read, *tests)
    (new,) = anonymized([case], tmp_path / "n", random.Random(4))
    for before, after in zip(case.probes, new.probes, strict=True):
        rows = answer(before.query, case.expectation.table, "ieee").num_rows
        assert answer(after.query, new.expectation.table, "ieee").num_rows == rows


@pytest.mark.parametrize(
    ("read", "test", "why"),
    [
        (TableRead((Field("x", integer(32)),), (), BY_POSITION), ("x", integer(32), "1"), "by position"),
        (TableRead((Field("x", decimal(12, 2)),)), ("x", decimal(12, 2), "100"), "as decimal"),
        (
            TableRead((Field("x", integer(32)), Field("y", integer(32))), defaults=(("y", "5"),)),
            ("y", integer(32), "5"),
            "has a default",
        ),
        (
            TableRead((Field("x", integer(32)),), (Field("day", tagged.DATE),)),
            ("day", tagged.DATE, "99999999"),
            "partition column",
        ),
    ],
    ids=["position", "type", "default", "year"],
)
def test_queries_that_are_not_anonymized(tmp_path, read, test, why):
    """Where no map of a column keeps the meaning of a constant, the folder is refused."""
    below = "day=2024-01-01/a" if read.partitions else "a"
    written(tmp_path / "t", below, Member(1, "x", integer(32)), values=[["1"]])
    path, type_, value = test
    case = Case("tables/t", "parquet", tmp_path / "t", "0" * 64, Expectation.by_vote(), read=read)
    case = replace(case, probes=(Probe(Filter(Compare((path,), "=", type_, value))),))
    with pytest.raises(Unsupported, match=why):
        anonymized([case], tmp_path / "n", random.Random(4))


def test_hidden_files_are_named_and_left_out(tmp_path, capsys):
    """The command names one; a reason of the old case that names it is no reason of the new case."""
    written(tmp_path / "t", "a", Member(1, "x", integer(32)), values=[["1"]])
    (tmp_path / "t" / "_secret").mkdir()
    (tmp_path / "t" / "_secret" / "b.parquet").write_bytes(b"x")
    cases = reads_of(tmp_path / "t")
    assert all("_secret" in case.expectation.reason for case in cases)
    assert {case.expectation.reason for case in anonymized(cases, tmp_path / "n", random.Random(1))} == {None}
    assert main(["anonymize", str(tmp_path / "t"), "--out", str(tmp_path / "m")]) == 0
    assert "left out: 1 hidden files, such as b.parquet" in capsys.readouterr().out


def test_cases_of_several_tables_are_refused(capsys):
    """One folder is written, so that cases of one folder alone can be anonymized."""
    assert main(["anonymize", str(EVOLVED / "parquet"), "--out", "nowhere"]) == 2
    assert "cases of several tables" in capsys.readouterr().err


def test_a_folder_without_a_read_is_refused_in_one_line(tmp_path, capsys):
    """An empty file beside others leaves no read that is defined."""
    written(tmp_path / "t", "a", Member(1, "x", integer(32)), values=[["1"]])
    (tmp_path / "t" / "b.parquet").touch()
    assert main(["anonymize", str(tmp_path / "t"), "--out", str(tmp_path / "out")]) == 2
    assert "b.parquet is empty" in capsys.readouterr().err
