"""With engines that misbehave on purpose, the minimal file is small and shows the same signature."""

import hashlib
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import corpora
from corpora.build.reading import read
from corpora.cases import Case, Expectation, Probe, load
from corpora.known_failures import Entry
from corpora.predicates import Compare
from corpora.queries import AggregateWhere, CountValues, Filter, IsNull, TopRows, TopWhere
from corpora.tagged import integer
from harness.children.connection import Limits
from harness.engines.registry import ENGINES
from harness.investigate.findings.rejudge import queried
from harness.investigate.minimize import minimizer
from harness.investigate.minimize.forms import FileForm
from harness.investigate.minimize.minimizer import MinimizeRequest, minimize
from harness.investigate.minimize.requests import CandidateBench
from harness.investigate.minimize.search import Search
from harness.investigate.minimize.subject import NotShown, Subject
from harness.investigate.minimize.tests.files import columns, orc_file, parquet, rules
from harness.judging.ballots import REFERENCE
from harness.judging.odds import Share
from harness.judging.places import Config, Process
from reference_impl.orc.file import OrcFile
from reference_impl.parquet import anatomy

LIMITS = Limits(seconds=10, start_seconds=60)


def process(spec, name="fake", configs=({},)):
    """An engine process of a class, `module:class`."""
    command = (sys.executable, "-m", "harness.children.worker", spec)
    made = tuple(Config(",".join(f"{k}={v}" for k, v in one.items()), one) for one in configs)
    return Process(name, "1", command, made, ("parquet", "orc"))


def asked(tmp_path, data, fake, *, form="parquet", expectation=None, probes=(), entry=None, seconds=300.0):
    """Return the request to minimize a file with a fake engine."""
    file = tmp_path / f"given.{form}"
    file.write_bytes(data)
    case = Case(
        "files/given",
        form,
        file,
        hashlib.sha256(data).hexdigest(),
        expectation or Expectation.by_vote(),
        probes=tuple(probes),
    )
    reference = ENGINES[REFERENCE]
    processes = (
        process(f"harness.investigate.minimize.tests.fakes:{fake}"),
        process(f"{reference.module}:{reference.class_name}", REFERENCE),
    )
    return MinimizeRequest(case, processes, entry, tmp_path / "out", LIMITS, seconds)


def quiet(_line):
    """Say nothing."""


@pytest.mark.heavy
def test_a_crash_is_made_smaller(tmp_path, monkeypatch):
    """If an encoding crashes the engine, candidates are asked of new children, and smaller ones crash."""
    monkeypatch.setattr(Search, "_is_late", lambda search: search.progress.tried >= 3)
    data = parquet(2, 2)
    made = minimize(asked(tmp_path, data, "CrashesOnDelta"), quiet)
    assert made.signature == "fake | crashed | signal 11"
    assert made.progress.steps > 0
    assert not made.progress.finished
    assert made.progress.size == len(made.file.read_bytes()) < len(data)
    assert (tmp_path / "out" / "original.parquet").read_bytes() == data


@pytest.mark.heavy
@pytest.mark.parametrize(("rows", "count"), [(2, 2), (20, 6)])
def test_crash(tmp_path, rows, count):
    """If an encoding crashes the engine, the minimal file has one column in that encoding."""
    data = parquet(rows, count)
    given = asked(tmp_path, data, "CrashesOnDelta")
    made = minimize(given, quiet)
    assert made.signature == "fake | crashed | signal 11"
    assert made.progress.size < 600
    assert (tmp_path / "out" / "original.parquet").read_bytes() == data
    data = made.file.read_bytes()
    assert len(columns(data)) == 1
    assert not rules(data)
    told = json.loads((tmp_path / "out" / "minimize.json").read_text())
    assert told["signature"] == made.signature
    assert told["progress"]["size"] == len(data)


@pytest.mark.heavy
@pytest.mark.parametrize(("rows", "count"), [(5, 2), pytest.param(20, 6, marks=pytest.mark.heavy)])
def test_wrong_values(tmp_path, rows, count):
    """If nulls are read as zeros, the minimal file has a null, and shows no other problem of the engine."""
    made = minimize(asked(tmp_path, parquet(rows, count), "WrongAfterNulls"), quiet)
    assert made.signature == "fake | different | value in int(64, signed)"
    data = made.file.read_bytes()
    assert list(columns(data).values()) == [["None"]]
    assert len(data) < 200
    case = load(tmp_path / "out" / "minimal.json")
    assert case.expectation.table is not None
    assert case.expectation.table.column(0) == [None]


@pytest.mark.heavy
def test_hang(tmp_path):
    """A hang is confirmed with a short time limit; the minimal file keeps the statistics that cause it."""
    made = minimize(asked(tmp_path, parquet(20), "HangsWithStatistics", seconds=40), quiet)
    assert made.verdict == "hung"
    footer = anatomy.dissect(made.file.read_bytes())
    assert any(chunk.chunk.meta_data.statistics for chunk in footer.chunks())
    assert made.progress.size < len(parquet(20))


@pytest.mark.heavy
def test_query(tmp_path):
    """If a query loses a row, each candidate runs that query; its column keeps its name and two rows."""
    query = Filter(Compare(("number",), ">", integer(64), "0"))
    made = minimize(asked(tmp_path, parquet(40), "FilterLosesFirst", probes=[Probe(query)]), quiet)
    assert made.probe == str(query)
    assert "filter: rows lost" in made.signature
    assert [len(values) for values in columns(made.file.read_bytes()).values()] == [2]
    assert list(columns(made.file.read_bytes())) == ["number"]


def test_a_file_is_asked_the_queries_of_a_run(tmp_path, monkeypatch):
    """A file of which nothing is known, and that is read rightly, shows the finding of a derived query."""
    monkeypatch.setattr(Search, "_is_late", lambda search: search.progress.tried >= 20)
    request = asked(tmp_path, parquet(12), "FilterLosesFirst")
    with pytest.raises(NotShown):
        minimize(request, quiet)
    case = queried(request.case, Limits(seconds=60))
    assert len(case.probes) > 5
    assert queried(case, Limits()) is case
    assert "rows lost" in minimize(replace(request, case=case), quiet).signature


def minimized_query(tmp_path, monkeypatch, rows, fake):
    """Return what is left after some candidates of a file of known values, of which a filter loses a row."""
    monkeypatch.setattr(Search, "_is_late", lambda search: search.progress.tried >= 60)
    data = parquet(rows)
    (tmp_path / "read.parquet").write_bytes(data)
    values = Expectation.accept(read(str(tmp_path / "read.parquet"), "parquet"), "generator")
    query = Filter(Compare(("number",), ">", integer(64), "-500"), ("number",))
    entry = Entry("fake", "*", "different", "sought", signature="fake | different | filter: rows lost*")
    request = asked(tmp_path, data, fake, expectation=values, probes=[Probe(query)], entry=entry)
    result = minimize(request, quiet)
    assert result.probe == str(query)
    assert result.progress.size < len(data)
    return len(next(iter(columns(result.file.read_bytes()).values())))


def test_query_of_a_file_that_is_refused(tmp_path, monkeypatch):
    """Of a file that is refused, whose values are known, candidates show the answer about some columns."""
    assert minimized_query(tmp_path, monkeypatch, 8, "RefusesFew") < 8


def test_a_file_that_may_be_refused_still_loses_rows(tmp_path):
    """The rows that a filter loses are found in a file that may be refused as a whole, and is."""
    data = parquet(3)
    (tmp_path / "read.parquet").write_bytes(data)
    table = read(str(tmp_path / "read.parquet"), "parquet")
    values = Expectation.either("readers may refuse it", table=table)
    query = Filter(Compare(("number",), ">", integer(64), "-500"), ("number",))
    entry = Entry("fake", "*", "different", "sought", signature="fake | different | filter: rows lost*")
    request = asked(tmp_path, data, "RefusesWhole", expectation=values, probes=[Probe(query)], entry=entry)
    minimized = minimize(request, quiet)
    assert minimized.signature.startswith("fake | different | filter: rows lost")
    assert minimized.progress.size < len(data)


def test_a_file_that_is_read_stays_one(tmp_path, monkeypatch):
    """Of a file that is read as a whole, no smaller file is taken that is refused: another finding."""
    assert minimized_query(tmp_path, monkeypatch, 30, "RefusesFew") >= 9


@pytest.mark.heavy
def test_one_cause(tmp_path):
    """If a signature has two causes, the minimal file shows the cause that the original file shows."""
    query = Filter(Compare(("number",), ">", integer(64), "0"))
    made = minimize(asked(tmp_path, parquet(30), "TwoCauses", probes=[Probe(query)]), quiet)
    assert made.progress.needed == ["Bloom filters"]
    metas = [chunk.chunk.meta_data for chunk in anatomy.dissect(made.file.read_bytes()).chunks()]
    assert any(meta.bloom_filter_offset for meta in metas)
    assert any(meta.statistics for meta in metas)
    assert made.progress.size < 1500


@pytest.mark.heavy
def test_unstable(tmp_path):
    """An engine that wavers is asked until it does."""
    entry = Entry("fake", "*", "unstable", "test")
    made = minimize(asked(tmp_path, parquet(30), "Wavers", entry=entry), quiet)
    assert made.signature.startswith("fake | unstable")
    assert made.progress.size < 250


@pytest.mark.heavy
def test_intermittent(tmp_path):
    """A crash in one of three reads is repeated until it is unlikely to be missed."""
    entry = Entry("fake", "*", "crashed", "test")
    given = asked(tmp_path, parquet(8), "CrashesNowAndThen", entry=entry, seconds=40.0)
    lines = []
    made = minimize(replace(given, share=Share(1, 3)), lines.append)
    assert "the finding showed in 1 of 3 reads: each file is read up to 12 times" in lines
    assert made.signature == "fake | crashed | signal 11"
    assert made.progress.steps > 0
    with pytest.raises(NotShown, match="not crashed"):  # read once, it does not show
        minimize(replace(given, out=tmp_path / "once"), quiet)


@pytest.mark.heavy
def test_orc(tmp_path):
    """If a dictionary of ORC crashes the engine, the minimal file is small and has a dictionary."""
    from reference_impl.orc.plan import Column, Dictionary

    layouts = tuple(Column(dictionary=Dictionary()) if at == 8 else Column() for at in range(12))
    given = asked(tmp_path, orc_file(12, columns=layouts), "CrashesOnDictionary", form="orc")
    made = minimize(given, quiet)
    assert made.signature == "fake | crashed | signal 11"
    assert made.progress.size < 1000


@pytest.mark.heavy
def test_encrypted_orc(tmp_path):
    """If only encrypted columns show the finding, the minimal file has one row, which the keys open."""
    given = load(Path(corpora.__file__).parent / "orc/encryption/aes-ctr-128/with-keys.json")
    wanted = asked(tmp_path, given.file.read_bytes(), "WrongWhereEncrypted", form="orc", seconds=40.0)
    found = minimize(replace(wanted, case=replace(wanted.case, keys=given.keys)), quiet)
    data = found.file.read_bytes()
    left = columns(data, given.keys.orc)
    assert {len(every) for every in left.values()} == {1}
    assert OrcFile(data).footer.encryption is not None
    assert "rows" in found.progress.by
    assert load(tmp_path / "out/minimal.json").keys == given.keys


def test_rules_behind_keys(tmp_path):
    """A file is validated with the keys of its case: with a wrong key, the rule for wrong keys is broken."""
    case = load(Path(corpora.__file__).parent / "orc/encryption/wrong-key/128.json")
    data = case.file.read_bytes()
    processes = asked(tmp_path, data, "Reference", form="orc").processes
    with CandidateBench(processes, FileForm("orc"), LIMITS, tmp_path) as bench:
        assert "ORC-CRYPT-006" not in bench.broken(data)
    with CandidateBench(processes, FileForm("orc", case.keys), LIMITS, tmp_path) as bench:
        assert "ORC-CRYPT-006" in bench.broken(data)


@pytest.mark.heavy
def test_accepted_invalid(tmp_path):
    """If an engine accepts a broken rule, the minimal file breaks that rule and no further one."""
    parts = anatomy.dissect(parquet(40))
    data = anatomy.assemble(parts, anatomy.Seal.CHUNK_VALUES, by=5)
    expectation = Expectation.refuse(rule="PQ-CHUNK-006")
    assert "PQ-CHUNK-006" in rules(data)
    made = minimize(asked(tmp_path, data, "AcceptsAll", expectation=expectation), quiet)
    assert made.signature == "fake | accepted_invalid | PQ-CHUNK-006"
    assert rules(made.file.read_bytes()) <= rules(data)
    assert "PQ-CHUNK-006" in rules(made.file.read_bytes())
    assert made.progress.size < 400


@pytest.mark.heavy
def test_going_on(tmp_path, monkeypatch):
    """A search that was cut short left its best file, and goes on from there."""
    given = asked(tmp_path, parquet(60), "WrongAfterNulls", seconds=10.0)
    with monkeypatch.context() as patch:  # the time is over once the finding has shown
        run = minimizer._Run.run
        patch.setattr(minimizer._Run, "run", lambda self, _: run(self, 0.0))
        first = minimize(given, quiet)
    assert not first.progress.finished
    small = minimize(given, quiet).progress.size
    said = []
    again = minimize(given, said.append)
    assert again.progress.size <= small
    assert f"continuing from {small} bytes" in said


@pytest.mark.heavy
def test_nothing_to_see(tmp_path):
    """A file for which the engine shows no problem, or another one, is refused in one line."""
    with pytest.raises(NotShown, match="no problem"):
        minimize(asked(tmp_path, orc_file(6), "Wavers", form="orc", seconds=1), quiet)
    entry = Entry("fake", "*", "hung", "test")
    with pytest.raises(NotShown, match="not hung"):
        minimize(asked(tmp_path, parquet(10), "WrongAfterNulls", entry=entry, seconds=1), quiet)


@pytest.mark.heavy
def test_a_hang_called_unstable(tmp_path):
    """An unstable finding that now hangs is searched with a short time limit per candidate."""
    entry = Entry("fake", "*", "unstable", "test")
    probe = Probe(Filter(Compare(("number",), ">=", integer(64), "0")))
    given = asked(tmp_path, parquet(10), "HangsInFilters", probes=[probe], entry=entry, seconds=16.0)
    given = replace(given, limits=replace(LIMITS, seconds=300))
    made = minimize(given, quiet)
    assert made.verdict == "hung"
    assert made.signature == "fake | hung | no answer after <n> s in filter"
    assert made.limits["seconds"] <= 2


def test_the_time_to_look_for_it_is_bounded(tmp_path):
    """If the time budget ends before the finding shows, the error says so."""
    given = asked(tmp_path, parquet(10), "WrongAfterNulls", seconds=0.0)
    with pytest.raises(NotShown, match="within the time budget"):
        minimize(given, quiet)


@pytest.mark.parametrize(
    ("query", "names"),
    [
        (TopRows(("a",), 2, columns=("b",)), {"a", "b"}),
        (TopWhere(("a",), 2, columns=("b",), predicate=IsNull(("c",))), {"a", "b", "c"}),
        (AggregateWhere(("a",), Compare(("s", "c"), "<", integer(32), "1")), {"a", "s", "c"}),
        (CountValues(("s", "c")), {"s", "c"}),
    ],
)
def test_names_of_a_query_stay(query, names):
    """Columns that a query names, in whatever part of it, keep their names while a file is reduced."""
    case = Case("files/a", "parquet", Path("a"), "0" * 64, Expectation.by_vote())
    assert Subject(b"", case, Probe(query), None).names == names
