"""Engines that misbehave on purpose: what is found has the same signature, and is small."""

import hashlib
import json
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

import corpora
from corpora.cases import Case, Expectation, Probe, load
from corpora.known_failures import Entry
from corpora.predicates import Compare
from corpora.queries import Filter
from corpora.tagged import integer
from harness.children.connection import Limits
from harness.engines.registry import ENGINES
from harness.investigate.minimize.minimizer import MinimizeRequest, minimize
from harness.investigate.minimize.requests import CandidateBench
from harness.investigate.minimize.subject import NotShown
from harness.investigate.minimize.tests.files import columns, orc_file, parquet, rules
from harness.judging.odds import Share
from harness.judging.places import Config, Process
from harness.judging.vote import REFERENCE
from reference_impl.orc.file import OrcFile
from reference_impl.parquet import anatomy

LIMITS = Limits(seconds=10, start_seconds=60)


def process(spec, name="fake", configs=({},)):
    """An engine process of a class, `module:class`."""
    command = (sys.executable, "-m", "harness.children.worker", spec)
    made = tuple(Config(",".join(f"{k}={v}" for k, v in one.items()), one) for one in configs)
    return Process(name, "1", command, made, ("parquet", "orc"))


def asked(tmp_path, data, fake, *, form="parquet", expectation=None, probes=(), entry=None, seconds=300.0):
    """What is to be done with a file and a fake."""
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


@pytest.mark.parametrize(("rows", "count"), [(2, 2), pytest.param(20, 6, marks=pytest.mark.heavy)])
def test_crash(tmp_path, rows, count):
    """A crash on an encoding: through deaths of the process, one column in that encoding is left."""
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


@pytest.mark.parametrize(("rows", "count"), [(5, 2), pytest.param(20, 6, marks=pytest.mark.heavy)])
def test_wrong_values(tmp_path, rows, count):
    """Nulls read as zeros: a null is left, and not a file of another problem of the same engine."""
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
    """A hang is asked about with a short limit; what is left has statistics, of one column."""
    made = minimize(asked(tmp_path, parquet(20), "HangsWithStatistics", seconds=12), quiet)
    assert made.verdict == "hung"
    footer = anatomy.dissect(made.file.read_bytes())
    assert any(chunk.chunk.meta_data.statistics for chunk in footer.chunks())
    assert made.progress.size < len(parquet(20))


@pytest.mark.heavy
def test_query(tmp_path):
    """A query that loses a row is asked of every candidate; its column keeps its name, two rows are left."""
    query = Filter(Compare(("number",), ">", integer(64), "0"))
    made = minimize(asked(tmp_path, parquet(40), "FilterLosesFirst", probes=[Probe(query)]), quiet)
    assert made.probe == str(query)
    assert "filter: rows lost" in made.signature
    assert [len(values) for values in columns(made.file.read_bytes()).values()] == [2]
    assert list(columns(made.file.read_bytes())) == ["number"]


@pytest.mark.heavy
def test_one_cause(tmp_path):
    """Where one signature has two causes, the one that the file has at first is not lost for the other."""
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
    """What crashes in one of three reads is looked for as often as makes it unlikely to be missed."""
    entry = Entry("fake", "*", "crashed", "test")
    given = asked(tmp_path, parquet(8), "CrashesNowAndThen", entry=entry, seconds=40.0)
    lines = []
    made = minimize(replace(given, share=Share(1, 3)), lines.append)
    assert "it showed in 1 of 3 reads: each file is read up to 12 times" in lines
    assert made.signature == "fake | crashed | signal 11"
    assert made.progress.steps > 0
    with pytest.raises(NotShown, match="not crashed"):  # read once, it does not show
        minimize(replace(given, out=tmp_path / "once"), quiet)


@pytest.mark.heavy
def test_orc(tmp_path):
    """A crash on a dictionary of ORC: what is left has one, and is small."""
    from reference_impl.orc.plan import Column, Dictionary

    layouts = tuple(Column(dictionary=Dictionary()) if at == 8 else Column() for at in range(12))
    given = asked(tmp_path, orc_file(12, columns=layouts), "CrashesOnDictionary", form="orc")
    made = minimize(given, quiet)
    assert made.signature == "fake | crashed | signal 11"
    assert made.progress.size < 1000


@pytest.mark.heavy
def test_encrypted_orc(tmp_path):
    """What shows where columns are encrypted alone: few rows are left, which the case's keys open."""
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
    """What a file breaks is looked for with the keys of its case: by the wrong ones, the rule of its tail."""
    case = load(Path(corpora.__file__).parent / "orc/encryption/wrong-key/128.json")
    data = case.file.read_bytes()
    processes = asked(tmp_path, data, "Reference", form="orc").processes
    with CandidateBench(processes, "orc", LIMITS, tmp_path) as bench:
        assert "ORC-CRYPT-006" not in bench.broken(data)
        bench.keys = case.keys
        assert "ORC-CRYPT-006" in bench.broken(data)


@pytest.mark.heavy
def test_accepted_invalid(tmp_path):
    """A broken rule that an engine accepts stays broken, and no other one is."""
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
def test_going_on(tmp_path):
    """A search that was cut short left its best file, and goes on from there."""
    given = asked(tmp_path, parquet(60), "WrongAfterNulls", seconds=0.0)
    first = minimize(given, quiet)
    assert not first.progress.finished
    given = asked(tmp_path, parquet(60), "WrongAfterNulls", seconds=10.0)
    small = minimize(given, quiet).progress.size
    said = []
    again = minimize(given, said.append)
    assert again.progress.size <= small
    assert f"going on from {small} bytes" in said


def test_nothing_to_see(tmp_path):
    """A file of which the engine shows nothing, or something else, is refused in one line."""
    with pytest.raises(NotShown, match="no problem"):
        minimize(asked(tmp_path, orc_file(6), "Wavers", form="orc", seconds=1), quiet)
    entry = Entry("fake", "*", "hung", "test")
    with pytest.raises(NotShown, match="not hung"):
        minimize(asked(tmp_path, parquet(10), "WrongAfterNulls", entry=entry, seconds=1), quiet)


@pytest.mark.heavy
def test_a_hang_called_unstable(tmp_path):
    """What is known to waver and hangs at once is not waited for again and again, and its time is a part."""
    entry = Entry("fake", "*", "unstable", "test")
    probe = Probe(Filter(Compare(("number",), ">=", integer(64), "0")))
    given = asked(tmp_path, parquet(10), "HangsInFilters", probes=[probe], entry=entry, seconds=16.0)
    given = replace(given, limits=replace(LIMITS, seconds=300))
    begun = time.monotonic()
    made = minimize(given, quiet)
    assert time.monotonic() - begun < 200
    assert made.verdict == "hung"
    assert made.signature == "fake | hung | no answer after <n> s in filter"
    assert made.limits["seconds"] <= 2


def test_the_time_to_look_for_it_is_bounded(tmp_path):
    """Where the time is over before the finding showed, it is said so."""
    given = asked(tmp_path, parquet(10), "WrongAfterNulls", seconds=0.0)
    with pytest.raises(NotShown, match="in the time that was given"):
        minimize(given, quiet)
