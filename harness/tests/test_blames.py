"""Nobody who is right is blamed: files with a known truth, and any subset of engines."""

from __future__ import annotations

import dataclasses

import pytest
from click.testing import CliRunner

from corpora.cases import CERTAIN
from harness.commands.run import run
from harness.commands.selftest import selftest
from harness.investigate.blames import fakes, measure
from harness.investigate.blames.measure import Tally, known_files, subsets
from harness.judging.evidence import NOTHING
from harness.judging.records import PROBLEMS
from harness.judging.results import load
from harness.judging.vote import by_reference, vote
from harness.tests.schemas import printed
from properties.truths import BROKEN, CHOSEN, TWIN, WILD, kinds, truths

SHARE = 150


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return the files, as a user has them, with their truths."""
    return list(known_files(tmp_path_factory.mktemp("files"), list(truths(SHARE))))


def few(engines):
    """Return the subsets of at most two engines, and all engines."""
    return [each for each in subsets(engines) if len(each) <= 2 or len(each) == len(engines)]


@pytest.mark.heavy
def test_there_are_enough_truths():
    """At least 200 files are of broken rules, at least 200 legal and unusual, and every kind has some."""
    counts = kinds()
    assert counts.keys() == {*BROKEN, *CHOSEN, TWIN, WILD}
    assert sum(counts[kind] for kind in BROKEN) >= 200
    assert sum(counts[kind] for kind in CHOSEN) >= 200


@pytest.mark.heavy
def test_truths_are_the_same_each_time(files):
    """The same share has the same files, with the same bytes."""
    assert {each.truth.name: each.truth for each in files} == {each.name: each for each in truths(SHARE)}


def test_the_reference_and_the_validator_know_the_truth(files):
    """The reference is right, and `validate` names the broken MUSTs, of a sample."""
    for known in files:
        assert fakes.answers(known).right["reference"], known.case.id
        if known.truth.kind in BROKEN:
            assert set(known.truth.broken) <= set(known.evidence.broken), known.case.id
        if known.truth.kind == TWIN:
            assert known.evidence.broken == (), known.case.id


def test_nobody_is_blamed_wrongly(files):
    """Subset × wrong blames: right, mistaken and refusing fakes, the reference outvoted too."""
    tally = Tally()
    for known in files:
        answers = fakes.answers(known)
        for subset in few(tuple(fakes.FAKES)):
            measure.measure(answers, subset, tally)
    assert [blame[:3] for blame in tally.false] == []
    assert tally.blamed > tally.files / 5  # the vote is not silent


def test_nobody_is_blamed_wrongly_where_the_reference_abstains(files, monkeypatch):
    """Lineages that share a mistake outvote nobody; a vote that believed the count would be seen."""
    tally, believing = Tally(), Tally()
    for known in files:
        answers = fakes.answers(known).without_reference()
        for subset in few(tuple(fakes.FAKES)):
            measure.measure(answers, subset, tally)
    assert [blame[:3] for blame in tally.false] == []
    monkeypatch.setattr(measure, "is_blame", lambda _, verdict: verdict in PROBLEMS)
    accepted = next(known for known in files if known.truth.expectation.kind == "accept")
    measure.measure(fakes.answers(accepted).without_reference(), ("a-1", "c", "d"), believing)
    assert [(blame.engine, blame.wrong) for blame in believing.false] == [("a-1", True)]


def test_the_measure_sees_wrong_blames(files):
    """Were what a file breaks not known, who refuses it would be blamed wrongly."""
    tally = Tally()
    for known in files:
        if known.truth.expectation.kind == "either":
            blind = dataclasses.replace(known, evidence=NOTHING)
            measure.measure(fakes.answers(blind), ("a-1", "b", "f"), tally)
    assert {(blame.engine, blame.wrong) for blame in tally.false} == {("f", True)}


def test_a_blame_needs_a_clause_or_two_lineages(files, monkeypatch):
    """A vote that took the reference's word would be seen."""
    monkeypatch.setattr(measure, "vote", lambda *sources: by_reference(sources[1]))
    known = next(known for known in files if known.truth.expectation.kind == "accept")
    tally = Tally()
    measure.measure(fakes.answers(known), ("c",), tally)
    assert [(blame.engine, blame.wrong) for blame in tally.false] == [("c", False)]


@pytest.mark.heavy
def test_nobody_is_blamed_wrongly_in_any_subset(tmp_path):
    """All subsets of the fakes, of one in twenty files."""
    tally = Tally()
    for known in known_files(tmp_path, list(truths(20))):
        answers = fakes.answers(known)
        for subset in subsets(tuple(fakes.FAKES)):
            measure.measure(answers, subset, tally)
    assert [blame[:3] for blame in tally.false] == []


@pytest.mark.heavy
def test_a_run_of_files_blames_nobody_wrongly(tmp_path):
    """`run --files` says of two engines what the measure says of their answers."""
    known = {each.case.id: each for each in known_files(tmp_path / "files", list(truths(200)))}
    out = tmp_path / "out"
    arguments = ["--files", str(tmp_path / "files"), "--out", str(out), "--no-spark", "--report", "none"]
    result = CliRunner().invoke(run, [*arguments, "--engine", "pyarrow", "--engine", "fastparquet"])
    assert result.exit_code in {0, 1}, result.output
    for row in load(out).rows:
        truth = known[row.case].truth.expectation
        if row.detail.finding and row.verdict in {"refused_valid", "different", "accepted_invalid"}:
            basis = row.detail.expectation
            contradicts_itself = basis.certainty == CERTAIN and row.detail.probe is not None
            assert basis.clause or basis.why.count(",") >= 1 or contradicts_itself, row
            assert truth.kind == {"accepted_invalid": "refuse"}.get(row.verdict, truth.kind), row


def test_the_command(monkeypatch):
    """The table has a line for each size of a subset, and shows no wrong blame."""
    monkeypatch.setattr(fakes, "FAKES", {name: fakes.FAKES[name] for name in ("a-1", "b", "c", "f")})
    result = CliRunner().invoke(selftest, ["--blames", "--share", "10000", "--json"])
    assert result.exit_code == 0, result.output
    content = printed("selftest", result.stdout)
    sizes = [f"{size} of 4 fakes" for size in range(1, 5)]
    silent = [f"{name}, the reference abstains" for name in sizes]
    assert [row["engines"] for row in content["subsets"]] == sizes + silent
    assert {row["wrong_blames"] for row in content["subsets"]} == {0}
    assert content["blames"] == []


def test_the_command_says_who_is_blamed_wrongly(monkeypatch):
    """A wrong blame is listed with its file, engine and reason, and is status 1."""
    monkeypatch.setattr(fakes, "FAKES", {"c": fakes.MISTAKEN})
    monkeypatch.setattr(measure, "vote", lambda *sources: by_reference(sources[1]) or vote(*sources))
    result = CliRunner().invoke(selftest, ["--blames", "--share", "10000"])
    assert result.exit_code == 1
    assert "baseless: c different of files/" in result.output
