"""The selftest: plants fit, are found and are told from what the reader does without them."""

import importlib.util
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from corpora.build.formats import FORMATS
from harness.children.connection import Connection, Limits
from harness.commands.selftest import selftest
from harness.engines.reference.adapter import Reference
from harness.investigate.selftest import cases as made
from harness.investigate.selftest.engines import fake
from harness.investigate.selftest.hunt import Hunt, Hunter, Wrong, search
from harness.investigate.selftest.plant import QUERY, READ, REFUSAL, Plant
from harness.investigate.selftest.planting import REACHED, PlantError, changed, plant
from harness.investigate.selftest.plants import _AREAS, PLANTS
from harness.runs.pipeline.context import Generate
from harness.tests.schemas import printed

LIMITS = Limits(seconds=5, memory_bytes=1 << 30)
REFERENCE = [sys.executable, "-m", "harness.children.worker", "harness.engines.reference.adapter:Reference"]
STRICT = [*REFERENCE[:-1], "harness.investigate.selftest.strict:Strict"]
FILES = 40
SEED = 6  # whose files show all that is QUICK
PATIENCE = 600  # seconds; a search ends when all is found
# Of each kind a few that the first files show.
QUICK = {
    "parquet": {
        "struct-null-lost": "different",
        "crash": "crashed",
        "unstable": "unstable",
        "null-means-all-null": "different",
        "checksum-ignored": "accepted_invalid",
    },
    "orc": {
        "boolean-bit-order": "different",
        "present-ignored-in-lists": "refused_valid",
        "count-absent": "different",
        "rows-not-counted": "accepted_invalid",
    },
}
LEAST = {"parquet": 80, "orc": 60}
TOY = '''\
"""A module."""

TABLE = {"a": 1}


def last(values):
    """Return the last value, 0 if there is none."""
    if not values:
        return 0
    elif values[0] is None:
        return None
    return values[-1]
'''


def toy(old, new, module="toy"):
    """Return a plant of the toy module."""
    return Plant("toy", "a toy", old, new, "none", module)


@pytest.fixture(scope="module")
def corpus():
    """Have a small part of each corpus for all of it."""
    with pytest.MonkeyPatch.context() as patch:
        few = {name: SimpleNamespace(folder=one.folder / "fault") for name, one in FORMATS.items()}
        patch.setattr(made, "FORMATS", few)
        yield


@pytest.fixture(scope="module")
def cases_of(tmp_path_factory, corpus):  # noqa: ARG001 - for its effect
    """Return a function that makes a few cases of a format, once."""
    make = made.make

    @cache
    def few(name):
        folder, request = tmp_path_factory.mktemp("selftest"), Generate(FILES, SEED)
        return make(folder, request, LIMITS, lambda _: None, name, kinds={READ, QUERY, REFUSAL})

    return few


@pytest.fixture(scope="module", params=FORMATS)
def small(cases_of, request):
    """Return a few cases of a format."""
    return cases_of(request.param)


def test_plants_fit(for_each, some_of):
    """Every plant is a change of one place of the reader as it is now, or a fake engine that is there."""
    compiled = {plant.name for plant in some_of(PLANTS.items(), 12)}

    def check(plant):
        if not plant.module:
            assert issubclass(fake(plant.new), Reference)
            return
        file = importlib.util.find_spec(plant.module).origin
        source = Path(file).read_text("utf-8")
        assert plant.old != plant.new
        assert source.count(plant.old) == 1
        if plant.name in compiled:
            assert changed(source, file, plant).co_code

    for_each(PLANTS.items(), check)


def test_plants_are_told_apart():
    """There are many of each format, each with a name, a line and a clause of its own, of every kind."""
    assert len(PLANTS) == sum(len(area.PLANTS) for area in _AREAS)
    for name, least in LEAST.items():
        plants = [one for one in PLANTS.values() if one.format == name]
        assert len(plants) >= least
        assert {one.shows for one in plants} >= {READ, QUERY, REFUSAL}
        assert len({one.what for one in plants}) == len(plants)
        assert all(one.what and one.clause and "\n" not in one.what for one in plants)


@pytest.mark.parametrize(
    ("old", "new"),
    [("nowhere", "x"), ("values", "x")],
    ids=["absent", "several times"],
)
def test_plants_that_do_not_fit(old, new):
    """What is not there, or not once, cannot be changed."""
    with pytest.raises(PlantError, match="its text occurs"):
        changed(TOY, "toy.py", toy(old, new))


def test_plants_come_first():
    """A module that was imported already cannot be planted in any more."""
    with pytest.raises(PlantError, match="imported already"):
        plant(toy("a", "b", "json"))


@pytest.mark.parametrize(
    ("change", "call", "said", "reached"),
    [
        (("values[-1]", "values[0]"), "last([1, 2])", "1", True),
        (("values[-1]", "values[0]"), "last([])", "0", False),
        (("elif values[0] is None", "elif values[0] == 1"), "last([1, 2])", "None", True),
        (("elif values[0] is None", "elif values[0] == 1"), "last([])", "0", False),
        (("        return None\n", "        return 7\n"), "last([None])", "7", True),
        (('{"a": 1}', '{"a": 2}'), "TABLE['a']", "2", True),
        (("    return values[-1]", "    if values:\n        return 3"), "last([1, 2])", "3", True),
    ],
)
def test_planting(tmp_path, change, call, said, reached):
    """A plant changes what a module does, however it is imported, and notes whether it was come to."""
    (tmp_path / "toy.py").write_text(TOY)
    mark = tmp_path / "mark"
    code = (
        "from harness.investigate.selftest.plant import Plant;"
        " from harness.investigate.selftest.planting import plant;"
        f"plant(Plant('toy', '', *{change!r}, '', 'toy')); from toy import *; import toy;"
        f"print({call})"
    )
    root = Path(__file__).resolve().parents[2]
    env = {"PYTHONPATH": f"{root}:{tmp_path}", REACHED: str(mark)}
    found = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert (found.stdout.strip(), mark.exists()) == (said, reached)


@pytest.mark.parametrize("engines", ["selftest.engines", "selftest.fuzz.engines"])
def test_engines_import_no_planted_module(engines):
    """The modules of the engines import no module in which a bug is planted: it must be imported later."""
    code = (
        f"import sys, harness.investigate.{engines};"
        " from harness.investigate.selftest.fuzz.plants import PLANTS as mutants;"
        " from harness.investigate.selftest.plants import PLANTS as plants;"
        " modules = {plant.module for plant in (*plants.values(), *mutants.values())} - {''};"
        " print(len(modules), sorted(modules & sys.modules.keys()))"
    )
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    count, _, imported = done.stdout.strip().partition(" ")
    assert int(count) > 50
    assert imported == "[]"


@pytest.mark.heavy
def test_finds(small):
    """Plants that show at once are found, each by the verdict that it deserves, and were reached."""
    wanted = QUICK[small.context.format]
    hunts = search(small, [PLANTS[name] for name in wanted], time.monotonic() + PATIENCE, 2, lambda _: None)
    found = {hunt.plant.name: hunt.wrong.verdict if hunt.wrong else "missed" for hunt in hunts}
    assert found == wanted
    assert all(hunt.reached and hunt.tried for hunt in hunts)


@pytest.mark.heavy
@pytest.mark.sweep(2)
def test_finds_nothing_without_a_plant(small, some_of):
    """The reference itself answers the cases as it should."""
    hunter = Hunter(small)
    for shows, engine in ((READ, REFERENCE), (QUERY, REFERENCE), (REFUSAL, STRICT)):
        with Connection(engine, LIMITS, env=small.context.environment()) as connection:
            assert len(small.by_kind[shows]) >= FILES
            some = some_of(((f"{shows} {case.id}", case) for case in small.by_kind[shows]), 6)
            assert [wrong for case in some if (wrong := hunter.wrong(connection, case, shows))] == []


@pytest.mark.heavy
def test_time_is_up(small):
    """When the time is up nothing more is tried, and what was not found is missed."""
    (hunt,) = search(small, [PLANTS["crash"]], time.monotonic(), 2, lambda _: None)
    assert (hunt.wrong, hunt.tried, hunt.reached) == (None, 0, False)


def run(*arguments):
    """Run the command."""
    return CliRunner().invoke(selftest, [*arguments, "--files", "20", "--jobs", "1"])


@pytest.mark.heavy
def test_command(cases_of, monkeypatch):
    """What is found is told as text and as JSON, with where and how fast; the status is 0."""
    monkeypatch.setattr(made, "make", lambda *given, **_: cases_of(given[-1]))
    text = run("--only", "struct-null-lost")
    assert text.exit_code == 0
    assert "planted 1, found 1" in text.stdout
    assert "struct-null-lost" in text.stdout
    told = run("--only", "checksum-ignored", "--only", "rows-not-counted", "--json")
    assert told.exit_code == 0
    answer = printed("selftest", told.stdout)
    assert (answer["planted"], answer["found"]) == (2, 2)
    assert [(name, one["found"]) for name, one in answer["formats"].items()] == [("parquet", 1), ("orc", 1)]
    for one in answer["plants"]:
        assert one["verdict"] == "accepted_invalid"
        assert one["case"].startswith(f"{one['format']}/fault/")
        assert one["reached"]
        assert 0 < one["seconds"] < answer["seconds"]


@pytest.mark.heavy
@pytest.mark.usefixtures("corpus")
def test_command_of_a_format():
    """Plants of the other format are not looked for."""
    text = run("--format", "orc", "--only", "rows-not-counted")
    assert text.exit_code == 0
    assert "orc: planted 1, found 1" in text.stdout
    refused = run("--format", "parquet", "--only", "rows-not-counted")
    assert refused.exit_code == 2
    assert "unknown plant 'rows-not-counted'" in refused.stderr


@pytest.mark.heavy
def test_command_misses(cases_of, monkeypatch):
    """What is missed is named, and the status is 1: here the time is up before anything is asked."""

    def too_late(files, plants, _, *others):
        return search(files, plants, time.monotonic(), *others)

    monkeypatch.setattr(made, "make", lambda *given, **_: cases_of(given[-1]))
    monkeypatch.setattr("harness.commands.selftest.search", too_late)
    missed = run("--only", "file-rows-not-counted")
    assert missed.exit_code == 1
    assert "missed: file-rows-not-counted" in missed.stdout


@pytest.mark.parametrize(("name", "steps"), [("first", [48]), ("last", [48, 900]), ("none", [48, 900])])
def test_files_are_generated_for_what_is_left(monkeypatch, name, steps):
    """A plant that few files show costs no others; one that needs them all is looked for in all."""
    made_files = []

    def searched(files, plants, *_):
        shown = {"first": True, "last": files == 900, "none": False}[name]
        return [Hunt(plant, 1, 1.0, Wrong("c", None, "different", "") if shown else None) for plant in plants]

    def make(_, request, *__, kinds):
        made_files.append(request.files)
        assert kinds == {PLANTS["crash"].shows}
        return request.files

    monkeypatch.setattr(made, "make", make)
    monkeypatch.setattr("harness.commands.selftest.search", searched)
    done = CliRunner().invoke(selftest, ["--only", "crash", "--files", "900", "--json"])
    (hunted,) = printed("selftest", done.stdout)["plants"]
    assert (done.exit_code, hunted["found"]) == ((1, False) if name == "none" else (0, True))
    assert made_files == steps
    assert hunted["seconds"] == len(steps)


def test_command_without_hypothesis(monkeypatch):
    """What is missing to generate files is said, and how to mend it."""
    monkeypatch.setattr("harness.commands.run_options.find_spec", lambda _: None)
    refused = run()
    assert refused.exit_code == 2
    assert "colconf[generate]" in refused.stderr


def test_command_refuses():
    """A plant that is not there is a mistake of the caller."""
    refused = run("--only", "no-such-plant")
    assert refused.exit_code == 2
    assert "unknown plant 'no-such-plant'" in refused.stderr
