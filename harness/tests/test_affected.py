"""Switches and the files that they affect: what is not asked, and that nothing else is missing."""

from dataclasses import replace

import pytest

from corpora.features import TABLES, registry
from corpora.importers import Imported
from harness.engines.entry import Entry
from harness.engines.registry import ENGINES
from harness.judging.affected import is_left_out
from harness.judging.places import Config
from harness.runs.pipeline import complete
from harness.runs.pipeline.errors import PipelineError
from harness.tests.pipelines import files, generated, go, process

FIRST = {"int96": "default", "case": "default", "pushdown": "on"}
INTS = {"parquet/type/int32"}


def configs(*changes, probed=False):
    """Return the default configuration, and one for each change of it."""
    texts = (",".join(f"{switch}={value}" for switch, value in change.items()) for change in changes)
    others = (Config(text, FIRST | change, probed) for text, change in zip(texts, changes, strict=True))
    return (Config("", FIRST), *others)


@pytest.fixture
def engine(monkeypatch):
    """Return a fake with a switch for INT96 and one for any file."""
    switches = dict.fromkeys(("int96", "case", "way"), ("default", "other")) | {"pushdown": ("on", "off")}
    affects = {"parquet": {"int96": ("parquet/type/int96", "parquet/nesting/*")}}
    entry = Entry("healthy", "harness.tests.fakes", "Healthy", switches=switches, affects=affects)
    monkeypatch.setitem(ENGINES, "healthy", entry)
    return process("Healthy")


def share(engine, features, *changes, probed=False):
    """Return in how many of 320 files the last configuration is left out."""
    chosen = replace(engine, configs=configs(*changes, probed=probed))
    return sum(is_left_out(chosen, len(changes), "parquet", f"case-{at}", features) for at in range(320))


def test_files_without_what_a_switch_is_about_are_left_out(engine):
    """Where a switch affects no feature of a file, one file in sixteen is asked all the same."""
    int96 = {"int96": "other"}
    assert 280 < share(engine, INTS, int96) < 320
    assert share(engine, INTS | {"parquet/type/int96"}, int96) == 0
    assert share(engine, INTS | {"parquet/nesting/list"}, int96) == 0


def test_what_may_differ_is_asked(engine):
    """Switches that the manifest does not limit, queries, tables and unknown files are asked."""
    assert share(engine, INTS, {"case": "other"}) == 0
    assert share(engine, INTS, {"int96": "other", "case": "other"}) == 0
    assert share(engine, INTS, {"int96": "other"}, probed=True) == 0
    assert share(engine, INTS | {TABLES["parquet"]}, {"int96": "other"}) == 0
    assert share(engine, {"parquet/invalid/footer"}, {"int96": "other"}) == 0
    assert not is_left_out(replace(engine, configs=configs()), 0, "parquet", "x", INTS)


def test_one_in_four_generated_files_that_cannot_be_read(engine):
    """The other configurations of the gate read a share of what the first one refuses, if it is generated."""
    for switch, unread, case, least, most in (
        ("case", True, "generated/1/2", 50, 110),
        ("way", True, "generated/1/2", 50, 110),
        ("case", False, "generated/1/2", 320, 320),
        ("case", True, "files/1", 320, 320),
    ):
        chosen = replace(engine, configs=configs({switch: "other"}))
        read = sum(
            not is_left_out(chosen, 1, "parquet", f"{case}/{at}", INTS, unread=unread) for at in range(320)
        )
        assert least <= read <= most
    probed = replace(engine, configs=configs({"case": "other"}, probed=True))
    assert not any(
        is_left_out(probed, 1, "parquet", f"generated/{at}", INTS, unread=True) for at in range(99)
    )


def test_a_heavy_engine_reads_one_in_four_generated_sheets_in_another_way(engine):
    """The files of a sheet are read in the same ways; light engines and other files lack none."""
    for heavy, name, least, most in (
        (True, "generated/1", 40, 120),
        (False, "generated/1", 320, 320),
        (True, "files", 320, 320),
    ):
        chosen = replace(engine, configs=configs({"way": "other"}), heavy=heavy)
        by_sheet = [
            {is_left_out(chosen, 1, "parquet", f"{name}/{sheet}/{at}", INTS) for at in range(4)}
            for sheet in range(320)
        ]
        assert all(len(each) == 1 for each in by_sheet)
        assert least <= by_sheet.count({False}) <= most


@pytest.mark.parametrize(
    ("module", "name", "is_read"),
    [
        ("in_part_fakes", "Refused", False),
        ("in_part_fakes", "RefusedAndWrong", False),
        ("queried", "RefusesFilters", True),
        ("fakes", "LosesRows", True),
    ],
)
def test_a_run_without_them_is_complete(tmp_path, monkeypatch, module, name, is_read):
    """What is left out hangs on reading the file, also where the row is about the answer to a query."""
    module = f"harness.tests.{module}"
    entry = Entry(name.lower(), module, name, switches={"case": ("default", "other")})
    monkeypatch.setitem(ENGINES, name.lower(), entry)
    both = (Config("", {"case": "default"}), Config("case=other", {"case": "other"}, probed=False))
    results = generated(tmp_path / "run", 40, replace(process(name, module=module), configs=both))
    others = sum(row.config == "case=other" for row in results.rows)
    supported = sum(row.config == "" and row.outcome != "unsupported" for row in results.rows)
    assert supported >= 10
    assert others == supported if is_read else 0 < others < supported


@pytest.mark.parametrize("name", ["Unread", "UnreadAndWrong"])
def test_a_run_without_what_is_lacked_is_complete(tmp_path, monkeypatch, name):
    """A file that the first configuration lacks something for is left out, whatever its queries return."""
    module = "harness.tests.in_part_fakes"
    entry = Entry(name.lower(), module, name, switches={"case": ("default", "other")})
    monkeypatch.setitem(ENGINES, name.lower(), entry)
    both = (Config("", {"case": "default"}), Config("case=other", {"case": "other"}, probed=False))
    results = generated(tmp_path / "run", 10, replace(process(name, module=module), configs=both))
    assert [row.config for row in results.rows] == [""] * 10


def test_a_configuration_is_not_asked_files_of_other_formats(engine, tmp_path):
    """A run of both formats is complete without the rows of a configuration for ORC alone, probed or not."""
    imported = files(tmp_path / "files", [f"{at}.parquet" for at in range(4)], together=True)
    for probed in (True, False):
        config = Config("case=other", FIRST | {"case": "other"}, probed, formats=("orc",))
        asked = replace(engine, configs=(Config("", FIRST), config))
        results = go(tmp_path / f"run-{probed}", imported, asked)
        assert [row.config for row in results.rows] == [""] * 4
        both = replace(asked, configs=(Config("", FIRST), config._replace(formats=("orc", "parquet"))))
        assert len(go(tmp_path / f"both-{probed}", imported, both).rows) == 8


def test_a_run_leaves_them_out_and_is_complete(engine, tmp_path):
    """The rows that are missing are those that were left out; a further one that is missing is an error."""
    imported = files(tmp_path / "files", [f"{at}.parquet" for at in range(20)], together=True)
    cases = tuple(replace(case, features=tuple(INTS)) for case in imported.cases)
    asked = replace(engine, configs=configs({"int96": "other"}, {"case": "other"}))
    results = go(tmp_path / "run", Imported(cases, ()), asked)
    count = {
        text: sum(row.config == text for row in results.rows) for text in ("", "int96=other", "case=other")
    }
    assert count[""] == count["case=other"] == 20
    left_out = sum(is_left_out(asked, 1, "parquet", case.id, INTS) for case in cases)
    assert count["int96=other"] == 20 - left_out < 20
    lines = (tmp_path / "run" / "results.ndjson").read_bytes().splitlines(keepends=True)
    kept = [line for line in lines if not (b'"case=other"' in line and b"/7.parquet" in line)]
    assert len(kept) == len(lines) - 1
    (tmp_path / "run" / "results.ndjson").write_bytes(b"".join(kept))
    wanted = complete.Expected(20, [case.id for case in cases])
    with pytest.raises(
        PipelineError, match=r"19 of 20 of healthy@1:case=other; there is none of .*7\.parquet"
    ):
        complete.check(
            tmp_path / "run", complete.digest_of(tmp_path / "run" / "results.ndjson"), wanted, [(asked, None)]
        )


def test_manifests_name_features_that_are_registered():
    """Each feature under `affects` is one of the registry's, or the beginning of some."""
    for entry in ENGINES.values():
        for format_, affects in entry.affects.items():
            for pattern in (pattern for patterns in affects.values() for pattern in patterns):
                assert pattern.startswith(f"{format_}/")
                assert any(
                    name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern
                    for name in registry()
                ), pattern
