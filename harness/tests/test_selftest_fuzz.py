"""The selftest with mutated files: plants fit and are found, and a healthy reader is let alone."""

import importlib.util
import itertools
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from corpora import tagged
from corpora.tagged import Table
from harness.children.connection import Limits
from harness.children.outcomes import Detail, Outcome, OutcomeKind
from harness.commands.selftest import selftest
from harness.investigate.selftest.fuzz import mutants as made
from harness.investigate.selftest.fuzz.engines import HEALTHY
from harness.investigate.selftest.fuzz.judging import UNDOCUMENTED, ask, connect, is_healthy, together, wrong
from harness.investigate.selftest.fuzz.mutants import Mutants, seeds
from harness.investigate.selftest.fuzz.plants import PLANTS
from harness.investigate.selftest.fuzz.search import Hunt, Search, search
from harness.investigate.selftest.plant import Plant
from harness.investigate.selftest.planting import PlantError, changed, marked
from harness.tests.schemas import printed

LIMITS = Limits(seconds=10, memory_bytes=1 << 30)
FORMATS = ("parquet", "orc")
OFFERED = 30  # files, which a healthy reader reads
# Of each format one that is soon found.
QUICK = {
    "parquet": ("schema-depth-unlimited", UNDOCUMENTED),
    "orc": ("bytes-beyond-stream", "accepted_invalid"),
}
TABLE = Table.of([("a", tagged.integer(32))], [["1", "2"]], 2)
OTHER = Table.of([("a", tagged.integer(32))], [["1", "3"]], 2)
READ = Outcome(OutcomeKind.TABLE, TABLE)
TOY = """\
def last(values):
    if not values:
        return 0
    while len(values) > 2:
        values = values[1:]
    return values[-1]
"""


def error(name, kind=OutcomeKind.REFUSED):
    """Return an outcome with an error, of the reader's own unless it is Python's."""
    own = name in {"Malformed", "Unsupported", "LimitExceeded"}
    return Outcome(kind, detail=Detail(f"reference_impl.errors.{name}" if own else name, "so it is"))


MALFORMED = error("Malformed")
UNSUPPORTED = error("Unsupported", OutcomeKind.UNSUPPORTED)
LIMIT = error("LimitExceeded", OutcomeKind.LIMITED)


@pytest.mark.sweep(4)
@pytest.mark.parametrize("one", PLANTS.values(), ids=PLANTS)
def test_plants_fit(one):
    """Every plant is a change of one place of the reader as it is now, which can be marked."""
    file = importlib.util.find_spec(one.module).origin
    source = Path(file).read_text("utf-8")
    assert one.old != one.new
    assert changed(source, file, one).co_code
    assert marked(source, file, [one]).co_code


def test_plants_are_told_apart():
    """There are twenty or more, about half of them of each format, each with a line of its own."""
    counts = [sum(one.format == name for one in PLANTS.values()) for name in FORMATS]
    assert min(counts) >= 10
    assert len({(one.format, one.what) for one in PLANTS.values()}) == len(PLANTS)
    assert all(one.what and one.clause and "\n" not in one.what for one in PLANTS.values())


def toy(name, old):
    """Return a plant of the toy module."""
    return Plant(name, "a toy", old, "x", "none", "toy")


@pytest.mark.parametrize(
    ("call", "said"), [("last([])", "0 a"), ("last([1])", "1 ac"), ("last([1, 2, 3])", "3 abc")]
)
def test_marks(tmp_path, call, said):
    """A marked module does what it did, and says which of several places were come to."""
    some = [toy("a", "if not values:"), toy("b", "values = values[1:]"), toy("c", "return values[-1]")]
    (tmp_path / "toy.py").write_text(TOY)
    code = (
        "from harness.investigate.selftest.plant import Plant;"
        " from harness.investigate.selftest.planting import SEEN, mark;"
        f"mark({some!r}); import toy; print(toy.{call}, ''.join(sorted(SEEN)))"
    )
    root = Path(__file__).resolve().parents[2]
    env = {"PYTHONPATH": f"{root}:{tmp_path}"}
    found = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == said


def test_marks_that_do_not_fit():
    """A mark has one place."""
    with pytest.raises(PlantError, match="its text occurs 0 times"):
        marked(TOY, "toy.py", [toy("a", "nowhere")])


@pytest.mark.parametrize(
    ("right", "found", "verdict"),
    [
        (READ, READ, None),
        (READ, Outcome(OutcomeKind.TABLE, OTHER), "different"),
        (READ, MALFORMED, "refused_valid"),
        (READ, LIMIT, "refused_valid"),
        (READ, UNSUPPORTED, None),
        (READ, error("IndexError"), UNDOCUMENTED),
        (MALFORMED, READ, "accepted_invalid"),
        (MALFORMED, MALFORMED, None),
        (MALFORMED, LIMIT, None),
        (MALFORMED, error("RecursionError"), UNDOCUMENTED),
        (MALFORMED, error("MemoryError", OutcomeKind.OUT_OF_MEMORY), "out_of_memory"),
        (MALFORMED, Outcome(OutcomeKind.OUT_OF_MEMORY), "out_of_memory"),
        (MALFORMED, Outcome(OutcomeKind.HUNG), "hung"),
        (MALFORMED, Outcome(OutcomeKind.CRASHED), "crashed"),
        (MALFORMED, replace(MALFORMED, peak_rss_bytes=1 << 32), "amplified"),
        (UNSUPPORTED, READ, None),
        (LIMIT, READ, None),
        (LIMIT, Outcome(OutcomeKind.HUNG), "hung"),
    ],
)
def test_judging(right, found, verdict):
    """An answer is wrong by what it says of the file, by what it costs, or by an error of no one's."""
    judged = wrong(right, found, 1000)
    assert (judged.verdict if judged else None) == verdict


def test_witnesses():
    """Only a sound answer of the reader without a plant is something to judge by."""
    assert all(is_healthy(one, 1000, 5) for one in (READ, MALFORMED, UNSUPPORTED, LIMIT))
    slow, large = replace(READ, seconds=4.0), replace(READ, peak_rss_bytes=1 << 32)
    lost = [
        Outcome(OutcomeKind.CRASHED),
        Outcome(OutcomeKind.HUNG),
        Outcome(OutcomeKind.OUT_OF_MEMORY),
        error("ValueError"),
    ]
    assert not any(is_healthy(one, 1000, 5) for one in (slow, large, *lost))


@pytest.mark.heavy
def test_asking(tmp_path):
    """Files asked about at once are answered as each alone is; one that cannot be asked answers for each."""
    good, cut = seeds("parquet", None)[0], tmp_path / "cut"
    (tmp_path / "good").write_bytes(good)
    cut.write_bytes(good[:-1])
    files = [tmp_path / "good", cut, tmp_path / "good"]
    with connect(HEALTHY, LIMITS, COLCONF_SELFTEST_MARKS=str(tmp_path / "marks")) as engine:
        first, second, third = together(engine, files, "parquet")
        alone = engine.read(cut, "parquet", {})
        assert (first.kind, third.kind) == (OutcomeKind.TABLE, OutcomeKind.TABLE)
        assert (second.kind, second.detail) == (alone.kind, alone.detail)
        assert second.detail.error_class == "reference_impl.errors.Malformed"
    with connect("no-such-plant", replace(LIMITS, starts=1)) as engine:
        assert together(engine, files, "parquet") is None
        assert {one.kind for one in ask(engine, files, "parquet")} != {OutcomeKind.TABLE}


def mutants(tmp_path, name, number=1):
    """Return mutants of a format."""
    return Mutants(name, tmp_path / str(number), 1, LIMITS, seeds(name, None))


@pytest.mark.heavy
@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", FORMATS)
def test_mutants_are_repeatable(tmp_path, name):
    """The same seed makes the same files with the same answers, of which some come to a plant's place."""
    runs = []
    for number in range(2):
        with closing(mutants(tmp_path, name, number)) as source:
            found = [(one, one.file.read_bytes()) for one in source.batch()]
            assert not source.sick
        runs.append([(data, one.operations, one.right.kind, one.reached) for one, data in found])
    assert runs[0] == runs[1]
    assert len({data for data, *_ in runs[0]}) > 4
    assert any(reached for *_, reached in runs[0])


def test_seeds_of_a_campaign(tmp_path):
    """What a campaign has kept is mutated as well, if it is small."""
    folder = tmp_path / "corpus" / "orc_file"
    folder.mkdir(parents=True)
    (folder / "small").write_bytes(b"ORC")
    (folder / "large").write_bytes(b"ORC" * made._LARGEST)
    assert set(seeds("orc", tmp_path)) - set(seeds("orc", None)) == {b"ORC"}


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", FORMATS)
def test_finds(tmp_path, name):
    """A plant is found by the verdict that it deserves."""
    plant, verdict = QUICK[name]
    hunt, ticks = Hunt(PLANTS[plant]), []
    search([Search(mutants(tmp_path, name), [hunt], LIMITS, ticks.append)], time.monotonic() + 120)
    assert hunt.wrong
    assert (hunt.wrong.verdict, ticks) == (verdict, [1])
    assert 0 < hunt.offered <= hunt.files


@pytest.mark.heavy
@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", FORMATS)
def test_finds_nothing_without_a_plant(tmp_path, name, monkeypatch):
    """A healthy copy, asked as if it had a plant, answers as the reader does."""
    reader = itertools.repeat(HEALTHY)
    monkeypatch.setattr(
        "harness.investigate.selftest.fuzz.search.connect",
        lambda _, limits: connect(next(reader), limits, COLCONF_SELFTEST_MARKS=str(tmp_path / "others")),
    )
    hunts = [Hunt(one) for one in PLANTS.values() if one.format == name][:1]
    one = Search(mutants(tmp_path, name), hunts, LIMITS, lambda _: None)
    clock = SimpleNamespace(monotonic=lambda: hunts[0].offered)  # time passes with the files that are read
    monkeypatch.setattr("harness.investigate.selftest.fuzz.search.time", clock)
    one.run(OFFERED)
    assert one.failure is None
    assert hunts[0].offered
    assert (hunts[0].wrong, one.mutants.sick) == (None, [])


def test_failures_are_raised(tmp_path, monkeypatch):
    """What goes wrong in the search itself ends it."""
    monkeypatch.setattr(Mutants, "batch", lambda _: 1 // 0)
    one = Search(mutants(tmp_path, "orc"), [Hunt(PLANTS["id-wraps"])], LIMITS, lambda _: None)
    with pytest.raises(ZeroDivisionError):
        search([one], time.monotonic() + 5)


def run(*arguments):
    """Run the command."""
    return CliRunner().invoke(selftest, ["--fuzz", *arguments])


@pytest.mark.heavy
def test_command():
    """What is found is told, with how many files that took; the status is 0."""
    told = run("--only", "schema-depth-unlimited", "--time-budget", "2m", "--json")
    answer = printed("selftest", told.stdout)
    assert (told.exit_code, answer["planted"], answer["found"]) == (0, 1, 1)
    (one,) = answer["plants"]
    assert (one["format"], one["verdict"]) == ("parquet", UNDOCUMENTED)
    assert 0 < one["asked"] <= one["files"] <= answer["formats"]["parquet"]["files"]


def test_command_misses():
    """What is missed is named, and the status is 1; a second may be too short even to ask anything."""
    missed = run("--only", "bloom-beyond-file", "--time-budget", "1s")
    assert missed.exit_code == 1
    assert "missed: bloom-beyond-file" in missed.stdout
    assert "planted 1, found 0" in missed.stdout


def test_command_refuses():
    """Plants of the other selftest are none of this."""
    refused = run("--only", "crash")
    assert refused.exit_code == 2
    assert "unknown plant 'crash'" in refused.stderr
