"""What CONTRIBUTING.md says of an engine is so: its folder holds it, and few places outside name it."""

import importlib
import re
import tomllib
from pathlib import Path

import pytest

from harness.engines.registry import ENGINES
from harness.engines.spark.switches import DEFAULT, OPTIONS

ROOT = Path(__file__).resolve().parents[2]
ENGINE_FOLDERS = ROOT / "harness" / "engines"
LAYERS = ("reference_impl", "corpora", "properties", "harness", "reports")
EXAMPLE = "fastparquet"
# Where the example may stand, and why; CONTRIBUTING.md names these places.
OUTSIDE = {
    "harness/judging/equivalences.py": "documented mappings quote the engine's documentation",
    "pyproject.toml": "the extra, and the libraries without type information",
}
# The reference is part of colconf, and has roles that no other engine has; Spark also runs the pipeline.
ROLES = ("reference", "spark")


def modules():
    """Yield the modules of the tree that are no tests, and lie in no engine's folder."""
    own = [ENGINE_FOLDERS / name for name in ENGINES]
    for layer in LAYERS:
        for file in sorted((ROOT / layer).rglob("*.py")):
            is_test = "tests" in file.parts or file.name.startswith("test_")
            if not is_test and not any(file.is_relative_to(folder) for folder in own):
                yield file


def test_an_engine_is_named_in_few_places():
    """Outside its folder, an engine stands in its extra and in what quotes its documentation."""
    files = [*modules(), ROOT / "pyproject.toml"]
    named = {
        file.relative_to(ROOT).as_posix()
        for file in files
        if re.search(rf"\b{EXAMPLE}\b", file.read_text("utf-8"), re.IGNORECASE)
    }
    assert named == set(OUTSIDE)


def tables_in(text):
    """Return lines that are keyed by an engine's name, or list two and more."""
    names = "|".join(name for name in ENGINES if name not in ROLES)
    literal = rf"[\"'](?:{names})[\"']"
    return [line for line in text.splitlines() if re.search(rf"{literal}: |{literal}, {literal}", line)]


def test_no_other_table_has_engines():
    """No module outside of the folders of engines has a table or a list of their names."""
    tables = {
        file.relative_to(ROOT).as_posix(): tables_in(file.read_text("utf-8"))
        for file in modules()
        if not file.is_relative_to(ROOT / "harness" / "bench")  # what is timed is a choice
    }
    assert {name: lines for name, lines in tables.items() if lines} == {
        "corpora/build/areas/files.py": ['    "duckdb": "DuckDB version v1.1.3 (build 19864453f7)",']
    }


@pytest.mark.parametrize(
    ("line", "is_table"),
    [
        ('    "polars": code_frames.polars,', True),
        ('_KEYED = ("pyarrow", "duckdb")', True),
        ('status(ENGINES["spark"])', False),
        ('"""Of "polars"."""', False),
    ],
)
def test_a_table_is_seen(line, is_table):
    """A table that is planted is found."""
    assert bool(tables_in(line)) == is_table


@pytest.mark.parametrize("entry", ENGINES.values(), ids=str)
def test_a_registration_names_what_is_there(entry):
    """The modules of a registration lie in its own folder, and have what is called of them."""
    folder = ENGINE_FOLDERS / entry.name
    modules_ = {
        "adapter": f"class {entry.class_name}(",
        "script": "def code(",
        "write_script": "def written(",
        "write_options": "OPTIONS = {",
    }
    for name, text in modules_.items():
        module = entry.module if name == "adapter" else getattr(entry, name)
        if module:
            assert module == f"harness.engines.{entry.name}.{name}"
            assert text in (folder / f"{name}.py").read_text("utf-8")
        else:
            assert not (folder / f"{name}.py").exists()


@pytest.mark.parametrize("entry", [each for each in ENGINES.values() if "way" in each.switches], ids=str)
def test_a_manifest_names_the_ways_of_the_code(entry):
    """The ways of a manifest are those of the engine's module `ways`, in its order."""
    module = importlib.import_module(f"harness.engines.{entry.name}.ways")
    reads = tuple(module.WAYS)
    queries = tuple({**getattr(module, "QUERIES", {}), **getattr(module, "SLICES", {})})
    assert entry.switches["way"] == tuple(dict.fromkeys([*reads, *queries]))
    assert entry.read_ways in {reads, None}
    assert entry.query_ways == queries


def test_the_manifest_names_the_options_of_the_code():
    """The switches of Spark that are options of its own are those of `OPTIONS`, which the gate tries."""
    entry = ENGINES["spark"]
    for form, switches in OPTIONS.items():
        tried = {switch: tuple(texts) for switch, (_, texts) in switches.items()}
        assert {switch: entry.gate[form][switch] for switch in tried} == tried
    every = dict.fromkeys(switch for switches in OPTIONS.values() for switch in switches)
    for switch in every:
        texts = [text for switches in OPTIONS.values() for text in switches.get(switch, ("", {}))[1]]
        assert entry.switches[switch] == tuple(dict.fromkeys([DEFAULT, *texts]))


def test_places_differ():
    """Each engine has its own place in the order of runs and reports."""
    places = [entry.place for entry in ENGINES.values()]
    assert places == sorted(set(places))


def test_contributing_names_the_places():
    """The row "an engine" of CONTRIBUTING.md names the folder and each place outside that names engines."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    (row,) = [line for line in text.splitlines() if line.startswith("| an engine |")]
    for place in ("harness/engines/<name>/", "manifest.toml", "adapter.py", "query.py", *OUTSIDE):
        assert place in row, place
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert {entry.extra for entry in ENGINES.values() if entry.extra} <= set(extras)
