"""A night keeps its budget, does what is due first, and goes on where it was."""

import itertools
import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from types import SimpleNamespace

import pytest

from corpora import known_failures
from corpora.build.formats import FORMATS
from corpora.features import many_rows
from corpora.importers import Imported
from corpora.known_failures import NOT_ANY_MORE
from harness.files import write_lines
from harness.judging.results import load, load_run
from harness.runs.history.store import History
from harness.runs.history.store import load as load_history
from harness.runs.nightly.costs import Cost, measured
from harness.runs.nightly.night import night
from harness.runs.nightly.plan import Night
from harness.runs.nightly.rounds import (
    CORPORA,
    GENERATE,
    LARGE,
    LARGE_FILES,
    PARTITION,
    REPLAY,
    WRITE,
    Round,
    focus,
    richest,
    writing,
    yields,
)
from harness.runs.nightly.weighing import weigh
from harness.runs.pipeline import folder
from harness.runs.pipeline.context import Generate, WriteDrawn
from harness.runs.pipeline.errors import PipelineError
from harness.runs.pipeline.request import Request, begun
from harness.runs.pipeline.run import run
from harness.runs.pipeline.store import skipped_row
from harness.tests.pipelines import LIMITS, Quiet, files, process
from harness.tests.schemas import check
from properties.focus import SEEDS, focus_of

MODULE = "harness.tests.run_fakes"


class Clock:
    """Time that passes only when a round is done."""

    def __init__(self):
        self.time = 1000.0

    def __call__(self):
        """Return it."""
        return self.time


class Fakes:
    """Sources of a night of fake engines."""

    engines = "fakes"

    def __init__(self, tmp_path, processes, cases=()):
        self.tmp_path, self.processes, self.cases = tmp_path, processes, tuple(cases)
        self.versions = {one.name: (one.version,) for one in processes}
        self.asked = []
        self.written = None

    def corpora(self):
        """Return the cases."""
        return {"parquet": self.cases}

    def writes(self, kind, format_):
        """Return whether the fakes write: as `written` says, Parquet alone."""
        is_wanted = self.written and kind == (PARTITION if self.written.partitioned else WRITE)
        return bool(is_wanted) and format_ == "parquet"

    def request(self, planned, cases, records):
        """Return a request of a round."""
        self.asked.append((planned, [case.id for case in cases], [one.signature for one in records]))
        imported = None if planned.generates else Imported(tuple(cases), ())
        seed = planned.seed or 0
        generate = Generate(planned.files, seed, "harness.tests.pipelines:made")
        is_written = planned.kind in (WRITE, PARTITION)
        write = self.written._replace(seed=seed, tables=planned.files) if is_written else None
        return Request(
            self.tmp_path,
            self.processes,
            LIMITS,
            imported,
            2,
            {"round": planned.name},
            ["run"],
            known=self.known,
            generate=None if imported or write else generate,
            write=write,
            format=planned.format,
        )

    @property
    def known(self):
        """Return the folder of known failures."""
        folder = self.tmp_path / "known"
        folder.mkdir(exist_ok=True)
        return folder


def asked(tmp_path, sources, budget, number=1, **more):
    """Return what a night is asked."""
    request = Request(tmp_path / f"night{number}", (), LIMITS, None, 0, {"budget": budget}, ["run"])
    more = {"formats": ("parquet",), "entries": known_failures.load(sources.known), **more}
    return Night(request, tmp_path / "history", budget, sources=sources, **more)


def pretend(clock, start, each, wobble=(1.0,)):
    """Return what does a round, and has the clock say that it took `start + each × files`.

    Of generated files, it does nothing.
    """
    turns = itertools.cycle(wobble)

    def go(request, progress):
        if request.generate:
            request.out.mkdir(parents=True, exist_ok=True)
            digests = {
                name: write_lines(request.out / name, []).to_json()
                for name in ("results.ndjson", "findings.ndjson")
            }
            folder.save(request.out, replace(begun(request), finished="now", stale=[], digests=digests))
        else:
            run(request, progress)
        count = len(request.imported.cases) if request.imported else 0
        count += request.generate.files if request.generate else 0
        clock.time += (start + each * count) * next(turns)

    return go


@pytest.mark.sweep(3)
@pytest.mark.parametrize("budget", [600, 7200])
@pytest.mark.parametrize(("start", "each"), [(0, 0.4), (30, 0.5), (5, 0.02)])
def test_the_budget_is_kept(tmp_path, budget, start, each):
    """Whatever rounds cost, and though that varies, a night takes its time, ten percent more or less."""
    clock = Clock()
    sources = Fakes(tmp_path, (process("Healthy"),))
    go = pretend(clock, start, each, (1.0, 1.1, 0.9, 0.95, 1.05))
    told, _ = night(asked(tmp_path, sources, budget, clock=clock, go=go), Quiet())
    assert 0.9 * budget <= told.spent <= 1.1 * budget
    seeds = [one["seed"] % SEEDS for one in told.rounds]
    assert seeds == list(range(1, len(seeds) + 1))
    told, _ = night(asked(tmp_path, sources, budget, 2, clock=clock, go=go), Quiet())
    assert 0.9 * budget <= told.spent <= 1.1 * budget
    assert min(one["seed"] % SEEDS for one in told.rounds) == len(seeds) + 1


def test_corpora_then_replay_then_new_seeds(tmp_path):
    """The order is that; what fails in the corpora is new, then known; its replay closes it."""
    cases = files(tmp_path / "in", ["good", "bad"]).cases
    clock = Clock()
    go = pretend(clock, 10, 1)
    sources = Fakes(tmp_path, (process("ByContent", "engine", MODULE),), cases)
    told, tally = night(asked(tmp_path, sources, 200, clock=clock, go=go), Quiet())
    kinds = [one["kind"] for one in told.rounds]
    assert kinds[0] == CORPORA
    assert set(kinds[1:]) == {GENERATE}
    (finding,) = [one for one in tally.findings if one.case == "files/bad"]
    assert finding.state == "new"
    results = load(tmp_path / "night1")
    assert {row.case for row in results.rows} >= {"files/good", "files/bad"}
    assert results.run.counts["results"] == len(results.rows) == tally.rows
    assert results.run.history["new"] == len(tally.findings)
    assert (tmp_path / "night1" / "dataset" / "verdicts").is_dir()
    assert not (tmp_path / "night1" / "rounds" / "001-corpora-parquet" / "dataset").exists()

    sources = Fakes(tmp_path, (process("ByContent", "engine", MODULE),))
    told, tally = night(asked(tmp_path, sources, 200, 2, clock=clock, go=go), Quiet())
    assert told.rounds[0]["kind"] == REPLAY
    assert [one.state for one in tally.findings if one.case == "files/bad"] == ["known"]
    assert [one["kind"] for one in told.rounds].count(REPLAY) == 1
    for line in (tmp_path / "history/history.ndjson").read_text().splitlines():
        check(json.loads(line), "history:1")
    for round_ in told.rounds:
        check(round_, "history:1", "round")
    check(json.loads((tmp_path / "night2/run.json").read_text()), "results:3", "run")

    sources = Fakes(tmp_path, (replace(process("Mended", "engine", MODULE), version="2"),))
    told, tally = night(asked(tmp_path, sources, 200, 3, clock=clock, go=go), Quiet())
    assert finding.signature in {one["signature"] for one in told.history["fixed_findings"]}
    assert finding.signature not in {one.signature for one in tally.findings}


@pytest.mark.heavy
def test_corpora_go_on_the_next_night(tmp_path):
    """Where the time is not enough for all cases, the next night begins with those that were left."""
    cases = files(tmp_path / "in", [f"{number:03}" for number in range(150)]).cases
    clock = Clock()
    sources = Fakes(tmp_path, (process("Healthy"),), cases)
    go = pretend(clock, 0, 1)
    told, _ = night(asked(tmp_path, sources, 150, clock=clock, go=go), quiet := Quiet())
    read = [one for planned, ids, _ in sources.asked if planned.kind == CORPORA for one in ids]
    assert read == [case.id for case in cases[: len(read)]]
    assert 60 <= len(read) <= 80
    assert (
        f"corpora of parquet: {len(read)} of 150 cases read; the next night begins with the rest"
        in quiet.notes
    )
    sources.asked.clear()
    night(asked(tmp_path, sources, 150, 2, clock=clock, go=go), Quiet())
    again = [one for planned, ids, _ in sources.asked if planned.kind == CORPORA for one in ids]
    assert again[0] == cases[len(read)].id
    assert told.rounds[0]["kind"] == CORPORA


def test_a_night_without_a_round_is_an_error(tmp_path):
    """What ran nothing has found nothing, and does not say that all is well."""
    clock = Clock()
    sources = Fakes(tmp_path, (process("Healthy"),))
    asked_for = asked(tmp_path, sources, 10, clock=clock, go=pretend(clock, 1, 1))
    sources.corpora = lambda: setattr(clock, "time", clock.time + 11) or {}
    with pytest.raises(
        PipelineError, match="10 seconds are not enough for a single round; give a longer --time-budget"
    ):
        night(asked_for, Quiet())


class Killed(BaseException):
    """What ends a night in its middle."""


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_killed_night_goes_on(tmp_path, when):
    """Its rounds are not done again, the one in its middle is finished, and the time before counts."""
    clock = Clock()
    sources = Fakes(tmp_path, (process("Healthy"),), files(tmp_path / "in", ["a", "bad"]).cases)
    go = pretend(clock, 10, 1)
    rounds = itertools.count(1)

    def dies(request, progress):
        last = next(rounds) == 3
        if last and when == "before":
            raise Killed
        go(request, progress)
        if last:
            raise Killed

    with pytest.raises(Killed):
        night(asked(tmp_path, sources, 400, clock=clock, go=dies), Quiet())
    before = load_run(tmp_path / "night1")
    assert [one["done"] for one in before.rounds] == [True, True, False]
    sources.asked.clear()
    told, _ = night(asked(tmp_path, sources, 400, clock=clock, go=go), Quiet())
    assert told.id == before.id
    assert sources.asked[0][0].number == 3
    assert told.rounds[:2] == before.rounds[:2]
    assert told.spent <= 440
    assert len({one["seed"] for one in told.rounds if one["seed"]}) == len(told.rounds) - 1
    history = load_history(tmp_path / "history")
    assert [one["number"] for one in history.rounds] == [one["number"] for one in told.rounds]


def test_stale_entries_are_told_over_all_rounds(tmp_path):
    """An entry that one round shows to hold is not stale; one that none does is."""
    first, second = files(tmp_path / "in", ["a", "bad"]).cases
    clock = Clock()
    sources = Fakes(tmp_path, (process("Refuses", "engine"),), (first, second))
    (sources.known / "engine.toml").write_text(
        '[[failure]]\ncase = "files/*"\nverdict = "refused_valid"\nreason = "r"\n\n'
        '[[failure]]\ncase = "files/a"\nverdict = "different"\nreason = "r"\n\n'
        '[[failure]]\ncase = "files/elsewhere"\nverdict = "different"\nreason = "r"\n'
    )
    night_asked = asked(tmp_path, sources, 100, clock=clock, go=pretend(clock, 40, 1))
    told, tally = night(night_asked, Quiet())
    file = sources.known / "engine.toml"
    assert told.stale == [f"{file}: files/a (different): {NOT_ANY_MORE}"]
    assert [one.verdict for one in tally.findings if one.case == "files/a"] == ["stale_known_failure"]


def planned(number, kind=GENERATE, format_="parquet", **more):
    """Return a round that was done."""
    return Round("s", number, kind, format_, "e", done=True, **more)


def test_every_third_round_of_new_files_is_written():
    """Kinds and formats of tables to write take turns; without writers, there is no such round."""
    choices = [(WRITE, "parquet"), (WRITE, "orc"), (PARTITION, "parquet")]
    rounds, turns = [planned(1, CORPORA)], []
    for number in range(2, 20):
        turn = writing(rounds, choices)
        turns.append(turn)
        rounds.append(planned(number, *(turn or (GENERATE, "parquet"))))
    assert turns[:3] == [None, None, choices[0]]
    assert [turn for turn in turns if turn] == choices * 2
    assert writing(rounds[:3], []) is None


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("kind", "module", "cls", "base"),
    [(WRITE, "drawn_fakes", "LosesRow", "Writes"), (PARTITION, "partition_fakes", "LosesNull", "Folders")],
)
def test_a_night_has_engines_write(tmp_path, kind, module, cls, base):
    """A finding about what an engine wrote is new once; no later read of the file says that it is fixed."""
    module = f"harness.tests.{module}"
    writer = process(cls, module=module, writes=True, write_options=module)
    sources = Fakes(tmp_path, (writer, process(base, "reference", module)))
    sources.written = WriteDrawn(0, 0, f"{module}:tables", partitioned=kind == PARTITION)
    states = []
    with pytest.MonkeyPatch.context() as patch:
        report = replace(FORMATS["parquet"], examine=lambda *_: SimpleNamespace(violations=[], suppressed={}))
        patch.setitem(FORMATS, "parquet", report)
        for number in (1, 2):
            clock = Clock()

            go = pretend(clock, 6, 0)
            _, tally = night(asked(tmp_path, sources, 100, number=number, clock=clock, go=go), Quiet())
            states.append([(one.verdict, one.state) for one in tally.findings])
    kinds = [one.kind for one, _, _ in sources.asked]
    assert kinds.count(kind) >= 2
    assert REPLAY not in kinds
    assert states == [[("wrote_other", "new")], [("wrote_other", "known")]]
    (kept,) = (tmp_path / "history/cases").glob("*.parquet")
    assert kept.is_dir() is (kind == PARTITION)
    assert not list((tmp_path / "night1/rounds").glob(f"*-{kind}-*/generated"))


def test_costs_tell_a_start_from_files():
    """Two sizes tell what it takes to start; one size does not; without rounds nothing is known."""
    like = planned(9)
    assert measured([], like) is None
    assert measured([planned(1, files=40, seconds=60.0)], like) == Cost(0.0, 1.5)
    found = measured([planned(1, files=40, seconds=50.0), planned(2, files=400, seconds=230.0)], like)
    assert found.start == pytest.approx(30)
    assert found.each == pytest.approx(0.5)
    assert found.files_within(130) == 200
    assert found.files_within(10) == 0
    assert measured([planned(1, REPLAY, files=40, seconds=60.0)], like) is None


def test_the_richer_format_is_taken_until_it_is_not():
    """A format that was never tried comes first, then the one that gives more per second."""
    both = ("parquet", "orc")
    rounds = [planned(1, seconds=100.0, new=2, rows=10)]
    assert richest([], both, "e") == "parquet"
    assert richest(rounds, both, "e") == "orc"
    rounds.append(planned(2, format_="orc", seconds=100.0, rows=10))
    assert richest(rounds, both, "e") == "parquet"
    rounds += [planned(number, seconds=100.0, rows=10) for number in range(3, 8)]
    assert richest(rounds, both, "e") == "orc"
    wrong = [planned(1, seconds=9.0, rows=10), planned(2, format_="orc", seconds=9.0, rows=10, wrong=5)]
    assert richest(wrong, both, "e") == "orc"
    assert richest(wrong, ("parquet",), "e") == "parquet"


def test_a_round_reads_what_it_wrote():
    """Its JSON form is the round, also with a field that a later version added."""
    one = planned(1, chosen=["a"], seed=3)
    assert Round.from_json({**json.loads(json.dumps(one.to_json())), "later": 1}) == one
    assert one.name == "001-generate-parquet"
    assert Path(one.name).name == one.name


def noted(out, rows):
    """Write rows of (case, features, signature of its finding or ""); answer a round that weighed them."""
    out.mkdir()
    with (out / "results.ndjson").open("w") as lines:
        for case, features, signature in rows:
            one = skipped_row(case, case, "", ("engine", "1", ""))
            more = {"features": tuple(features), "finding": bool(signature), "signature": signature}
            verdict = "different" if signature else "agree"
            row = replace(one, verdict=verdict).with_detail(**more)
            lines.write(json.dumps(row.to_json()) + "\n")
    told = planned(1, seconds=1.0)
    weigh(told, out, History(out / "history"), "s", set())
    return told


def test_a_planted_disagreement_draws_the_next_rounds(tmp_path):
    """Every other round has its focus on the feature whose files disagree, until others are richer."""
    rows = [(f"c{at}", ["f/common", "f/bad" if at % 9 else "f/rare"], "") for at in range(90)]
    bad = [
        (case, features, f"s{at % 3} | different" if "f/bad" in features else "")
        for at, (case, features, _) in enumerate(rows)
    ]
    calm, planted = noted(tmp_path / "calm", rows), noted(tmp_path / "planted", bad)
    assert (planted.rows, planted.wrong) == (90, 80)
    assert planted.yields == {"f/bad": [80, 3], "f/common": [90, 3], "f/rare": [10, 0]}
    assert focus([], "parquet", "e") == ""
    assert focus([planted], "parquet", "e") == "f/bad"
    assert focus([calm], "parquet", "e") == "f/rare"
    assert focus([planted], "parquet", "other") == ""
    assert focus([planted], "orc", "e") == ""
    taken = replace(planned(2, seconds=1.0), focus="f/bad", yields={"f/bad": [400, 0]})
    assert focus([planted, taken], "parquet", "e") == ""
    assert focus([planted, taken, calm], "parquet", "e") == "f/common"


def nights_of_large_files(tmp_path, seconds, each, *, nights=1, cases=(), formats=("parquet", "orc")):
    """Return for each night its rounds and their starts; a large file costs `each` seconds, another 1."""
    clock = Clock()
    starts = []

    def noting(request, progress):
        starts.append(clock())
        is_large = request.generate and "many-rows" in focus_of(request.generate.seed)
        pretend(clock, 30, each if is_large else 1)(request, progress)

    result = []
    for number in range(1, nights + 1):
        began = clock()
        starts.clear()
        sources = Fakes(tmp_path, (process("Healthy"),), cases)
        plan = asked(tmp_path, sources, seconds, number, clock=clock, go=noting, formats=formats)
        record, _ = night(plan, Quiet())
        result.append([(one, start - began) for one, start in zip(record.rounds, starts, strict=True)])
    return result


def test_each_hour_has_large_files(tmp_path):
    """A night of three hours has a round of them in the second half of each hour, of formats in turns."""
    (rounds,) = nights_of_large_files(tmp_path, 3 * 3600, 1)
    of_large = [(one, start) for one, start in rounds if one["kind"] == LARGE]
    assert [one["format"] for one, _ in of_large] == ["parquet", "orc", "parquet"]
    assert [one["files"] for one, _ in of_large] == [1, 1, LARGE_FILES]  # until the cost is known
    assert [start // 3600 for _, start in of_large] == [0, 1, 2]
    assert all(start % 3600 >= 1800 for _, start in of_large)
    for one, _ in of_large:
        assert focus_of(one["seed"]) == one["focus"] == many_rows(one["format"])


def test_large_files_come_before_corpora(tmp_path, monkeypatch):
    """Long corpora, which take half of the night, do not put large files off to its end."""
    cases = files(tmp_path / "in", [f"good{number}" for number in range(44)]).cases
    monkeypatch.setattr("harness.runs.nightly.night.FIRST", 20)
    monkeypatch.setattr("harness.runs.nightly.night.GROWTH", 1)
    monkeypatch.setattr("harness.runs.nightly.rounds._HOUR", 60.0)
    (rounds,) = nights_of_large_files(tmp_path, 1000, 1, cases=cases, formats=("parquet",))
    kinds = [one["kind"] for one, _ in rounds]
    assert kinds[:3] == [CORPORA, LARGE, CORPORA]


def test_dear_large_files_are_read_again_the_next_night(tmp_path):
    """Where four of them take too long, there are fewer, and the next night has them, too."""
    for rounds in nights_of_large_files(tmp_path, 3600, 500, nights=3, formats=("parquet",)):
        of_large = [one for one, _ in rounds if one["kind"] == LARGE]
        assert len(of_large) == 1
        assert 1 <= of_large[0]["files"] < LARGE_FILES


def test_a_short_night_has_no_large_files(tmp_path):
    """A round of large files takes some minutes, which must be left."""
    clock = Clock()
    sources = Fakes(tmp_path, (process("Healthy"),))
    record, _ = night(asked(tmp_path, sources, 2300, clock=clock, go=pretend(clock, 30, 1)), Quiet())
    assert {one["kind"] for one in record.rounds} == {GENERATE}


def test_large_files_have_no_part_in_the_choice():
    """Neither the format nor the feature of generated files follows from rounds of large files."""
    rounds = [planned(1, GENERATE, seconds=10.0, new=1, yields={"f/a": [10, 1]})]
    rounds += [planned(2, LARGE, "orc", new=99, yields={"f/b": [10, 9]})]
    assert richest(rounds, ["parquet", "orc"], rounds[0].engines) == "orc"  # which has no round of its own
    rounds += [planned(3, GENERATE, "orc", seconds=10.0)]
    assert richest(rounds, ["parquet", "orc"], rounds[0].engines) == "parquet"
    assert focus(rounds, "parquet", rounds[0].engines) == "f/a"
    assert not focus(rounds[1:2], "orc", rounds[0].engines)


def test_new_findings_weigh_more():
    """A finding that is new counts as four that were known."""
    found = {"f/a": {"old", "older"}, "f/b": {"new"}}
    told = yields({"f/a": 10, "f/b": 10, "f/c": 10}, found, {"new"})
    assert told == {"f/a": [10, 2], "f/b": [10, 4], "f/c": [10, 0]}


def test_seeds_carry_the_focus(tmp_path, monkeypatch):
    """The focus of a round is a part of its seed, and the next seed is one that was never used."""
    feature = "parquet/type/int96"
    monkeypatch.setattr("harness.runs.nightly.night.focus", lambda *_: feature)
    clock = Clock()
    sources = Fakes(tmp_path, (process("Healthy"),))
    told, _ = night(asked(tmp_path, sources, 600, clock=clock, go=pretend(clock, 5, 1)), Quiet())
    seeds = [one["seed"] for one in told.rounds]
    assert {focus_of(seed) for seed in seeds} == {feature} == {one["focus"] for one in told.rounds}
    assert [seed % SEEDS for seed in seeds] == list(range(1, len(seeds) + 1))
    assert load_history(tmp_path / "history").next_seed == len(seeds) + 1


@pytest.mark.parametrize("fresh", [True, False])
def test_the_day_chooses_what_is_asked_in_fresh_processes(tmp_path, fresh):
    """All rounds of a night have the number of its first day, if any: another night asks another share."""
    clock, orders = Clock(), []

    def go(request, progress):
        orders.append(request.order)
        pretend(clock, 10, 1)(request, progress)

    sources = Fakes(tmp_path, (process("Healthy"),), files(tmp_path / "in", ["a"]).cases)
    told, _ = night(asked(tmp_path, sources, 300, clock=clock, go=go, fresh=fresh), Quiet())
    day = date.fromisoformat(told.started[:10]).toordinal()
    assert len(orders) > 1
    assert set(orders) == {day if fresh else None}
