"""Anonymized ORC files contain no old value; layout, order, statistics and findings stay."""

import hashlib
from random import Random

import pytest

from corpora.answers import answer
from corpora.cases import Case, Expectation, Probe, load
from corpora.own_cases import CHECKED_IN as CORPORA
from corpora.predicates import And, Compare, In, StartsWith
from corpora.queries import Filter
from corpora.tagged import DATE, STRING, floating, integer
from harness.children.connection import Limits
from harness.engines.reference.adapter import Reference
from harness.engines.registry import ENGINES
from harness.environments.availability import status
from harness.investigate.anonymize.cases import anonymized, prove
from harness.investigate.anonymize.orc import anonymize
from reference_impl.errors import ReferenceError_
from reference_impl.orc.anatomy import dissect
from reference_impl.orc.encodings.scan import Encoding, scan
from reference_impl.orc.plan import Chunks, Column, Dictionary, FilePlan, Index, Statistics
from reference_impl.orc.schema import (
    CompressionKind,
    StreamKind,
    StringPair,
    Type,
    TypeKind,
    UserMetadataItem,
)
from reference_impl.orc.validate import validate
from reference_impl.orc.writer import write

ROWS = 60
NAMES = ("Salary", "Ratio", "Surname", "City", "Born")


def plan(**changed):
    """A file of five columns of two stripes, with row groups of 10 rows."""
    kinds = (TypeKind.LONG, TypeKind.DOUBLE, TypeKind.STRING, TypeKind.STRING, TypeKind.DATE)
    types = (
        Type(kind=TypeKind.STRUCT, subtypes=(1, 2, 3, 4, 5), field_names=NAMES),
        *(Type(kind=one) for one in kinds),
    )
    rows = tuple(
        (
            None if at % 7 == 0 else 30_000 + at * at * 13,
            at * 1.5,
            f"person {at * 31 % 60:02}".encode(),
            (b"Paris", b"Rome", b"Oslo")[at % 3],
            9000 + at * 40,
        )
        for at in range(ROWS)
    )
    columns = (Column(), Column(), Column(), Column(), Column(dictionary=Dictionary()), Column())
    given = {"stripes": (40, 20), "row_index_stride": 10, "columns": columns, **changed}
    return FilePlan(types, rows, metadata=(("owner", b"Somebody"),), **given)


def runs_of(data):
    """The kinds and lengths of runs of integers, by stripe and column."""
    found = {}
    anatomy = dissect(data)
    for number, _, part in anatomy.all_streams():
        if part.kind is StreamKind.DATA and part.column in {1, 5}:
            pieces = scan(anatomy.opened(part.stored), Encoding.RLE_V2)
            found[number, part.column] = [(one.kind, one.length) for one in pieces]
    return found


@pytest.mark.parametrize("codec", [CompressionKind.NONE, CompressionKind.ZLIB])
def test_values_go_and_layout_stays(codec):
    """Streams, runs, chunks, indices and lengths stay; no old name and no old value does."""
    data = write(plan(compression=codec, chunks=Chunks((64, 100))))
    new, _ = anonymize(data, Random(1), {})
    assert not validate(new), validate(new)[:2]
    before, after = dissect(data), dissect(new)
    assert runs_of(data) == runs_of(new)
    for (_, _, a), (_, _, b) in zip(before.all_streams(), after.all_streams(), strict=True):
        assert (a.column, a.kind) == (b.column, b.kind)
        if a.kind in (StreamKind.PRESENT, StreamKind.LENGTH) or (a.column == 4 and a.kind is StreamKind.DATA):
            assert a.stored == b.stored
        if a.kind is not StreamKind.ROW_INDEX and a.column not in {1, 5}:  # widths follow
            assert len(before.opened(a.stored)) == len(after.opened(b.stored))
    whole = b"".join(after.opened(one.stored) for _, _, one in after.all_streams())
    for text in (b"person", b"Paris", b"Rome", b"Oslo"):
        assert text in b"".join(before.opened(one.stored) for _, _, one in before.all_streams())
        assert text not in whole
    assert not set(NAMES) & set(after.tail.types[0].field_names)
    assert b"Somebody" not in new
    assert after.end.writer_version == before.end.writer_version


def read(data, path):
    """What the reference reads: columns of values."""
    path.write_bytes(data)
    table = Reference().read(str(path), "orc", {})
    return [table.column(at) for at in range(len(table.columns))]


def test_order_and_nulls_stay(tmp_path):
    """What was null, equal or less still is."""
    data = write(plan())
    new, _ = anonymize(data, Random(2), {})
    for old, made in zip(read(data, tmp_path / "a"), read(new, tmp_path / "b"), strict=True):
        key = int if str(old[1]).lstrip("-").isdigit() else str
        assert [one is None for one in old] == [one is None for one in made]
        pairs = [(key(a), key(b)) for a, b in zip(old, made, strict=True) if a is not None]
        assert [b for _, b in sorted(pairs)] == sorted(b for _, b in pairs)
        assert len({a for a, _ in pairs}) == len({b for _, b in pairs})


def test_sums_follow():
    """Sums of the file, of stripes and of row groups are those of the new values."""
    layout = Column(statistics=Statistics(), index=Index(statistics=Statistics()))
    new, _ = anonymize(write(plan(columns=(layout,) * 6)), Random(3), {})
    anatomy = dissect(new)
    old = dissect(write(plan(columns=(layout,) * 6)))
    assert anatomy.tail.statistics[1].int_statistics.sum != old.tail.statistics[1].int_statistics.sum
    assert not validate(new)  # which compares sums


@pytest.mark.heavy
def test_the_same_rules_are_broken():
    """Files that break a rule break the same one, or are refused in a line; so do files that break none."""
    done = 0
    for file in Random(4).sample(sorted((CORPORA / "orc").rglob("*.orc")), 120):
        data = file.read_bytes()
        try:
            new, _ = anonymize(data, Random(5), {})
        except ReferenceError_:
            continue
        assert {one.rule for one in validate(data)} == {one.rule for one in validate(new)}, file
        done += 1
    assert done > 50


def test_queries_ask_for_the_same_rows(tmp_path):
    """Constants are mapped with the values: each query answers the rows it answered before."""
    data = write(plan())
    file = tmp_path / "a.orc"
    file.write_bytes(data)
    table = Reference().read(str(file), "orc", {})
    predicates = [
        Compare(("Salary",), ">", integer(64), "40000"),
        Compare(("Born",), "<=", DATE, "10000"),
        Compare(("Ratio",), "<", floating(64), "4039000000000000"),
        And((In(("City",), STRING, ("Oslo", "Bonn")), StartsWith(("Surname",), "person 1"))),
    ]
    probes = tuple(Probe(Filter(one)) for one in predicates)
    meaning = Expectation.accept(table, "generator")
    case = Case("files/a", "orc", file, hashlib.sha256(data).hexdigest(), meaning, probes=probes)
    (new,) = anonymized([case], tmp_path / "b.orc", Random(6))
    for before, after in zip(case.probes, new.probes, strict=True):
        assert str(before.query) != str(after.query)
        rows = answer(before.query, table, "ieee").num_rows
        assert 0 < rows < ROWS
        assert answer(after.query, new.expectation.table, "ieee").num_rows == rows


def test_names_of_attributes_go():
    """Attributes of a type and the user's metadata keep no words of theirs."""
    types = (
        Type(kind=TypeKind.STRUCT, subtypes=(1,), field_names=("x",)),
        Type(kind=TypeKind.INT, attributes=(StringPair(key="owner", value="me"),)),
    )
    new, _ = anonymize(write(FilePlan(types, ((1,),))), Random(7), {})
    (pair,) = dissect(new).tail.types[1].attributes
    assert (pair.key, pair.value) == ("x", "")
    assert all(isinstance(one, UserMetadataItem) for one in dissect(new).tail.metadata)


def test_a_finding_still_shows(tmp_path):
    """A known finding of a real reader shows with the new file as it did with the old one."""
    if not status(ENGINES["pyorc"]).available:
        pytest.skip("pyorc is not here")
    case = load(CORPORA / "orc/findings/no-counts.json")
    (new,) = anonymized([case], tmp_path / "x.orc", Random(8))
    proof = prove([(case, new)], ["pyorc"], Limits(seconds=60))
    assert proof.remaining
    assert proof.holds
