"""Files of which nothing is recorded are asked queries that the reference derives from them."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

from corpora.cases import Expectation, Probe
from corpora.predicates import Compare
from corpora.queries import Filter
from corpora.tagged import integer
from harness.investigate.suspects import _alike, named
from harness.judging import ask_sheet, judge
from harness.judging.places import Config
from harness.judging.pushdown import DerivedQueries, is_among
from harness.runs.pipeline import derived
from harness.runs.pipeline.derived import is_queried, is_sound
from harness.tests.derived_fakes import PUSHED
from harness.tests.fakes import Queried
from harness.tests.pipelines import Quiet, comparable, files, generated, go, made, process, pushing
from harness.tests.queried import BIG

FAKES = "harness.tests.derived_fakes"


def reference(cls="Derives", module=FAKES):
    """Return the process of a reference that derives queries."""
    return process(cls, "reference", module)


def unknown(tmp_path, *names):
    """Return files of which nothing is recorded."""
    return files(tmp_path / "in", names, Expectation.by_vote())


def queries_of(results, engine, config=""):
    """Return how many queries an engine was asked of each case."""
    return [row.detail.probes.queries for row in results.rows if (row.engine, row.config) == (engine, config)]


def test_rows_that_pushdown_loses_are_a_finding(tmp_path):
    """A reader that loses rows by pushdown is found by the queries of a file of which nothing is recorded."""
    imported = unknown(tmp_path, "a")
    results = go(tmp_path / "out", imported, reference(), pushing("LosesRows"), process("Queried"), queries=8)
    (finding,) = results.findings
    assert (finding.engine, finding.verdict, finding.probe) == ("losesrows", "different", str(BIG))
    assert finding.difference["kind"] == "pushdown"
    assert queries_of(results, "losesrows") == [4]
    assert queries_of(results, "losesrows", "pushdown=off") == [4]


def test_none_asks_nothing(tmp_path):
    """Without queries nothing is derived and nothing asked."""
    imported = unknown(tmp_path, "a")
    results = go(tmp_path / "out", imported, reference(), pushing("LosesRows"), process("Queried"))
    assert results.findings == []
    assert queries_of(results, "losesrows") == [0]
    assert not (tmp_path / "derived").exists()


def test_a_case_with_a_meaning_is_not_asked(tmp_path):
    """Of a file whose values are recorded no queries are derived, nor of one that must be refused."""
    recorded = files(tmp_path / "in", ["a"])
    assert not any(map(is_queried, recorded.cases))
    refused = files(tmp_path / "in", ["b"], Expectation.refuse(clause="a clause"))
    assert not any(map(is_queried, refused.cases))
    assert all(map(is_queried, unknown(tmp_path, "c").cases))


def test_a_case_with_a_meaning_is_asked_if_wanted(tmp_path):
    """Its own queries are first; a file that breaks a rule, or says what is false, has no others."""
    recorded = files(tmp_path / "in", ["a"])
    (case,) = recorded.cases
    own = Probe(BIG, rows=(0,))
    for number, (probes, asked) in enumerate([((), 4), ((own,), 4), ((replace(own, misled=()),), 1)]):
        imported = replace(recorded, cases=(replace(case, probes=probes),))
        out = tmp_path / str(number)
        results = go(out, imported, reference(), process("Queried"), queries=8, queries_of_cases=True)
        assert queries_of(results, "queried") == [asked]
    broken = replace(case, expectation=replace(case.expectation, rule="PQ-FILE-001"))
    assert [is_sound(case), is_sound(broken)] == [True, False]


def test_files_that_engines_wrote(tmp_path):
    """They share queries, which few of them give; pushdown is off only where an answer was wrong."""
    expectation = Expectation.accept(Queried.found, "writer:some@1")
    imported = files(tmp_path / "in", [f"{at}.parquet" for at in range(6)], expectation, together=True)
    cases = tuple(replace(case, id=f"writers/some/{case.id}") for case in imported.cases)
    imported = replace(imported, cases=cases)
    results = go(tmp_path / "out", imported, reference(), pushing("LosesRows"), queries=8)
    assert sorted((tmp_path / "derived").read_text().split()) == [
        "0.parquet",
        "1.parquet",
        "4.parquet",
        "5.parquet",
    ]
    assert queries_of(results, "losesrows") == [2] * 6  # the four queries in turns
    assert queries_of(results, "losesrows", "pushdown=off") == [1] * 6
    assert {finding.difference["kind"] for finding in results.findings} == {"pushdown"}
    assert [(finding.count, finding.probe) for finding in results.findings] == [
        (3, str(BIG)),
        (3, "number = 6"),
    ]


def test_files_whose_values_are_published(tmp_path):
    """Files whose values a writer outside of the run stated share no queries: each has its own."""
    expectation = Expectation.accept(Queried.found, "writer:some@1")
    imported = files(tmp_path / "in", [f"{at}.parquet" for at in range(6)], expectation, together=True)
    results = go(tmp_path / "out", imported, reference(), process("Queried"), queries=8)
    assert not (tmp_path / "derived").exists()
    assert queries_of(results, "queried") == [0] * 6
    results = go(
        tmp_path / "asked", imported, reference(), process("Queried"), queries=8, queries_of_cases=True
    )
    assert len((tmp_path / "derived").read_text().split()) == 6
    assert queries_of(results, "queried") == [2] * 6


@pytest.mark.sweep(3)
@pytest.mark.parametrize(("name", "noted"), [("refused", ""), ("broken", "a mistake"), ("dies", "SIGABRT")])
def test_a_file_that_cannot_be_derived_from(tmp_path, name, noted):
    """A file that the reference refuses or dies of has no queries; a failure that is no refusal is noted."""
    imported, progress = unknown(tmp_path, "a", name, "z"), Quiet()
    results = go(tmp_path / "out", imported, reference(), pushing("Queried"), queries=8, progress=progress)
    assert queries_of(results, "queried") == [4, 0, 4]
    notes = [note for note in progress.notes if "no queries for" in note]
    assert len(notes) == bool(noted)
    assert all("1 file" in note and name in note and noted in note for note in notes)


def test_heavy_engines_are_asked_the_first(tmp_path):
    """A heavy engine is asked a third of the queries, the most telling ones."""
    imported = unknown(tmp_path, "a")
    results = go(tmp_path / "out", imported, reference(), pushing("LosesRows", heavy=True), queries=8)
    assert queries_of(results, "losesrows") == [1]
    assert [finding.probe for finding in results.findings] == [str(BIG)]


def test_other_configurations_take_turns(tmp_path):
    """The first configuration and those of its pushdown are asked all queries, another one in four."""
    configs = tuple(
        Config(text, {PUSHED: pushed, "mode": mode})
        for text, pushed, mode in (("", "on", "x"), ("pushdown=off", "off", "x"), ("mode=y", "on", "y"))
    )
    imported = unknown(tmp_path, "a")
    results = go(tmp_path / "out", imported, reference(), process("Queried", configs=configs), queries=8)
    assert [queries_of(results, "queried", config.text) for config in configs] == [[4], [4], [1]]


def test_queries_take_turns():
    """Each configuration is asked each query of some sheet; a heavy engine always the first ones."""
    texts = (("on", "x"), ("off", "x"), ("on", "y"), ("on", "z"))
    configs = [Config(f"{at}", {PUSHED: pushed, "mode": mode}) for at, (pushed, mode) in enumerate(texts)]
    for share, wanted in ((1, {0: 24, 1: 24, 2: 6, 3: 6}), (3, {0: 8, 1: 8, 2: 0, 3: 0})):
        for number, count in wanted.items():
            chosen = [
                {
                    at
                    for at in range(24)
                    if DerivedQueries(configs, share, f"sheet {salt}").asks(number, at, 24)
                }
                for salt in range(60)
            ]
            assert {len(queries) for queries in chosen} == {count}
            assert set().union(*chosen) == (set(range(24)) if count else set())
            assert share == 1 or not count or all(queries >= set(range(4)) for queries in chosen)


def test_resumed(tmp_path):
    """A run that is continued derives again only what is missing, with the same results."""
    imported, out = unknown(tmp_path, "a", "b"), tmp_path / "out"

    class Interrupts(Quiet):
        """Stops the run when files are read."""

        def stage(self, name, total):
            """Raise at the stage behind the derivation."""
            super().stage(name, total)
            if name.startswith("reading"):
                raise KeyboardInterrupt

    processes = reference(), pushing("LosesRows"), process("Queried")
    with pytest.raises(KeyboardInterrupt):
        go(out, imported, *processes, queries=8, progress=Interrupts())
    go(out, imported, *processes, queries=8)
    assert sorted((tmp_path / "derived").read_text().split()) == ["a", "b"]
    go(tmp_path / "again", imported, *processes, queries=8)
    assert comparable(out) == comparable(tmp_path / "again")


def test_an_engine_that_contradicts_itself(tmp_path):
    """Where nothing says what a file means, an answer that pushdown changes is a finding, a certain one."""
    imported = unknown(tmp_path, "a")
    results = go(tmp_path / "out", imported, reference(), pushing("LosesByPushdown", module=FAKES), queries=8)
    (row, off) = (row for row in results.rows if row.engine == "losesbypushdown")
    assert row.detail.expectation.certainty in {None, "certain"}
    assert "returns another result without pushdown" in row.detail.expectation.why
    assert (row.verdict, row.detail.difference["kind"], row.detail.probe) == ("different", PUSHED, str(BIG))
    assert off.detail.probe is None
    assert [finding.engine for finding in results.findings] == ["losesbypushdown"]


def test_false_statistics_blame_nobody(tmp_path, monkeypatch):
    """Who loses rows by statistics that break a MUST is shown, and not blamed."""

    def lied(case, given, features):  # noqa: ARG001 - its interface
        table = next(each.outcome.table for each in given)
        reason = "it breaks PQ-STATS-004: who refuses is right"
        return replace(Expectation.either(reason, table=table, source="vote"), breach="PQ-STATS-004")

    monkeypatch.setattr(judge, "expectation_of", lied)
    imported = unknown(tmp_path, "a")
    results = go(tmp_path / "out", imported, reference(), pushing("LosesRows"), queries=8)
    (row, _) = (row for row in results.rows if row.engine == "losesrows")
    assert (row.verdict, row.detail.probe, row.detail.expectation.certainty) == (
        "different",
        str(BIG),
        "contested",
    )
    assert "PQ-STATS-004" in row.detail.expectation.why
    assert results.findings == []


def test_the_part_has_the_queries(tmp_path):
    """The queries of a finding are in the cases of the run, for replays."""
    imported = unknown(tmp_path, "a")
    go(tmp_path / "out", imported, reference(), pushing("LosesRows"), process("Queried"), queries=8)
    (line,) = (tmp_path / "out" / "cases.ndjson").read_text().splitlines()
    assert json.loads(line)["case"]["probes"] == [Probe(BIG).to_json()]


def test_a_finding_of_a_run_keeps_its_query(tmp_path):
    """`minimize` and `bisect` take the finding of a run with the query that was derived from its file."""
    imported = files(tmp_path / "in", ["a.parquet"], Expectation.by_vote(), together=True)
    out = tmp_path / "out"
    results = go(out, imported, reference(), pushing("LosesRows"), process("Queried"), queries=8)
    (finding,) = results.findings
    suspect = named(f"{out}:{finding.signature}", "losesrows", tmp_path)
    assert suspect.case.probes == (Probe(BIG),)
    assert suspect.configs == tuple(row.config for row in results.rows if row.engine == "losesrows")
    row = next(row for row in results.rows if row.engine == "losesrows" and row.detail.finding)
    others = [
        replace(row, config="mode=y"),
        replace(row, version="2", config="pushdown=rows"),
        replace(row.with_detail(file="elsewhere/a.parquet"), config="pushdown=none"),
    ]
    off = replace(row, config="pushdown=off")
    assert _alike([row, *others, off], row) == (row.config, "pushdown=off")


@pytest.mark.parametrize(("large", "least", "asked"), [(6, 1, 4), (2, 1, 2), (1, 1, 1), (1, 3, 3)])
def test_a_large_file_has_fewer_queries(tmp_path, monkeypatch, large, least, asked):
    """The more values a file has, the fewer queries, at least a few; a line says so."""
    monkeypatch.setattr(derived, "LARGE", large)
    monkeypatch.setattr(derived, "LEAST", least)
    progress = Quiet()
    reader = process("Queried")
    imported = unknown(tmp_path, "a")
    results = go(tmp_path / "out", imported, reference(), reader, queries=8, progress=progress)
    assert queries_of(results, "queried") == [asked]
    notes = [note for note in progress.notes if "fewer queries" in note]
    assert [("a counts as 6 values and" in note, "not 8" in note) for note in notes] == [(True, True)] * (
        asked < 4
    )


@pytest.mark.parametrize("cells", [11, 12])
def test_the_reference_has_no_derived_queries_of_a_large_file(tmp_path, monkeypatch, cells):
    """It reads slowly, and right answers are computed from what it read."""
    monkeypatch.setattr(ask_sheet, "_REFERENCE_CELLS", cells)
    imported = unknown(tmp_path, "a")
    results = go(tmp_path / "out", imported, reference(), process("Queried"), queries=8)
    assert queries_of(results, "queried") == [4]
    assert queries_of(results, "reference") == [4 * (cells == 12)]


def test_the_reference_has_the_recorded_queries_of_a_large_file(tmp_path, monkeypatch):
    """Those of a case are asked of every engine."""
    monkeypatch.setattr(ask_sheet, "_REFERENCE_CELLS", 1)
    recorded = files(tmp_path / "in", ["a"])
    (case,) = recorded.cases
    imported = replace(recorded, cases=(replace(case, probes=(Probe(BIG, rows=(0,)),)),))
    results = go(
        tmp_path / "out", imported, reference(), process("Queried"), queries=8, queries_of_cases=True
    )
    assert queries_of(results, "reference") == queries_of(results, "queried") == [4]


def test_parts_of_before_have_no_notes_of_large_files():
    """A run that was begun without them is continued."""
    context = SimpleNamespace(
        part=lambda *_: "part", has=lambda _: True, head=lambda _: {"sheets": [], "failed": [["a", "why"]]}
    )
    (note,) = derived.notes(context, [SimpleNamespace(id="1")])
    assert note.endswith("e.g. a: why")


def test_a_heavy_engine_is_asked_few_queries_of_a_generated_sheet():
    """Half of the queries that it is asked are the first, the others take turns; few are all asked."""
    for count in (1, 20, 21, 70):
        chosen = [{at for at in range(count) if is_among(at, count, 20, f"sheet {n}")} for n in range(150)]
        assert {len(queries) for queries in chosen} == {min(count, 20)}
        assert set().union(*chosen) == set(range(count))
        assert all(queries >= set(range(min(count, 10))) for queries in chosen)


def many(seed, start, stop, format):  # noqa: A002 - its name
    """Generate sheets with 30 queries."""
    queries = tuple(Filter(Compare(("number",), ">", integer(32), str(number))) for number in range(30))
    return (sheet._replace(queries=queries) for sheet in made(seed, start, stop, format))


def test_generated_files_have_few_queries_for_a_heavy_engine(tmp_path):
    """Of the 30 queries of a generated sheet, a heavy engine is asked 20, a light one all."""
    engines = process("Queried", "light"), process("Queried", "heavy", heavy=True)
    results = generated(tmp_path / "out", 3, *engines, generator="harness.tests.test_derived:many")
    assert (queries_of(results, "light"), queries_of(results, "heavy")) == ([30] * 3, [20] * 3)
