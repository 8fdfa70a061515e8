"""Generated tables: the reference reads from their files what their plans say, in both formats."""

import json
import os
import shutil
from dataclasses import replace
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from corpora import rules
from corpora.build import recipe
from corpora.build.evolution import checked_in, own
from corpora.build.evolution.cases import generated
from corpora.build.evolution.importing import import_tables
from corpora.build.evolution.members import far_scalar, scalar
from corpora.build.evolution.reading import read_folder
from corpora.build.evolution.steps import STEPS
from corpora.build.formats import FORMATS
from corpora.cases import dump, load
from corpora.constants import check_constant
from corpora.folders import copy, digest, files_of
from corpora.importers import ImportProblem
from corpora.table_files import Undefined
from corpora.table_reads import CASELESS, TableRead
from corpora.tagged import BYTES, DATE, Field, floating, integer, timestamp
from reference_impl.errors import ReferenceError_
from reference_impl.parquet import plan as parquet_plan
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.schema import Type as Physical
from reference_impl.parquet.writer import write


@pytest.mark.parametrize(("format_", "seed"), [("parquet", "far 0"), ("orc", "far 4")])
def test_tables_with_far_values_hold_what_is_expected(tmp_path, format_, seed):
    """The reference reads a table with far values as its rows say; a usual table of the seed has none."""
    ends = {f'"{value}"' for value in (-719_162, 2_932_896, 2**63 - 1, -(2**63), "a" * 300, "61" * 300)}
    count = {}
    for far in (False, True):
        cases = list(generated(format_, seed, "tables/f", tmp_path / f"{far}", far=far))
        for case in cases:
            assert read_folder(case.file, format_, case.read) == case.expectation.table, case.id
        text = json.dumps([case.expectation.table.to_json() for case in cases])
        count[far] = sum(map(text.count, ends))
    assert count[False] == 0 < count[True]


@pytest.mark.parametrize(
    ("type_", "far"),
    [
        (DATE, {"-719162", "-141428", str(2**31 - 1)}),
        (timestamp("us", utc=False), {str(-(2**63)), str(2**63 - 1), str(-719_162 * 86_400 * 10**6)}),
        (timestamp("ns", utc=True), {str(-(2**63)), str(2**63 - 1)}),
        (floating(32), {"7fc00001", "ffc00000"}),
        (BYTES, {"61" * 300}),
    ],
    ids=["date", "microseconds", "nanoseconds", "float", "bytes"],
)
def test_far_values(type_, far):
    """Unusual values are drawn beside usual ones, all of them within the type."""
    rng = Random(1)
    values = {far_scalar(type_, rng) for _ in range(2_000)}
    assert far < values
    assert not far & {scalar(type_, rng) for _ in range(2_000)}
    for value in values:
        check_constant(type_, value)


@pytest.mark.sweep(6)
@pytest.mark.parametrize("format_", ["parquet", "orc"])
@pytest.mark.parametrize("step", sorted(STEPS))
def test_the_files_hold_what_is_expected(tmp_path, format_, step):
    """The reference reads each table of a step of evolution as its rows say, and no file breaks a MUST."""
    cases = list(generated(format_, f"{step} 1", "tables/1", tmp_path, [step]))
    assert len(cases) > 6
    known = rules.load()
    for path in files_of(cases[0].file):
        report = FORMATS[format_].examine(path.read_bytes(), None)
        levels = {violation.rule: known[violation.rule].level for violation in report.violations}
        assert "MUST" not in levels.values(), levels
    for case in cases:
        answer = read_folder(case.file, format_, case.read)
        assert answer == case.expectation.table, str(case.read)


def test_the_same_from_the_same_seed(tmp_path):
    """A seed decides the bytes of all files, and all cases."""
    first, second = (
        list(generated("parquet", "s", "tables/s", tmp_path / name)) for name in ("first", "second")
    )
    assert digest(tmp_path / "first") == digest(tmp_path / "second")
    assert [(case.id, case.read, case.expectation) for case in first] == [
        (case.id, case.read, case.expectation) for case in second
    ]


@pytest.fixture(name="table")
def folder_of_a_table(tmp_path):
    """Return the cases of a table, each in a file beside its folder."""
    folder = tmp_path / "table"
    cases = list(generated("parquet", "own 4", "tables/own", folder, ["add", "widen"]))
    for case in cases:
        dump(case, folder / f"{case.id.rpartition('/')[2]}.json")
    return folder, cases


def test_recorded_cases_are_imported(table):
    """The cases of a folder are imported as they were written; one whose files changed is refused."""
    folder, cases = table
    imported = import_tables([str(folder)]).cases
    assert {case.id: case for case in imported} == {case.id: case for case in cases}
    one = next(iter(sorted(folder.glob("*.json"))))
    assert import_tables([str(one)]).cases == (load(one),)
    (next(iter(folder.rglob("*.parquet")))).write_bytes(b"")
    with pytest.raises(ImportProblem, match="differ from those of the case"):
        import_tables([str(folder)])


def test_paths_are_absolute(table, monkeypatch):
    """A relative path is imported as the absolute one, so that a run is resumed from any folder."""
    folder, _ = table
    monkeypatch.chdir(folder.parent)
    assert import_tables([folder.name]) == import_tables([str(folder)])


def test_a_folder_without_cases(table, tmp_path):
    """A folder of files is read with the schema of each file, with all columns, and with none."""
    folder, _ = table
    copy(folder / "files", tmp_path / "lake")
    imported = import_tables([str(tmp_path / "lake")]).cases
    names = [case.id.rpartition("/")[2] for case in imported]
    assert names[-2:] == ["all", "nothing"]
    assert len(names) >= 3
    for case in imported:
        assert case.expectation.source == "vote"
        read_folder(case.file, "parquet", case.read)


def test_what_no_text_defines_is_skipped_and_named(tmp_path):
    """A schema that another file has no defined way into is skipped, with its reason; other reads stay."""
    columns = ({"a": pa.array(["x"])}, {"a": pa.array([1])}, {"a": pa.array([None], pa.int32())})
    for number, held in enumerate(columns[:2]):
        pq.write_table(pa.table(held), tmp_path / f"{number}.parquet")
    imported = import_tables([str(tmp_path)])
    assert [case.id.rpartition("/")[2] for case in imported.cases] == ["nothing"]
    names = {skip.id.rpartition("/")[2]: skip.reason for skip in imported.skipped}
    assert set(names) == {"schema-0", "schema-1", "all", "unified"}
    assert names["schema-0"] == "no specification says how int(64, signed) becomes string"
    pq.write_table(pa.table(columns[2]), tmp_path / "0.parquet")
    reads = {case.id.rpartition("/")[2]: case.expectation for case in import_tables([str(tmp_path)]).cases}
    assert reads["schema-1"].reason == "not every reader supports: int-widened"
    assert reads["nothing"].reason is None


@pytest.mark.parametrize("name", ["unified", "missing-tested"])
def test_the_schema_that_a_reader_makes(name):
    """A folder is also read with the schema of all files together, where no type is another one."""
    files = checked_in.folder_of_all() / "parquet" / name / "files"
    reads = {each.name: each.read for each in own.reads(files, "parquet") if not each.undefined}
    assert list(reads)[-3:] == ["all", "unified", "nothing"]
    assert reads["unified"].unified
    assert reads["unified"].schema == reads["all"].schema


def test_a_folder_that_is_no_table_does_not_keep_others_from_being_read(tmp_path):
    """Of several folders, one that is no table is skipped as unusable; without any other it is an error."""
    good, empty = tmp_path / "good", tmp_path / "empty"
    table_of(good, "a.parquet")
    empty.mkdir()
    imported = import_tables([str(empty), str(good)])
    assert {case.file for case in imported.cases} == {good}
    assert [(skip.file, skip.unusable) for skip in imported.skipped] == [(empty, True)]
    with pytest.raises(ImportProblem, match="empty: a table has files"):
        import_tables([str(empty), str(empty)])


def test_what_is_no_table(tmp_path):
    """A folder without files, of two formats, or of broken files is refused in one line."""
    with pytest.raises(ImportProblem, match=r"no files called \*\.parquet or \*\.orc$"):
        import_tables([str(tmp_path)])
    table_of(tmp_path, "_day=1/a.parquet")
    with pytest.raises(ImportProblem, match=r"visible files; _day=1/a\.parquet is hidden, or in a hidden"):
        import_tables([str(tmp_path)])
    (tmp_path / "_day=1" / "a.parquet").unlink()
    (tmp_path / "000000_0").write_bytes(b"ORC")
    with pytest.raises(ImportProblem, match=r"\*\.orc: name them so, in a copy$"):
        import_tables([str(tmp_path)])
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    with pytest.raises(ImportProblem, match="can open none"):
        import_tables([str(tmp_path)])
    (tmp_path / "a.orc").write_bytes(b"ORC")
    with pytest.raises(ImportProblem, match="parquet and orc"):
        import_tables([str(tmp_path)])
    with pytest.raises(ImportProblem, match="neither a folder"):
        import_tables([str(tmp_path / "a.orc")])
    with pytest.raises(ImportProblem, match="there is no such folder"):
        import_tables([str(tmp_path / "nowhere")])


def table_of(folder, *names, **columns):
    """Write a file of a row for each name into a folder, and return the folder."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table(columns or {"a": [1]}), folder / name)
    return folder


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("README.txt", b"x", "README.txt is not called *.parquet"),
        ("b.pq", b"x", "b.pq is not called *.parquet"),
        ("zero.parquet", b"", "zero.parquet is empty"),
        ("_b.parquet", b"x", "_b.parquet is hidden"),
        ("in/.b.parquet", b"x", "in/.b.parquet is hidden"),
        ("_delta_log/0.parquet", b"x", "_delta_log/0.parquet lies in a hidden folder"),
        ("a/k=1/b.parquet", b"x", "a/k=1/b.parquet lies in folders with and without"),
    ],
)
def test_a_folder_whose_files_readers_choose_otherwise_blames_nobody(tmp_path, name, content, why):
    """Its reads are skipped with the file that readers differ about; two versions can still be compared."""
    folder = table_of(tmp_path, "a.parquet")
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)
    imported = import_tables([str(folder)])
    assert not imported.cases
    assert all(why in each.reason for each in imported.skipped)
    assert import_tables([str(folder)], undefined=True).cases


def test_links_to_folders(tmp_path):
    """Readers differ in whether they follow a link to a folder, unless it is hidden."""
    folder = table_of(tmp_path, "k=1/a.parquet")
    (folder / "_k").symlink_to("k=1")
    assert not own.doubts(folder, "parquet")
    (folder / "k=2").symlink_to("k=1")
    assert own.doubts(folder, "parquet").startswith("k=2 is a link to a folder: some readers follow it")


@pytest.mark.parametrize("name", ["_SUCCESS", ".a.parquet.crc", "_delta_log/0.json"])
def test_hidden_files_of_other_programs_do_no_harm(tmp_path, name):
    """Files that no reader takes for data, JSON among them, leave the table as it is."""
    folder = table_of(tmp_path, "a.parquet")
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text('{"a": 1}\n{"a": 2}\n')
    imported = import_tables([str(folder)])
    assert [len(imported.cases), len(imported.skipped)] == [2, 0]
    reasons = {case.expectation.reason for case in imported.cases}
    assert reasons == {f"{name}: some readers look at hidden files and folders"}


def test_json_that_is_no_case_is_no_record(tmp_path):
    """Any JSON beside the data is another file, not a damaged case; a damaged case is refused."""
    folder = table_of(tmp_path / "t", "a.parquet")
    for text in ('{"schema": 1}', '{"a": 1}\n{"b": 1}\n', "{"):
        (folder / "schema.json").write_text(text)
        (skipped, *_) = import_tables([str(folder)]).skipped
        assert "schema.json is not called *.parquet" in skipped.reason
    (folder / "schema.json").write_text('{"id": 1, "format": 2, "file": 3, "sha256": 4')
    with pytest.raises(ImportProblem, match=r"schema\.json"):
        import_tables([str(folder)])


def test_folders_of_plain_names_are_read_by_who_is_told_to(tmp_path):
    """Without partition columns, files in other folders are of the table, and readers are told so."""
    (first, *_) = import_tables([str(table_of(tmp_path, "2020/a.parquet", "2021/b.parquet"))]).cases
    assert first.read.recursive


@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
def test_a_column_of_all_files_has_the_widest_type(tmp_path, order):
    """The type of a column in the read of all files is that which the others become, in whatever order."""
    for name, type_ in zip(order, (pa.int64(), pa.int32()), strict=True):
        pq.write_table(pa.table({"x": pa.array([1], type_)}), tmp_path / f"{name}.parquet")
    reads = {each.name: each for each in own.reads(tmp_path, "parquet")}
    assert [str(field.type) for field in reads["all"].read.columns] == ["int(64, signed)"]
    assert not reads["all"].undefined


def test_hidden_files_are_no_part_of_a_table(tmp_path):
    """Files and folders that begin with `_` or `.` are left out, as Hadoop does."""
    for name in ("_metadata", ".hidden", "_temporary/0/a.parquet"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    before = digest(tmp_path)
    (tmp_path / "_metadata").write_bytes(b"y")
    assert digest(tmp_path) == before
    assert list(own.reads(tmp_path, "parquet")) == []


def test_a_read_without_a_right_answer(table):
    """A folder is not read in a way that no text defines."""
    _, (case, *_) = table
    read = case.read.from_json({"columns": [], "partitions": [{"name": "p", "type": {"kind": "string"}}]})
    with pytest.raises(Undefined, match="no folder of the partition column"):
        read_folder(case.file, "parquet", read)


@pytest.mark.parametrize("format_", ["parquet", "orc"])
def test_the_checked_in_cases(format_):
    """There are two hundred table cases of each format, each with an authority and unlike the others."""
    cases = list(checked_in.stored(format_))
    assert len(cases) >= 200
    assert len({case.id for case in cases}) == len(cases)
    assert all(case.spec and case.expectation.table is not None for case in cases)


@pytest.mark.heavy
def test_what_lint_finds(tmp_path, monkeypatch):
    """A case or file that is missing, changed or left over is named; untouched cases are sound."""
    monkeypatch.setattr(checked_in, "TABLES", ("add",))
    checked_in.write("parquet", tmp_path)
    assert list(checked_in.problems("parquet", tmp_path)) == []
    folder = tmp_path / "parquet" / "add"
    (folder / "all.json").rename(folder / "more.json")
    case = load(folder / "nothing.json")
    dump(replace(case, notes="changed"), folder / "nothing.json")
    case = load(folder / "more.json")
    dump(replace(case, id="evolved/parquet/add/more"), folder / "more.json")
    lines = "\n".join(checked_in.problems("parquet", tmp_path))
    for text in ("add/all: missing", "add/nothing: differs", "add/more: no seed"):
        assert text in lines
    next(folder.rglob("*.parquet")).write_bytes(b"")
    lines = "\n".join(checked_in.problems("parquet", tmp_path))
    for text in ("sha256 is not that of its folder", "its files differ", "the reference reads no table"):
        assert text in lines


def test_a_damaged_column_that_is_not_asked_for_is_not_read(tmp_path):
    """The reference reads the columns of the read where another column cannot be read; else it refuses."""
    plan = parquet_plan.FilePlan(
        recipe.schema(recipe.leaf("x", Physical.INT32), recipe.leaf("y", Physical.INT32)),
        ({"x": 1, "y": 2}, {"x": 3, "y": 4}),
    )
    data = bytearray(write(plan))
    opened = ParquetFile(bytes(data))
    start = opened.column_chunk(0, 1).meta_data.data_page_offset
    data[start : start + 4] = b"\xff" * 4
    (tmp_path / "a.parquet").write_bytes(data)
    x, y = (Field(name, integer(32)) for name in "xy")
    assert list(read_folder(tmp_path, "parquet", TableRead((x,))).column(0)) == ["1", "3"]
    assert read_folder(tmp_path, "parquet", TableRead(())).num_rows == 2
    for columns, more in (((y,), {}), ((x,), {"unified": True}), ((x,), {"matching": CASELESS})):
        with pytest.raises(ReferenceError_):
            read_folder(tmp_path, "parquet", TableRead(columns, **more))


def in_place_of(path):
    """Put a FIFO in the place of a file."""
    path.unlink()
    os.mkfifo(path)


DAMAGES = {
    "emptied": lambda path: path.write_text(""),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:60]),
    "a member of another name": lambda path: path.write_text(
        path.read_text().replace('"sha256"', '"sha257"')
    ),
    "a FIFO": in_place_of,
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_table_case_is_refused(tmp_path, name):
    """Beside other cases, and named itself; it is not left out."""
    copied = tmp_path / "add"
    shutil.copytree(checked_in.folder_of_all() / "parquet" / "add", copied)
    path = next(copied.glob("*.json"))
    assert len(import_tables([str(copied)]).cases) > 1
    DAMAGES[name](path)
    for given in (copied, path):
        with pytest.raises((ImportProblem, OSError), match=r"regular|Expecting|Unterminated|lacks|unknown"):
            import_tables([str(given)])


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (["plain/x.parquet", "k=1/y.parquet"], "other partition columns"),
        (["x.parquet", "k=1/x.parquet"], "other partition columns"),
        (["K=1/x.parquet", "k=2/x.parquet"], "other partition columns"),
        (["K=1/k=2/x.parquet"], "twice"),
        (["=5/x.parquet"], "names no column"),
    ],
)
def test_folders_of_other_partition_columns_are_skipped(tmp_path, names, why):
    """No text says which partition columns the table has."""
    imported = import_tables([str(table_of(tmp_path, *names))])
    assert not imported.cases
    assert all(why in each.reason for each in imported.skipped)


def test_a_link_to_nothing_in_a_table_is_named(tmp_path):
    """A reader may pass over it, or fail."""
    folder = table_of(tmp_path, "a.parquet")
    (folder / "b.parquet").symlink_to("nowhere")
    assert "b.parquet is no regular file" in import_tables([str(folder)]).skipped[0].reason
