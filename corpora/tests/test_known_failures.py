import datetime as dt
import json
from dataclasses import replace

import pytest

from corpora.cases import CaseError
from corpora.known_failures import (
    FOLDER,
    NOT_ANY_MORE,
    Entry,
    Judged,
    Stale,
    examine,
    like,
    load,
    match,
    read,
)
from corpora.versions import version_in

TODAY = dt.date(2026, 6, 1)
ENTRY = Entry(
    "spark",
    "parquet-testing/data/int96_*",
    "different",
    "rounds to microseconds",
    "https://example.org/1",
    versions=">=4.0,<4.4",
    config={"vectorized": "on"},
    expires=TODAY,
)
ROW = Judged(
    "parquet-testing/data/int96_from_spark.parquet",
    "spark",
    "4.3.0",
    {"vectorized": "on", "ansi": "off"},
    "different",
)
TOML = """
[[failure]]
case = "parquet-testing/data/int96_*"
versions = ">=4.0,<4.4"
config = { vectorized = "on" }
verdict = "different"
reason = "rounds to microseconds"
url = "https://example.org/1"
expires = 2026-06-01
"""


def test_read(tmp_path):
    """A file's entries are read whole, the engine being the file's name; a file of comments has none."""
    (tmp_path / "spark.toml").write_text(TOML)
    (tmp_path / "duckdb.toml").write_text("# nothing\n")
    assert load(tmp_path) == (ENTRY,)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('verdict = "different"', 'verdict = "agree"'),
        ('verdict = "different"', ""),
        ('url = "https://example.org/1"', 'url = ""'),
        ('reason = "rounds', 'why = 1\nreason = "rounds'),
        ("expires = 2026-06-01", 'expires = "2026-06-01"'),
        ("expires = 2026-06-01", "expires = 2026-06-01T00:00:00"),
        (">=4.0,<4.4", "4.0 or so"),
        ('config = { vectorized = "on" }', 'config = "vectorized=on"'),
        ('config = { vectorized = "on" }', "config = { vectorized = true }"),
        ("int96_*", "int96_[*"),
        ('"parquet-testing/data/int96_*"', "[]"),
        ('"parquet-testing/data/int96_*"', '["a", ""]'),
        ('"parquet-testing/data/int96_*"', '["a", 1]'),
        ('"parquet-testing/data/int96_*"', '["a", "b", "a"]'),
        ('"parquet-testing/data/int96_*"', '["a", "b/["]'),
        ("expires = 2026-06-01", "subject = []"),
        ("expires = 2026-06-01", 'subject = ["rows", 1]'),
        ("expires = 2026-06-01", 'subject = ""'),
        ("expires = 2026-06-01", "column = []"),
        ("expires = 2026-06-01", 'column = ["orc/value/nan", 1]'),
        ("[[failure]]", "[[faillure]]"),
        ("[[failure]]", "[failure]"),
    ],
)
def test_wrong_entries(tmp_path, old, new):
    """Every field is checked, and the message names the file."""
    path = tmp_path / "spark.toml"
    path.write_text(TOML.replace(old, new))
    with pytest.raises(CaseError, match=r"spark\.toml") as caught:
        read(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "row",
    [
        ROW._replace(case="parquet-testing/data/int32.parquet"),
        ROW._replace(engine="pyarrow"),
        ROW._replace(version="4.4.0"),
        ROW._replace(version="3.5.9"),
        ROW._replace(config={"vectorized": "off"}),
        ROW._replace(config={}),
        ROW._replace(verdict="crashed"),
    ],
)
def test_match(row):
    """An entry expects its verdict in its cases, engine, versions and configuration, and nothing else."""
    assert match([ENTRY], ROW, today=TODAY) is ENTRY
    assert match([ENTRY], row, today=TODAY) is None


def test_stale():
    """An entry is reported if something in its scope was run and nothing has its verdict any more."""
    agreed = ROW._replace(verdict="agree")
    other = ROW._replace(case="parquet-testing/data/int96_other.parquet")
    assert examine([ENTRY], [ROW, agreed], today=TODAY) == []
    assert examine([ENTRY], [agreed, other], today=TODAY) == []
    assert examine([ENTRY], [ROW._replace(version="5.0"), agreed._replace(engine="x")], today=TODAY) == []
    assert examine([ENTRY], [agreed, agreed._replace(undecided=True)], today=TODAY) == []
    (problem,) = examine([ENTRY], [agreed], today=TODAY)
    assert "known/spark.toml: parquet-testing/data/int96_* (different)" in str(problem)


def test_a_list_of_cases(tmp_path):
    """It stands for an entry for each case, and the case that fails no more is stale by itself."""
    path = tmp_path / "spark.toml"
    path.write_text(TOML.replace('"parquet-testing/data/int96_*"', '["files/a", "files/b*"]'))
    entries = read(path)
    assert entries == [replace(ENTRY, case="files/a"), replace(ENTRY, case="files/b*")]
    failed, good = ROW._replace(case="files/a"), ROW._replace(case="files/b1", verdict="agree")
    assert match(entries, failed, today=TODAY) is entries[0]
    assert [str(stale) for stale in examine(entries, [failed, good], today=TODAY)] == [
        f"{path}: files/b* (different): {NOT_ANY_MORE}"
    ]


@pytest.mark.parametrize("case", ["files/*", "files/a (b) (different): c", "parquet-testing/data/int96_*"])
@pytest.mark.parametrize("why", ["expired on 2026-06-01", NOT_ANY_MORE])
def test_stale_as_text(case, why):
    """A line of `run.json` gives back what it was made of, whatever the glob contains."""
    problem = Stale(Entry("spark", case, "different", ""), why)
    assert Stale.of_text(str(problem)) == problem


def test_a_stale_entry_names_the_file_that_it_is_in(tmp_path):
    """An entry of a user's folder is named with the path of its file; one of colconf's own, as `known/…`."""
    own = tmp_path / "my: known" / "spark.toml"
    own.parent.mkdir()
    own.write_text(TOML)
    (entry,) = read(own)
    assert entry == ENTRY
    (problem,) = examine([entry], [ROW._replace(verdict="agree")], today=TODAY)
    assert str(problem).startswith(f"{own}: parquet-testing/data/int96_* (different): ")
    read_again = Stale.of_text(str(problem))
    assert str(read_again) == str(problem)
    assert [read_again.is_about(each) for each in (ENTRY, replace(ENTRY, case="a"))] == [True, False]
    (first, *_) = read(FOLDER / "spark.toml")
    assert str(first).startswith("known/spark.toml: ")


@pytest.mark.parametrize("text", ["", "known/spark.toml: files/*: expired", "files/* (different): expired"])
def test_other_lines_are_not_stale_entries(text):
    """A line without engine, case and verdict is refused."""
    with pytest.raises(CaseError, match="not a line about a stale entry"):
        Stale.of_text(text)


def test_expired():
    """From the day after its last, an entry expects nothing, and is reported."""
    tomorrow = TODAY + dt.timedelta(days=1)
    assert match([ENTRY], ROW, today=tomorrow) is None
    (problem,) = examine([ENTRY], [ROW], today=tomorrow)
    assert str(problem) == f"{ENTRY}: expired on 2026-06-01"


@pytest.mark.parametrize(
    ("version", "versions", "inside"),
    [
        ("26.0.1", "", True),
        ("26.0.1", ">=26,<27", True),
        ("26", ">=26.0.0", True),
        ("4.10.0", ">4.9", True),
        ("4.3.0", "==4.3", True),
        ("4.3.0", "!=4.3", False),
        ("4.3.0-SNAPSHOT", "<4.3", True),
        ("2.0.0.dev3", ">=2.0", False),
        ("2.0.0rc1", ">=2.0.0rc1", True),
        ("2.0.0+local", "==2.0", True),
        ("unknown", ">=1", False),
    ],
)
def test_versions(version, versions, inside):
    """Versions compare by number, missing parts being zero and pre-releases coming first."""
    assert version_in(version, versions) is inside


def test_what_is_unstable_may_have_any_wrong_answer():
    """An entry of verdict unstable expects wrong answers and refusals, and is stale only without any."""
    entry = Entry("spark", "a", "unstable", "memory that was never written")
    rows = [Judged("a", "spark", "4.3.0", {}, verdict) for verdict in ("different", "unstable", "agree")]
    assert [match([entry], row) for row in rows] == [entry, entry, None]
    assert examine([entry], rows[:1]) == []
    assert len(examine([entry], rows[2:])) == 1
    lost = Judged("a", "spark", "4.3.0", {}, "crashed")
    assert match([entry], lost) is None
    assert match([replace(entry, also=("crashed",))], lost) is not None
    assert match([entry], lost._replace(verdict="wrote_invalid")) is None


def test_feature():
    """An entry of a feature covers only cases that have it."""
    entry = Entry("spark", "*", "different", "levels", feature="parquet/encoding/bit-packed")
    with_it = ROW._replace(features=("parquet/page/v1", "parquet/encoding/bit-packed"))
    assert match([entry], with_it, today=TODAY) == entry
    assert match([entry], ROW._replace(features=("parquet/page/v1",)), today=TODAY) is None


def test_features_of_the_columns(tmp_path):
    """An entry of columns covers failures of those with all its features, whatever other columns have."""
    names = "parquet/type/int64", "parquet/encoding/delta-*"
    text = f"column = {json.dumps(names)}"
    (tmp_path / "spark.toml").write_text(TOML.replace("expires = 2026-06-01", text))
    (entry,) = load(tmp_path)
    both = "parquet/type/int64", "parquet/encoding/delta-binary-packed"
    row = ROW._replace(features=both, column_features=(*both, "parquet/page/v1"))
    assert match([entry], row) is entry
    assert match([entry], row._replace(column_features=both[:1])) is None
    assert match([entry], row._replace(column_features=both[1:])) is None
    assert match([entry], row._replace(column_features=())) is None
    (tmp_path / "spark.toml").write_text(TOML.replace("expires = 2026-06-01", f'column = "{names[0]}"'))
    assert load(tmp_path)[0].column == (names[0],)


def test_an_entry_of_columns_can_be_stale():
    """It is, if nothing in its cases fails; a failure of another column leaves that open."""
    entry = replace(ENTRY, column=("parquet/value/nan",), expires=None)
    assert not examine([entry], [ROW._replace(column_features=("parquet/value/null",))])
    assert examine([entry], [ROW._replace(verdict="agree")])


@pytest.mark.parametrize(
    ("options", "is_meant"),
    [
        ({"orc.create.index": "false"}, True),
        ({"orc.create.index": False}, True),
        ({"orc.create.index": {"by_column": {"a": True, "b": False}}, "padding": 1}, True),
        ({"orc.create.index": "true"}, False),
        ({"padding": 1}, False),
        ({}, False),
    ],
)
def test_options(options, is_meant):
    """An entry of a writer's option covers only files that were written with it, for any column."""
    entry = Entry("spark", "*", "different", "counts", options={"orc.create.index": "fal*"})
    assert bool(match([entry], ROW._replace(options=options), today=TODAY)) == is_meant


def test_features_of_a_glob():
    """A glob covers cases with any feature that it names."""
    entry = Entry("spark", "*", "different", "levels", feature="orc/*")
    assert match([entry], ROW._replace(features=("orc/type/int",)), today=TODAY) == entry
    assert match([entry], ROW._replace(features=("parquet/page/v1",)), today=TODAY) is None


@pytest.mark.parametrize(
    ("case", "queried", "known"),
    [
        ("writers/spark/dates/x", True, True),
        ("writers/spark/dates/x", False, False),
        ("files/mine", True, False),
        ("generated/1/2/3", False, True),
    ],
)
def test_generated_entries_hold_for_queries_of_written_files(case, queried, known):
    """What generated files show by its signature is known of derived queries of written files, too."""
    entry = Entry("spark", "generated/*", "different", "NaN", signature="spark | different | pushdown*")
    row = ROW._replace(case=case, verdict="different", signature="spark | different | pushdown: rows lost")
    assert (match([entry], row._replace(queried=queried), today=TODAY) is not None) == known
    assert match([replace(entry, signature="")], row._replace(queried=True, case="writers/a")) is None


@pytest.mark.parametrize(
    ("entry", "named"),
    [
        ({"case": "generated/*", "feature": "orc/file/no-bounds"}, True),
        ({"case": "generated/*", "feature": "parquet/*"}, False),
        ({"case": "orc/*"}, True),
        ({"case": "parquet/*"}, False),
        ({"case": "orc/statistics/*/no-bounds"}, False),
        ({"case": "orc/codec/lzo", "verdict": "refused_valid"}, True),
        ({"case": "parquet/codec/lz4", "verdict": "refused_valid"}, False),
        ({"case": "generated/*", "feature": "orc/*", "signature": ""}, False),
        ({"case": "generated/*", "feature": "orc/*", "signature": "spark* | hung | *"}, False),
    ],
)
def test_which_known_bug_a_failure_of_a_new_file_looks_like(entry, named):
    """It is of the file's format, and about any file, or its signature is the text of an error."""
    verdict = entry.get("verdict", "different")
    values = {"verdict": verdict, "signature": f"spark* | {verdict} | *", **entry}
    row = Judged(
        "files/mine", "spark", "4.3.0", {}, verdict, f"spark | {verdict} | rows", ["orc/file/no-bounds"]
    )
    known = Entry("spark", reason="it cannot", finding="some-bug", **values)
    assert like([known], row) == ("some-bug" if named else "")


def test_a_finding_that_stands_as_the_reason():
    """Entries of one finding often name it as their reason: it is named before the address of the report."""
    values = {
        "case": "generated/*",
        "verdict": "different",
        "signature": "spark* | different | *",
        "url": "u",
    }
    row = Judged("files/mine", "spark", "4.3.0", {}, "different", "spark | different | rows", ["orc/a"])
    known = Entry("spark", reason="some-bug", **values)
    assert like([known], row) == "u"
    assert like([known, Entry("spark", "orc/a", "different", "why", finding="some-bug")], row) == "some-bug"


@pytest.mark.parametrize("of_column", [["parquet/type/double", "parquet/value/nan"], ["parquet/type/double"]])
@pytest.mark.parametrize("rows", ["lost", "gained"])
@pytest.mark.parametrize("test", ["float(64) order", "float(32) not =", "several tests of float, int"])
def test_lost_nan_of_duckdb_has_its_name(of_column, rows, test):
    """Whatever the test of a float with NaN, in a file of a user; NaN in another column is another bug's."""
    signature = f"duckdb | different | pushdown: rows {rows} in {test}"
    row = Judged("files/mine.parquet", "duckdb", "2.0.1", {}, "different", signature)
    row = row._replace(features=["parquet/value/nan", "parquet/type/double"], column_features=of_column)
    assert like(load(), row) == ("duckdb-nan-left-out" if "parquet/value/nan" in of_column else "")
    assert match(load(), row) is None


def test_an_entry_of_one_case_with_a_signature_can_be_stale():
    """It is, if no row of its case is wrong; a row that is wrong in another way leaves that open."""
    entry = replace(ENTRY, case=ROW.case, signature="spark | different | value in int96", expires=None)
    right = ROW._replace(verdict="agree")
    other = ROW._replace(signature="spark | different | rows")
    assert [stale.entry for stale in examine([entry], [right], today=TODAY)] == [entry]
    for rows in ([other], [right, other], [right._replace(undecided=True)], []):
        assert not examine([entry], rows, today=TODAY)
    assert not examine([replace(entry, case="parquet-testing/*")], [right], today=TODAY)


def test_another_query_may_hide_a_failure():
    """Where queries are derived, a row that is wrong in another way leaves an entry about them open."""
    entry = replace(ENTRY, case=ROW.case, expires=None, derived=True)
    crashed = ROW._replace(verdict="crashed", signature="spark | crashed | signal 6 in filter")
    assert not examine([entry], [crashed], today=TODAY, queried=True)
    assert examine([entry], [crashed._replace(verdict="agree")], today=TODAY, queried=True)
    recorded = replace(entry, derived=False)
    assert examine([recorded], [crashed], today=TODAY)
    assert not examine([recorded], [crashed._replace(verdict="agree")], today=TODAY, queried=True)


def test_an_entry_of_derived_queries(tmp_path):
    """It is stale only where queries were derived, and its failure is expected anywhere."""
    (tmp_path / "spark.toml").write_text(TOML.replace("expires = 2026-06-01", "derived = true"))
    (entry,) = load(tmp_path)
    assert entry.derived
    assert match([entry], ROW) is entry
    right = ROW._replace(verdict="agree")
    assert not examine([entry], [right], today=TODAY)
    assert examine([entry], [right], today=TODAY, queried=True)
    (tmp_path / "spark.toml").write_text(TOML.replace("expires = 2026-06-01", "derived = false"))
    with pytest.raises(CaseError, match="derived is False"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("subject", "signature", "is_meant"),
    [
        ("value in *", "spark | different | value in int96", True),
        (["rows", "value in *"], "spark:vectorized=on | different | value in int96", True),
        (["rows", "*: rows *"], "spark | different | pushdown: rows lost in int96 =", True),
        (["rows", "*: rows *"], "spark | different | value in int96", False),
        ("rows*", "spark | different | pushdown: rows lost in int96 =", False),
        ("value in list[int96]", "spark | different | value in list[int96]", True),
    ],
)
def test_another_failure_of_a_case_is_new(tmp_path, subject, signature, is_meant):
    """An entry with a subject is about the failures that show so; the entry is not stale by another one."""
    text = f"subject = {json.dumps(subject)}"
    (tmp_path / "spark.toml").write_text(TOML.replace("expires = 2026-06-01", text))
    (entry,) = load(tmp_path)
    row = ROW._replace(signature=signature)
    assert (match([entry], row) is entry) == is_meant
    assert not examine([entry], [row], today=TODAY)
    assert examine([entry], [row._replace(verdict="agree")], today=TODAY)
