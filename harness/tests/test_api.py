"""`harness.api`: what scripts use, by the example of its page."""

import shutil
from pathlib import Path

import pytest

from harness import api
from harness.judging.results import load
from harness.tests import pages
from harness.tests.pages import ROOT
from harness.tests.pipelines import files, go, process


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    """Work in a folder with the files that the page names."""
    (tmp_path / "path/to/files").mkdir(parents=True)
    source = next((ROOT / "corpora/parquet/page-index").rglob("*.parquet"))
    shutil.copy(source, tmp_path / "path/to/file.parquet")
    shutil.copy(source, tmp_path / "path/to/files/a.parquet")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_example_of_the_page(workplace, capsys):
    """The page's code runs as it stands, on a file of the corpora, and shows what it says."""
    blocks = pages.blocks((ROOT / "docs/api.md").read_text("utf-8"))
    (code,) = [text for language, text in blocks if language == "python"]
    names = {}
    exec(compile(code, "api.md", "exec"), names)
    *_, run_line, arrow_line = capsys.readouterr().out.splitlines()
    assert run_line == "0 1 []"
    assert arrow_line == "[{'engine': 'pyarrow', 'verdict': 'agree', 'count_all': 1}]"
    run = names["run"]
    assert [row.case for row in run.rows()] == ["files/a.parquet"]
    assert run.record == load(workplace / "out/script").run


def test_rules_and_records(workplace):
    """A file's broken rules have their clauses; a case of the corpora is judged by its record."""
    case = min((ROOT / "corpora/parquet/fault").rglob("*.parquet"))
    (row,) = api.judge(case, ["reference"])
    assert row.case == case.relative_to(ROOT / "corpora").with_suffix("").as_posix()
    assert row.verdict in {"agree", "refused_as_expected"}
    broken = {violation.rule for violation in api.validate(case)}
    assert {api.explain(rule).id for rule in broken} == broken != set()
    (workplace / "empty.parquet").touch()
    assert api.validate("empty.parquet")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: api.explain("PQ-NONE-001"), "unknown rule 'PQ-NONE-001'"),
        (lambda: api.validate("nowhere.parquet"), "nowhere.parquet: No such file or directory"),
        (lambda: api.judge(""), "a file with an empty path; is a shell variable unset?"),
        (lambda: api.judge("nowhere.parquet"), "nowhere.parquet: No such file or directory"),
        (lambda: api.judge("path/to/file.parquet", ["nothing"]), "unknown engine 'nothing'"),
        (lambda: api.run("nowhere", out="out"), "nowhere: No such file or directory"),
        (lambda: api.run("path", out="out", time_budget="1h"), "run() has no option 'time_budget'"),
        (lambda: api.run("path", out="out", speed=3), "run() has no option 'speed'"),
        (lambda: api.run("path", out="out", profile="huge"), "'huge' is not one of"),
        (lambda: api.run("path", out="out", case=["x"]), "is selected by x"),
        (lambda: api.open_run("path"), "path: not the folder of a run"),
    ],
)
@pytest.mark.usefixtures("workplace")
def test_what_the_caller_can_mend(call, message):
    """It raises UserError with one line, and makes no folder."""
    with pytest.raises(api.UserError) as raised:
        call()
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)
    assert not Path("out").exists()


def test_tables_of_a_run(tmp_path):
    """Each table has its columns and a row per result or finding; an unknown one is refused."""
    go(tmp_path / "out", files(tmp_path / "in", ["bad", "good"]), process("Refuses"))
    run = api.open_run(tmp_path / "out")
    assert run.exit_status == 1
    assert run.arrow("outcomes").column("outcome").to_pylist().count("table") == 1
    assert run.arrow("findings").num_rows == len(run.findings()) == 1
    with pytest.raises(api.UserError, match="unknown table 'rows'; known: outcomes, verdicts, findings"):
        run.arrow("rows")


def test_packages_are_typed():
    """Every package says that it has types."""
    packages = ("reference_impl", "corpora", "properties", "harness", "reports")
    assert all((ROOT / name / "py.typed").exists() for name in packages)
