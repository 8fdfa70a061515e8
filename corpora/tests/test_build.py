"""Recipes become files and cases; what is checked in is compared with them; coverage finds gaps both ways."""

from dataclasses import replace

import pytest

from corpora.build import areas, coverage, make, probes, reading, store, structs
from corpora.build.formats import PARQUET
from corpora.build.recipe import OPTIONAL, REPEATED, Recipe, group, leaf, list_group, map_group, schema, text
from corpora.build.structs import gaps, waivers
from corpora.cases import CaseError, Expectation, Probe, dump, load
from corpora.queries import Compare, Filter, IsNull
from corpora.tagged import Table, floating, integer
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.plan import Column, FilePlan, Page, Statistics
from reference_impl.parquet.schema import CompressionCodec, Encoding, FileMetaData, Type
from reference_impl.parquet.tamper import Tamper
from reference_impl.parquet.tree import build
from reference_impl.parquet.writer import write

ROWS = tuple({"x": value} for value in (3, None, 1, 2, None))
PLAN = FilePlan(schema(leaf("x", Type.INT32, OPTIONAL)), ROWS, (Column(statistics=Statistics()),))
RECIPES = (
    Recipe("a/one", PLAN, "README.md", probed=("x",)),
    Recipe("a/two", replace(PLAN, rows=ROWS[:2]), "README.md", either="for a reason"),
)


class _NoMagic(Tamper):
    def whole(self, data):
        return data[:-1] + b"2"


BROKEN = Recipe("b/three", PLAN, "README.md", "no magic", tamper=_NoMagic(), refuse="PQ-FILE-003")


@pytest.fixture
def folder(tmp_path):
    """A corpus of three cases."""
    assert store.write(_made(), tmp_path) == 3
    return tmp_path


def _made():
    return list(make.all_of((*RECIPES, BROKEN)))


def _problems(folder):
    """The problems but for those of a corpus that is too small."""
    found = store.problems(_made(), reading.read, PARQUET, folder)
    return [line for line in found if not line.startswith(("parquet: ", folder.name))]


def test_a_recipe_becomes_a_case():
    """A case has the rows of its plan, the features of its file, and probes around the column's extremes."""
    case = make.make(RECIPES[0]).case
    assert case.id == "parquet/a/one"
    assert case.expectation.table.column(0) == ["3", None, "1", "2", None]
    assert "parquet/statistics/chunk" in case.features
    found = {str(probe.query): probe.rows for probe in case.probes}
    assert found["x IS NULL"] == (1, 4)
    assert found["x < 2"] == (2,)
    assert found["x = 4"] == ()
    assert found["COUNT, MIN, MAX OF x"] is None
    assert make.make(RECIPES[1]).case.expectation.kind == "either"
    broken = make.make(BROKEN).case
    assert broken.expectation == Expectation.refuse(rule="PQ-FILE-003", reason="no magic")
    assert "parquet/file/invalid" in broken.features
    assert not broken.probes


def test_a_broken_rule_that_need_not_be_noticed():
    """A recipe with a rule and a reason is `either`, with the values and the rule."""
    found = make.make(replace(BROKEN, either="nobody looks")).case.expectation
    assert (found.kind, found.rule, found.reason) == ("either", "PQ-FILE-003", "nobody looks")
    assert found.table.num_rows == 5


def test_rows_that_a_tamper_changed():
    """Where a tamper changes rows, the recipe says which they are."""
    recipe = replace(RECIPES[0], rows=({"x": 7},))
    assert make.make(recipe).case.expectation.table.column(0) == ["7"]


def test_what_was_written_is_sound(folder):
    """A corpus that was just written has no problem, and writing it again changes nothing."""
    assert _problems(folder) == []
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*.parquet")}
    store.write(_made(), folder)
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*.parquet")} == before


def test_differences_are_found(folder):
    """A changed, a missing and a left-over file, a changed case and one that is none are a line each."""
    (folder / "a" / "one.parquet").write_bytes(make.make(RECIPES[1]).data)
    (folder / "a" / "two.parquet").unlink()
    (folder / "left.parquet").write_bytes(b"")
    (folder / "b" / "three.json").write_text("{}")
    found = list(store.differences(_made(), folder))
    assert [line.partition(":")[0] for line in found[:3]] == ["a/one.parquet", "a/one.json", "a/two.parquet"]
    assert "lacks" in found[3]
    assert found[4] == "left.parquet: no recipe builds this file"
    store.write(_made(), folder)
    assert _problems(folder) == []


@pytest.mark.parametrize(
    ("name", "change", "problem"),
    [
        ("a/one", {"expectation": Expectation.refuse(rule="PQ-FILE-003")}, "the reference reads it"),
        (
            "b/three",
            {"expectation": Expectation.accept(Table.of([], [], 0), "spec")},
            "expects accept, but the",
        ),
        ("a/one", {"expectation": Expectation.accept(Table.of([], [], 0), "spec")}, "reads other values"),
        ("a/two", {"probes": (Probe(Filter(IsNull(("x",))), (0,)),)}, "x IS NULL has other rows"),
        ("a/two", {"probes": (Probe(Filter(IsNull(("y",))), (0,)),)}, "y IS NULL: "),
    ],
)
def test_cases_that_lie(folder, name, change, problem):
    """A case that the reference contradicts, or whose probes have other rows, is found by that, too."""
    path = folder / f"{name}.json"
    dump(replace(load(path), **change), path)
    found = _problems(folder)
    assert len(found) == 2
    assert "differs from the output of colconf corpus build" in found[0]
    assert problem in found[1]


def test_a_small_corpus_is_a_problem(folder):
    """Too few cases are a problem, and so is everything that three files do not reach."""
    found = list(store.problems(_made(), reading.read, PARQUET, folder))
    assert f"{folder.name}: 3 cases, fewer than 1000" in found
    assert "parquet: coverage: nothing reaches encoding/PLAIN/INT64/v1/list" in found


@pytest.mark.parametrize("version", [1, 2])
def test_other_compression_is_the_same_file(version):
    """Two ways to compress the same page are the same, another value, layout or file is not."""
    plan = replace(PLAN, rows=ROWS * 20, columns=(Column((Page(30, version=version),)),))

    def of(level, **more):
        column = replace(plan.columns[0], codec=CompressionCodec.GZIP, level=level)
        return write(replace(plan, columns=(column,), **more))

    assert of(0) != of(9)
    assert PARQUET.same(of(0), of(9))
    assert PARQUET.same(of(9), of(0))
    assert not PARQUET.same(of(0), of(9, rows=(*ROWS * 19, *ROWS[::-1])))
    assert not PARQUET.same(of(0), of(9, created_by="another"))
    assert not PARQUET.same(of(0), write(plan))
    assert not PARQUET.same(of(0), of(9)[:-1])


def test_nestings_are_told_by_the_schema():
    """Each nesting that the corpus needs is told from the path to the column."""
    inner = group("list", REPEATED, leaf("element", Type.INT32))
    deep = group("list", REPEATED, list_group("element", OPTIONAL, inner))
    fields = {
        "required": leaf("x", Type.INT32),
        "optional": leaf("x", Type.INT32, OPTIONAL),
        "repeated": group("x", REPEATED, leaf("y", Type.INT32)),
        "struct": group("x", OPTIONAL, leaf("y", Type.INT32)),
        "list": list_group("x", OPTIONAL, inner),
        "map": map_group("x", OPTIONAL, group("key_value", REPEATED, text("key"), leaf("value", Type.INT32))),
        "deep": list_group("x", OPTIONAL, deep),
    }
    for name, field in fields.items():
        root = build(list(schema(field)))
        for column in root.leaves():
            assert coverage.nesting_of(coverage._path(root, column)) == name


def test_what_a_file_reaches():
    """Items come from the file: its pages, levels, statistics, codec and annotations."""
    page = Page(version=2, encoding=Encoding.DELTA_BINARY_PACKED)
    column = Column((page,), CompressionCodec.GZIP, statistics=Statistics())
    found = set(coverage.reached(ParquetFile(write(replace(PLAN, columns=(column,))))))
    assert {
        "encoding/DELTA_BINARY_PACKED/INT32/v2/optional",
        "codec/GZIP/v2",
        "statistics/SIGNED/modern",
        "column-order/TYPE_ORDER",
        "field/ColumnMetaData.statistics/present",
        "field/FileMetaData.key_value_metadata/absent",
        "field/PageHeader.type/DATA_PAGE_V2",
    } <= found
    assert not {item for item in found if item.startswith(("encoding/PLAIN", "bloom/"))}
    assert {item for item in found if item.startswith(("encoding/", "codec/"))} <= coverage.required(())


def test_what_is_required():
    """What there is to reach comes from the reader's tables: encodings, annotations, fields, rules."""
    needed = coverage.required(["PQ-PAGE-003"])
    assert "rule/PQ-PAGE-003" in needed
    assert "encoding/BYTE_STREAM_SPLIT/FIXED_LEN_BYTE_ARRAY/v2/map" in needed
    assert "encoding/BYTE_STREAM_SPLIT/BYTE_ARRAY/v2/map" not in needed
    logical = set(coverage.required_annotations())
    assert "logical/integer-8-unsigned/INT32/both" in logical
    assert "logical/integer-8-unsigned/INT64/both" not in logical
    assert "logical/timestamp-ns-local/INT64/logical" in logical
    assert "logical/timestamp-ns-local/INT64/converted" not in logical
    assert "logical/map-key-value/group/converted" in logical
    fields = set(structs.required(coverage.ROOTS))
    assert "field/Statistics.is_min_value_exact/false" in fields
    assert "field/LogicalType.VARIANT/present" in fields
    assert "field/FileMetaData.version/absent" not in fields
    bare = FileMetaData(version=1, schema=[], num_rows=0, row_groups=[])
    mandatory = ("version", "schema", "num_rows", "row_groups")
    assert set(structs.reached(bare)) - fields == {f"field/FileMetaData.{name}/present" for name in mandatory}


def test_gaps_and_waivers():
    """What is missing is a line, unless waived; a waiver of what is reached, or of nothing, is one too."""
    needed, got = {"a/1", "a/2", "b/1", "b/2"}, {"a/1", "a/2", "b/2", "c"}
    assert list(gaps(needed, got, {})) == ["coverage: nothing reaches b/1"]
    assert list(gaps(needed, got, {"b/1": "why"})) == []
    assert list(gaps(needed, got, {"b/*": "why"})) == ["waivers: b/2 is reached"]
    assert list(gaps(needed, got, {"b/1": "why", "d": "why"})) == ["waivers: d is not required"]


@pytest.mark.parametrize(
    "content",
    [
        "[",
        "[[waiver]]\nitem = 'a'",
        "[[waiver]]\nitem = 'a'\nreason = ''",
        "[[waiver]]\nitem = 'a'\nreason = 'b'\n" * 2,
        "[[other]]\nitem = 'a'\nreason = 'b'",
    ],
)
def test_wrong_waivers(tmp_path, content):
    """Waivers that are not item and reason, or stand there twice, are refused."""
    path = tmp_path / "waivers.toml"
    path.write_text(content)
    with pytest.raises(CaseError):
        waivers(path)


def test_rows_that_engines_may_differ_about():
    """Where orders of floats differ the rows are not said; where they do not, they are."""
    table = Table.of([("x", floating(32))], [["7fc00000", "80000000", "3f800000"]])

    def rows(op, value):
        return probes.rows(Filter(Compare(("x",), op, floating(32), value)), table)

    assert rows("=", "3f800000") == (2,)
    assert rows("=", "00000000") is None
    assert rows(">", "3f800000") is None
    numbers = Table.of([("x", integer(32))], [["1", None]])
    assert probes.rows(Filter(IsNull(("x",))), numbers) == (1,)


def test_ids_are_used_once():
    """No two recipes have one id, and none is below another: its file would be a folder."""
    ids = [recipe.id for recipe in areas.recipes()]
    assert len(set(ids)) == len(ids)
    files = {f"{one}.parquet" for one in ids}
    assert not files & {
        "/".join(one.split("/")[:depth]) for one in files for depth in range(1, one.count("/") + 1)
    }
