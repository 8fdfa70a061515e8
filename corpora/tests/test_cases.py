from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora import tagged
from corpora.cases import Case, CaseError, Expectation, Probe, case_id, check_id, dump, load
from corpora.queries import Compare, Filter, IsNull

SHA = "0" * 64
TABLE = tagged.Table.of([("x", tagged.integer(32))], [["1", None]])
CASE = Case(
    "parquet/encoding/plain/one",
    "parquet",
    Path("one.parquet"),
    SHA,
    Expectation.accept(TABLE, "writer:pyarrow@26.0.1"),
    features=("parquet/encoding/plain",),
    spec="Encodings.md, Plain",
    level="SHOULD",
    source="writer:pyarrow@26.0.1",
    probes=(
        Probe(Filter(Compare(("x",), "=", tagged.integer(32), "1")), (0,)),
        Probe(Filter(Compare(("x",), "<", tagged.integer(32), "2")), (0,), misled=()),
        Probe(Filter(IsNull(("x",)))),
    ),
    notes="a note",
)
EXPECTATIONS = (
    Expectation.by_vote(),
    Expectation.accept(TABLE, "spec"),
    Expectation.refuse(clause="parquet.thrift, Type", reason="a type of -7"),
    Expectation.refuse(rule="PQ-PAGE-003"),
    Expectation.either("the choice of the reader", clause="README.md", table=TABLE),
)
names = st.text(min_size=1).filter(lambda name: "/" not in name and "\0" not in name)


@pytest.mark.parametrize("expectation", EXPECTATIONS)
def test_json_round_trip(expectation):
    """A case read back from its JSON form is the same case, whatever it expects."""
    case = replace(CASE, expectation=expectation)
    assert Case.from_json(case.to_json()) == case


def test_files_round_trip(tmp_path):
    """A case dumped beside its file names the file relative to itself, so that both can be moved."""
    case = replace(CASE, file=tmp_path / "one.parquet")
    dump(case, tmp_path / "one.json")
    moved = tmp_path / "moved"
    moved.mkdir()
    (tmp_path / "one.json").rename(moved / "one.json")
    assert load(moved / "one.json") == replace(case, file=moved / "one.parquet")


@given(st.lists(names, min_size=1, max_size=3))
def test_any_file_name_makes_an_id(segments):
    """Every path has an id, which is one line of printable text, and no glob."""
    identity = check_id(case_id("files", *segments))
    assert identity.isprintable()
    assert not set("*?[]\\") & set(identity)


@given(names, names)
def test_two_names_have_two_ids(one, other):
    """Encoding loses nothing: different names have different ids."""
    assert (case_id("files", one) == case_id("files", other)) == (one == other)


def test_ids_show_readable_names():
    """An ordinary name stays as it is; what an id may not hold is percent-encoded as UTF-8."""
    assert case_id("files", "größe 1", "a*b%.parquet") == "files/größe 1/a%2Ab%25.parquet"
    assert case_id("files", "a\udcff", "..") == "files/a%FF/%2E%2E"


@pytest.mark.parametrize(
    "text", ["", "files", "files/", "/x", "Files/x", "f/../x", "f/a//b", "f/%2", "f/*", 7]
)
def test_wrong_ids_are_refused(text):
    """What the grammar does not derive is no id."""
    with pytest.raises(CaseError):
        check_id(text)


@pytest.mark.parametrize(
    "change",
    [
        {"unknown": 1},
        {"level": "must"},
        {"format": "csv"},
        {"sha256": "abc"},
        {"features": ["plain"]},
        {"features": "parquet/x"},
        {"source": "writer:pyarrow"},
        {"file": ""},
        {"spec": None},
        {"expectation": {"kind": "accept", "source": "spec"}},
        {"expectation": {"kind": "refuse", "source": "spec"}},
        {"expectation": {"kind": "either", "source": "spec"}},
        {"expectation": {"kind": "refuse", "source": "spec", "rule": "page three"}},
        {"expectation": {"kind": "accept", "source": "spec", "table": {"columns": []}}},
        {"expectation": {"kind": "accept", "source": "vote", "tabel": 1}},
        {"expectation": []},
        {"probes": [{"query": {"kind": "filter"}}]},
        {"probes": [{"query": {"kind": "batches", "rows": 1}, "rows": [-1]}]},
        {"probes": [{"query": {"kind": "batches", "rows": 1}, "rows": [1, 1]}]},
        {"probes": [{"query": {"kind": "batches", "rows": 1}, "rows": None}]},
        {"probes": [{"query": {"kind": "batches", "rows": 1}, "more": 1}]},
        {"probes": [{"rows": [1]}]},
    ],
)
def test_wrong_fields_are_refused_in_one_line(change):
    """Any field that is missing, unknown, or not of its form is a CaseError of one line."""
    with pytest.raises(CaseError) as caught:
        Case.from_json({**CASE.to_json(), **change})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["id", "file", "sha256", "expectation", "source", "level"])
def test_missing_fields_are_refused(name):
    """A case without a required field is refused, and the message names the field."""
    data = CASE.to_json()
    del data[name]
    with pytest.raises(CaseError, match=name):
        Case.from_json(data)


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, "\xff"])
def test_load_names_the_file(tmp_path, text):
    """A file that is no case is a CaseError that names it."""
    path = tmp_path / "bad.json"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(CaseError, match=r"bad\.json"):
        load(path)
