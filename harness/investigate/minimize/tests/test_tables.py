"""The minimal table of a finding has few files, few fields and few rows, and is a case of its own."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import corpora
from corpora.build.evolution.cases import generated
from corpora.build.evolution.importing import import_tables
from corpora.build.evolution.reading import read_folder
from corpora.cases import Expectation, load
from corpora.folders import digest, files_of
from corpora.table_reads import EXACT
from harness.cli import main
from harness.engines.registry import ENGINES
from harness.environments.availability import status
from harness.investigate.minimize import minimizer
from harness.investigate.minimize.bundle import Bundle
from harness.investigate.minimize.forms import TableForm
from harness.investigate.minimize.minimizer import MinimizeRequest, minimize
from harness.investigate.minimize.subject import NotShown
from harness.investigate.minimize.tests.test_minimize import LIMITS, process, quiet
from harness.judging.ballots import REFERENCE

EVOLVED = Path(corpora.__file__).parent / "evolved"


def asked(case, fake, out):
    """Return the request to minimize a table with a fake engine."""
    reference = ENGINES[REFERENCE]
    processes = (
        process(f"harness.investigate.minimize.tests.table_fakes:{fake}"),
        process(f"{reference.module}:{reference.class_name}", REFERENCE),
    )
    return MinimizeRequest(case, processes, None, out, LIMITS, 120.0)


def minimal(out):
    """Return the case of the minimal table; what it expects is what the reference reads."""
    (case,) = import_tables([str(out / "minimal.json")]).cases
    assert case.expectation.table == read_folder(case.file, case.format, case.read)
    return case


@pytest.mark.heavy
@pytest.mark.parametrize(("form", "seed"), [("parquet", 8), ("orc", 5)])
def test_wrong_values(form, seed, tmp_path):
    """If null integers are zeros, one file with one null is left, of one column."""
    cases = list(generated(form, f"minimize {seed}", "tables/t", tmp_path / "t", ["add", "widen"]))
    case = next(case for case in cases if case.id.endswith("/missing"))
    made = minimize(asked(case, "NullsAreZeros", tmp_path / "out"), quiet)
    assert made.signature.startswith("fake | different | value in int")
    small = minimal(tmp_path / "out")
    assert len(list(files_of(small.file))) == 1
    assert len(small.read.columns) == 1
    assert small.expectation.table.column(0) == [None]
    assert digest(tmp_path / "out" / "original") == case.sha256


@pytest.mark.heavy
def test_a_vote_and_partitions(tmp_path):
    """Of a table of which nothing is recorded, the oracle decides; the folder that it needs stays."""
    cases = [load(path) for path in sorted((EVOLVED / "parquet" / "drop").glob("*.json"))]
    case = next(case for case in cases if case.id.endswith("/schema-0"))
    voted = replace(case, expectation=Expectation.by_vote())
    made = minimize(asked(voted, "NamesNullPartitions", tmp_path / "out"), quiet)
    assert "partition columns" in made.progress.needed
    small = minimal(tmp_path / "out")
    (file,) = files_of(small.file)
    assert "city=__HIVE_DEFAULT_PARTITION__" in str(file)
    assert "day=" not in str(file)
    assert (small.read.columns, [field.name for field in small.read.partitions]) == ((), ["city"])
    assert small.expectation.table.num_rows == 1


def test_a_table_that_the_reference_refuses_is_judged_by_its_vote():
    """A folder with a damaged file is judged by the vote of the reference, a sound one by the oracle."""
    case = next(load(path) for path in sorted((EVOLVED / "parquet" / "drop").glob("*.json")))
    whole = Bundle.of_folder(case.file, case.read)
    (path, content), *others = whole.files
    damaged = replace(whole, files=((path, content[:-1] + b"!"), *others))
    form = TableForm("parquet")
    voted = replace(case, expectation=Expectation.by_vote())
    assert form.original(voted, damaged.pack()) == Expectation.by_vote()
    assert form.original(voted, whole.pack()).table == case.expectation.table


@pytest.mark.heavy
def test_a_refused_file(tmp_path):
    """Of a table that must be refused for one of its files, this file is left."""
    case = next(load(path) for path in sorted((EVOLVED / "parquet" / "drop").glob("*.json")))
    folder = tmp_path / "t"
    shutil.copytree(case.file, folder)
    damaged = sorted(files_of(folder))[1]
    damaged.write_bytes(damaged.read_bytes()[:-1] + b"!")
    broken = replace(case, file=folder, sha256=digest(folder), expectation=Expectation.by_vote())
    made = minimize(asked(broken, "PassesOverDamage", tmp_path / "out"), quiet)
    assert made.signature.startswith("fake | accepted_invalid | PQ-FILE-")
    (file,) = files_of(tmp_path / "out" / "minimal")
    assert file.read_bytes() == damaged.read_bytes()


def test_hidden_files_are_named(tmp_path):
    """Where a finding does not show without the hidden files of a folder, one of them is named."""
    case = next(load(path) for path in sorted((EVOLVED / "parquet" / "drop").glob("*.json")))
    folder = tmp_path / "t"
    shutil.copytree(case.file, folder)
    (folder / "_SUCCESS").touch()
    hidden = replace(case, file=folder, probes=())
    with pytest.raises(NotShown, match=r"no problem \(hidden files are left out, such as _SUCCESS\)"):
        minimize(asked(hidden, "CrashesInSplits", tmp_path / "out"), quiet)


@pytest.mark.heavy
def test_splits(tmp_path):
    """A crash by splits needs the splits to the end, and nothing of what is read."""
    folder = EVOLVED / "parquet" / "add-inside"
    case = next(case for case in map(load, sorted(folder.glob("*.json"))) if case.read.split_bytes)
    made = minimize(asked(case, "CrashesInSplits", tmp_path / "out"), quiet)
    small = minimal(tmp_path / "out")
    assert "splits" in made.progress.needed
    assert (small.read.split_bytes, small.read.columns) == (case.read.split_bytes, ())
    assert len(list(files_of(small.file))) == 1


@pytest.mark.heavy
def test_what_may_be_refused_is_no_smaller_finding(tmp_path):
    """Where a reader must not refuse, neither may it refuse the smaller table; matching becomes exact."""
    folder = EVOLVED / "parquet" / "reorder"
    cases = [load(path) for path in sorted(folder.glob("*.json"))]
    must = next(case for case in cases if case.expectation.kind == "accept" and case.read.columns)
    minimize(asked(must, "RefusesAll", tmp_path / "out"), quiet)
    small = minimal(tmp_path / "out")
    assert (small.expectation.kind, small.read.matching) == ("accept", EXACT)
    may = next(case for case in cases if case.expectation.kind == "either")
    with pytest.raises(NotShown, match="no problem"):
        minimize(asked(may, "RefusesAll", tmp_path / "may"), quiet)


def test_bundles(tmp_path):
    """A bundle has the read and the bytes of all files, and writes them as they were."""
    case = next(iter(map(load, sorted((EVOLVED / "orc" / "drop").glob("*.json")))))
    bundle = Bundle.of_folder(case.file, case.read)
    assert Bundle.unpack(bundle.pack()) == bundle
    (tmp_path / "there").mkdir()
    bundle.write(tmp_path / "there", durable=False)
    assert digest(tmp_path / "there") == case.sha256


@pytest.mark.heavy
def test_a_killed_search_goes_on_with_its_read(tmp_path, monkeypatch):
    """The read of the best table so far is remembered with the folder."""
    case = load(EVOLVED / "parquet" / "reorder" / "nothing.json")
    wanted = asked(case, "RefusesAll", tmp_path / "out")

    def killed(_self, _best):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(minimizer._Run, "_write_case", killed)
        with pytest.raises(KeyboardInterrupt):
            minimize(wanted, quiet)
    before = json.loads((tmp_path / "out" / minimizer.FILE).read_text())
    assert "read" in before
    lines = []
    again = minimize(wanted, lines.append)
    assert f"continuing from {before['progress']['size']} bytes" in lines
    assert again.progress.size <= before["progress"]["size"]


@pytest.mark.heavy
def test_a_finding_of_a_run(tmp_path, monkeypatch, capsys):
    """A known finding about a table is minimized by its id, and exported with a script that shows it."""
    if not status(ENGINES["datafusion"]).available:
        pytest.skip("datafusion is not installed")
    monkeypatch.chdir(tmp_path)
    arguments = ["minimize", "datafusion-structs-in-maps", "--engine", "datafusion", "--out", "small"]
    ended = main(arguments)
    shown = capsys.readouterr()
    if ended and "shows agree" in shown.err:
        pytest.skip("this version of datafusion reads structs in maps")
    assert ended == 0, shown.err
    small = minimal(tmp_path / "small")
    assert small.file.is_dir()
    assert main(["findings", "export", "small", "--out", "folders", "--check"]) == 0
    (folder,) = (tmp_path / "folders").iterdir()
    assert digest(folder / "files") == small.sha256


def test_folders_are_no_findings(tmp_path, capsys):
    """A folder is refused in one line that says what to name instead."""
    assert main(["minimize", str(tmp_path), "--engine", "polars"]) == 2
    assert "a folder; name RUN:SIGNATURE" in capsys.readouterr().err
