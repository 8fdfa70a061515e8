"""The ways to read a file: what an engine answers must not depend on them."""

from dataclasses import replace

import pytest

from corpora.cases import Expectation
from harness.engines.entry import Entry
from harness.engines.registry import ENGINES
from harness.judging import ways
from harness.judging.places import Config
from harness.runs.pipeline.profiles import configurations
from harness.tests.pipelines import files, go, process
from harness.tests.way_fakes import WAYS

MODULE = "harness.tests.way_fakes"


@pytest.fixture(autouse=True)
def entry(monkeypatch):
    """Register an engine with ways."""
    entry = Entry("ways", MODULE, "Ways", switches={"way": WAYS})
    monkeypatch.setitem(ENGINES, "ways", entry)
    return entry


def reader(*names):
    """Return the process of the engine, in ways."""
    configs = tuple(
        Config("" if name == "default" else f"way={name}", {"way": name}) for name in names or ("default",)
    )
    return process("Ways", "ways", MODULE, configs=configs)


def rows_of(tmp_path, *names, count=1, **more):
    """Return the rows of a run over files, by their configuration."""
    imported = files(tmp_path / "files", [f"f{number}" for number in range(count)], more.pop("meaning", None))
    return go(tmp_path / "out", imported, reader(*names), **more).rows


def test_each_difference_is_a_row_of_its_way(tmp_path):
    """Where all ways are asked, those that read otherwise have a row, besides that of the default way."""
    rows = {row.config: row for row in rows_of(tmp_path, every_value=True)}
    verdicts = {config: row.verdict for config, row in rows.items()}
    assert verdicts == {
        "": "agree",
        "way=other_values": "inconsistent",
        "way=refuses": "inconsistent",
        "way=dies": "crashed",
    }
    assert rows["way=other_values"].detail.difference["expected"] == '"7"'
    assert (
        rows["way=other_values"].detail.signature
        == "ways:way=other_values | inconsistent | value in int(32, signed)"
    )
    assert (
        rows["way=refuses"].detail.signature
        == "ways:way=refuses | inconsistent | ValueError: not in this way"
    )


def test_without_a_known_meaning(tmp_path):
    """What nobody knows the meaning of is read in all ways alike."""
    rows = rows_of(tmp_path, every_value=True, meaning=Expectation.either("the text is silent"))
    assert sorted(row.config for row in rows if row.detail.finding) == [
        "way=dies",
        "way=other_values",
        "way=refuses",
    ]


def test_a_broken_file_may_be_read_otherwise(tmp_path):
    """What a file that must be refused holds may depend on the way."""
    rows = rows_of(tmp_path, every_value=True, meaning=Expectation.refuse(clause="a clause"))
    assert [row.config for row in rows] == [""]


def test_a_broken_file_may_be_refused_in_one_way(tmp_path):
    """A refusal in one way is no finding where the file breaks a rule; other values still are."""
    broken = replace(Expectation.either("a page lies"), rule="PQ-PAGE-003")
    rows = rows_of(tmp_path, every_value=True, meaning=broken)
    assert sorted(row.config for row in rows if row.detail.finding) == ["way=dies", "way=other_values"]


@pytest.mark.parametrize("way", ["other_values", "refuses"])
def test_a_named_way(tmp_path, way):
    """A configuration that names a way is compared with the default one: `replay` needs no more."""
    rows = rows_of(tmp_path, way)
    assert [(row.config, row.verdict) for row in rows] == [(f"way={way}", "inconsistent")]


def test_both_named(tmp_path):
    """A way that is named besides the default one has one row."""
    rows = rows_of(tmp_path, "default", "other_values", "same", every_value=True)
    configs = sorted(row.config for row in rows)
    assert configs == ["", "way=dies", "way=other_values", "way=refuses", "way=same"]


def test_few_ways_of_each_file():
    """Each file meets as many other ways as were asked for, and many files meet all of them."""
    engine = reader()
    chosen = [ways.compared(engine, 0, "parquet", f"{number:064x}", 2) for number in range(64)]
    assert {len(each) for each in chosen} == {2}
    assert set().union(*chosen) == set(WAYS) - {"default"}


def test_no_configurations_of_ways(entry):
    """Runs have no configuration for each way: files meet them by turns."""
    assert configurations(entry, ["parquet"], every_switch=True) == [{}]
