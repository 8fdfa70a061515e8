"""`colconf run`: what it makes of its arguments, and of files that the reference and pyarrow can read."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from pyarrow import orc

from harness.children import java
from harness.children.launch import ROOT
from harness.commands import parameters, run_options
from harness.commands import run as command
from harness.engines.registry import ENGINES
from harness.environments import availability
from harness.judging.results import Finding, load
from harness.runs.pipeline import sheets as pipeline_sheets
from harness.runs.pipeline.plan import FILES_PER_TASK, HEAVY_FILES_PER_TASK, SheetAt, engine_tasks
from harness.runs.pipeline.selection import SelectionError, select
from harness.runs.pipeline.sheets import SHEET_FILES, sheets
from harness.runs.summary import _finding, _plain
from harness.tests.events import wait_for
from harness.tests.pipelines import files, process

ONE_AWAY = ["", "api=dataset", "mmap=on", "threads=off"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Work in an empty folder; answer it."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def data(folder):
    """Make two Parquet files, one that is broken, and one that is none."""
    made = folder / "data"
    made.mkdir()
    pq.write_table(pa.table({"a": [1, 2, None]}), made / "a.parquet")
    pq.write_table(pa.table({"b": ["x", "y"]}), made / "b.parquet")
    (made / "broken.parquet").write_bytes((made / "a.parquet").read_bytes()[:-5])
    (made / "notes.txt").write_text("no Parquet")
    return made


def invoke(*arguments):
    """Run the command in this process."""
    return CliRunner().invoke(command.run, [str(argument) for argument in arguments])


def refused(*arguments):
    """Return the one line that the command ends with, status 2."""
    result = invoke(*arguments)
    assert result.exit_code == 2, result.output
    said = [line for line in result.stderr.splitlines() if not line.startswith(("Usage:", "Try ")) and line]
    assert len(said) == 1
    assert result.stdout == ""
    return said[0]


def test_files_are_judged(data, folder):
    """Every file × engine has a line, also if it is broken or no Parquet; all as expected: status 0."""
    result = invoke(
        *("--files", data, "--engine", "reference", "--engine", "pyarrow"),
        *("--queries", "none", "--no-spark", "--out", "out"),
    )
    assert result.exit_code == 0, result.output
    assert "nothing unexpected" in result.stdout
    results = load(folder / "out")
    assert [(row.case, row.engine, row.verdict) for row in results.rows] == [
        ("files/a.parquet", "reference", "agree"),
        ("files/a.parquet", "pyarrow", "agree"),
        ("files/b.parquet", "reference", "agree"),
        ("files/b.parquet", "pyarrow", "agree"),
        ("files/broken.parquet", "reference", "refused_as_expected"),
        ("files/broken.parquet", "pyarrow", "refused_as_expected"),
    ]
    assert {row.case for row in results.skipped} == {"files/notes.txt"}
    keys = "case sha256 format engine version config outcome verdict detail seconds peak_rss_bytes"
    for line in (folder / "out" / "results.ndjson").read_text().splitlines():
        assert list(json.loads(line)) == keys.split()
    assert "parquet/type/int64" in results.rows[0].detail.features


def test_the_summary_as_json(data):
    """--json prints the summary, and nothing else, on standard output."""
    result = invoke(
        *("--files", data / "a.parquet", data / "b.parquet", "--engine", "pyarrow"),
        *("--queries", "none", "--no-spark", "--json"),
    )
    told = json.loads(result.stdout)
    assert told["run"]["counts"]["results"] == 2
    assert told["engines"][0]["verdicts"] == {"agree": 2}
    assert told["exit_status"] == result.exit_code == 0
    assert Path(told["out"]).parent.name == command.DEFAULT_OUT


def test_queries_of_files(data, folder):
    """Files of which nothing is recorded are asked queries, with and without pushdown, as many as said."""
    arguments = ("--files", data / "a.parquet", "--engine", "pyarrow", "--no-spark", "--out", "out")
    result = invoke(*arguments, "--queries", "5")
    assert result.exit_code == 0, result.output
    rows = load(folder / "out").rows
    assert [row.config for row in rows] == ["", "pushdown=off"]
    assert rows[0].detail.probes.queries == 5
    assert load(folder / "out").run.settings["queries"] == 5


@pytest.mark.parametrize("value", ["few", "-1", "1.5"])
def test_a_number_of_queries(value):
    """--queries takes a number, none or all, and no generated files."""
    assert "is not a number of queries, none or all" in invoke("--files", ".", "--queries", value).stderr
    assert "exclude each other" in refused("--generate", "1", "--queries", "1")


def test_options_that_take_many():
    """--files takes paths up to the next option, and may be repeated."""
    spread = parameters.spread(["--files", "a", "b", "--engine", "x", "--files", "c", "--json"], "--files")
    assert spread == ["--files", "a", "--files", "b", "--engine", "x", "--files", "c", "--json"]
    assert parameters.spread(["--out", "o"], "--files") == ["--out", "o"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--files", "nowhere"], "nowhere: No such file or directory"),
        (["--files", "empty"], "empty: a folder without files"),
        (["--files", "text"], "text: no Parquet or ORC file found (1 other files)"),
        (["--files", "text/x.txt"], "text/x.txt: neither Parquet nor ORC"),
        (
            ["--files", "orc", "--engine", "duckdb"],
            "none of the selected engines reads ORC, the format of all 1 files",
        ),
        (["--files", "orc", "--format", "parquet"], "orc: no Parquet file found (1 other files)"),
        (["--engine", "sparks"], "unknown engine 'sparks'; did you mean spark?"),
        (["--engine", "pyarrow:api=x"], "'pyarrow:api=x': 'x' is no value of api"),
        (
            ["--engine", "pyarrow@1.0"],
            "pyarrow@1.0 cannot be run: it is not installed; run `colconf engines install pyarrow@1.0`",
        ),
        (["--report", "pdf"], "unknown report 'pdf'; known: "),
        (["--memory-limit", "much"], "Invalid value for '--memory-limit': 'much' is not a size"),
        (["--time-limit", "0"], "Invalid value for '--time-limit': 0.0 is not in the range"),
        (["--master", "local[1]", "--no-spark"], "--master and --no-spark exclude each other"),
        (["--out", "text/x.txt", "--files", "good", "--no-spark"], "text/x.txt: cannot be written"),
        (["--out", "text", "--files", "good", "--no-spark"], "text: holds other files; give another --out"),
    ],
)
def test_bad_arguments_are_one_line(folder, arguments, said):
    """What cannot be done is said in one line, status 2, and nothing is left behind."""
    (folder / "empty").mkdir()
    for name in ("text", "good", "orc"):
        (folder / name).mkdir()
    (folder / "orc" / "x.orc").write_bytes(b"ORC" + bytes(20) + b"ORC\x03")
    (folder / "text" / "x.txt").write_text("x")
    pq.write_table(pa.table({"a": [1]}), folder / "good" / "a.parquet")
    assert said in refused(*arguments)
    assert sorted(path.name for path in folder.iterdir()) == ["empty", "good", "orc", "text"]
    assert (folder / "text" / "x.txt").read_text() == "x"


def test_spark_without_java(data, monkeypatch):
    """Spark asked for without Java is one line with the mend; not asked for, the run goes on without it."""
    nothing = java.Java("", 0, "Java is not on PATH, and JAVA_HOME is not set")
    monkeypatch.setattr(java, "find", lambda: nothing)
    here = {"pyarrow": "26", "pyspark": "4", "pandas": "2"}
    monkeypatch.setattr(availability, "installed", lambda package: here.get(package, ""))
    said = refused("--files", data, "--engine", "spark")
    assert "spark cannot be run: Java is not on PATH, and JAVA_HOME is not set; install Java 17" in said
    assert "--master local: Java is not" in refused(
        "--files", data, "--engine", "pyarrow", "--master", "local"
    )
    result = invoke(
        "--files", data / "a.parquet", "--out", "out", "--queries", "none", "--profile", "quick", "--json"
    )
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    away = {one["engine"]: one for one in told["run"]["unavailable"]}
    assert "install Java 17" in away["spark"]["mend"]
    assert away["duckdb"]["mend"] == "pip install 'colconf[duckdb]'"
    assert [one["engine"].partition("@")[0] for one in told["engines"]] == ["reference", "pyarrow"]


def test_settings(folder, data):
    """Options may stand in colconf.toml or pyproject.toml; the command line goes before."""
    (folder / "pyproject.toml").write_text('[tool.colconf]\nprofile = "huge"\n')
    (folder / "colconf.toml").write_text(
        f'files = ["{data / "a.parquet"}"]\n'
        'engine = ["pyarrow"]\nno-spark = true\nout = "o"\ntime-limit = 7\n'
    )
    result = invoke("--json", "--time-limit", "9")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["run"]["asked"]["time_limit"] == 9.0
    assert (folder / "o" / "results.ndjson").is_file()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("speed = 3", "unknown setting 'speed'"),
        ("no-spark = 3", "no-spark is 3, not true or false"),
        ("out = [1, 2]", "out is [1, 2], not text"),
        ("engine = [[]]", "engine is [[]], not text or a list of texts"),
        ("profile = 'huge'", "'huge' is not one of"),
        ("= 3", "colconf.toml: is no TOML: Invalid"),
    ],
)
def test_bad_settings_are_one_line(folder, text, said):
    """A setting that is none, or of another form, is one line."""
    (folder / "colconf.toml").write_text(text)
    assert said in refused("--files", "x")


@pytest.mark.heavy
@pytest.mark.sweep(2)
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_run_can_be_continued(tmp_path, data, number, status):
    """Ctrl-C, or an end by a scheduler: one line that says how to go on, no traceback, no temporary files."""
    for file in range(1_500):
        (data / f"{file}.parquet").write_bytes(b"PAR1" + str(file).encode())
    code = (
        "import sys; from harness import cli; from harness.commands.run import run;"
        "cli.colconf.add_command(run); sys.exit(cli.main())"
    )
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    arguments = ["run", "--files", str(data), "--engine", "reference", "--no-spark", "--out", "out"]
    child = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(temporary)},
    )
    out = tmp_path / "out"
    with child:
        wait_for(lambda: child.poll() is not None or list(out.glob("parts/execute/**/*.ndjson")))
        assert child.poll() is None
        child.send_signal(number)
        _, said = child.communicate(timeout=300)
    assert child.returncode == status
    assert "colconf: interrupted; `colconf run --resume out` continues" in said
    assert "Traceback" not in said
    assert list(temporary.iterdir()) == []


def test_all_engines_are_the_default():
    """Unnamed engines run in each configuration one switch away from the default, if the profile says so."""
    chosen = {one.name: one for one in select([], ["parquet"], every_switch=True).processes}
    assert [config.text for config in chosen["pyarrow"].configs] == [
        "",
        "api=dataset",
        "mmap=on",
        "threads=off",
    ]
    assert chosen["pyarrow"].configs[1].switches == {
        "api": "dataset",
        "mmap": "off",
        "threads": "on",
        "way": "default",
        "pushdown": "on",
    }
    orc = {one.name: one for one in select([], ["orc"], every_switch=True).processes}
    assert [config.text for config in orc["pyarrow_orc"].configs] == ["", "api=dataset", "zone=los_angeles"]
    named = select(["pyarrow_orc:zone=lord_howe"], ["orc"], every_switch=True).processes[0]
    assert [config.text for config in named.configs] == ["zone=lord_howe"]
    processes = select([], ["parquet", "orc"], every_switch=True).processes
    spark = next(process for process in processes if process.name == "spark")
    assert {config.text: config.formats for config in spark.configs} == {
        "": (),
        "vectorized=off": (),
        **dict.fromkeys(("nested=off", "orc=hive", "zone=los_angeles"), ("orc",)),
    }
    few = {one.name: one for one in select([], ["parquet"], every_switch=False).processes}
    assert [config.text for config in few["pyarrow"].configs] == [""]


def test_queries_are_asked_under_every_pushdown():
    """Where queries are asked, each configuration has every value of pushdown that its name leaves open."""
    names = ["spark:vectorized=on", "spark:vectorized=off,pushdown=off"]
    spark, reference = select(names, ["parquet"], every_switch=True, probed=True).processes
    finer = ("off", "statistics", "index", "dictionary", "bloom", "aggregate")
    assert [config.text for config in spark.configs] == [
        "vectorized=on",
        *(f"vectorized=on,pushdown={value}" for value in finer),
        "vectorized=off,pushdown=off",
    ]
    assert [config.text for config in reference.configs] == [""]
    every = {one.name: one for one in select([], ["parquet"], every_switch=True, probed=True).processes}
    assert [config.text for config in every["pyarrow"].configs[:2]] == ["", "pushdown=off"]
    assert all("api" not in config.text for config in every["pyarrow"].configs)
    named = select(["pyarrow:pushdown=off"], ["parquet"], every_switch=True).processes[0]
    assert [config.text for config in named.configs] == ["pushdown=off"]


def test_generate_and_files_exclude_each_other(folder, data, monkeypatch):
    """A run is over files or over what it generates; an option replaces a setting of the other kind."""
    assert refused("--generate", "3", "--files", data) == "Error: --generate and --files exclude each other"
    assert "--seed requires --generate" in refused("--seed", "3", "--files", data)
    assert "'--generate': 0 is not in the range" in refused("--generate", "0")
    (folder / "colconf.toml").write_text('generate = 5\nseed = 2\nengine = ["pyarrow"]\nno-spark = true')
    result = invoke("--files", data / "a.parquet", "--json")
    asked = json.loads(result.stdout)["run"]["asked"]
    assert (asked["generate"], asked["seed"], len(asked["files"])) == (None, None, 1)
    monkeypatch.setattr(run_options, "find_spec", lambda _: None)
    said = refused("--generate", "3")
    assert "--generate requires hypothesis and lzallright, not installed here; pip install" in said


def test_a_run_of_files_needs_no_hypothesis():
    """Where Hypothesis is not installed the command can be imported: only what generates files imports it."""
    code = "import sys; sys.modules['hypothesis'] = None; import harness.commands.run"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_the_reference_reads_along():
    """It is there to judge by when it was not named, and not reported then; named twice is once."""
    processes = select(
        ["pyarrow", "pyarrow:api=dataset", "pyarrow"], ["parquet"], every_switch=True
    ).processes
    assert [(one.name, one.reported) for one in processes] == [("pyarrow", True), ("reference", False)]
    assert [config.text for config in processes[0].configs] == ["", "api=dataset"]
    with pytest.raises(SelectionError, match="unknown engine"):
        select(["nonsense"], ["parquet"], every_switch=True)


def test_sheets(tmp_path):
    """Files of one schema share sheets of at most SHEET_FILES; a file whose schema cannot be had is alone."""
    names = [f"{number:03}" for number in range(40)]
    imported = files(tmp_path / "in", [*names, "none"])
    for number, case in enumerate(imported.cases[:-1]):
        pq.write_table(pa.table({"a" if number % 4 else "b": [number]}), case.file)
    made = sheets(imported.cases)
    assert [len(sheet.cases) for sheet in made] == [10, 30, 1]
    assert [sheet.cases[0].id for sheet in made] == ["files/000", "files/001", "files/none"]
    assert SHEET_FILES == 32


@pytest.mark.parametrize("form", ["parquet", "orc"])
def test_sheets_of_many_rows(tmp_path, form, monkeypatch):
    """The files of a sheet have at most SHEET_ROWS rows together; one with more is a sheet of its own."""
    monkeypatch.setattr(pipeline_sheets, "SHEET_ROWS", 100)
    write = {"parquet": pq.write_table, "orc": orc.write_table}[form]
    cases = [replace(case, format=form) for case in files(tmp_path / "in", ["a", "b", "c", "d", "e"]).cases]
    for case, rows in zip(cases, [60, 40, 1, 101, 99], strict=True):
        write(pa.table({"a": range(rows)}), case.file)
    made = [[case.id for case in sheet.cases] for sheet in sheets(cases)]
    assert made == [["files/a", "files/b"], ["files/c"], ["files/d"], ["files/e"]]


def test_tasks():
    """Heavy engines come first, one process for two cores; light ones get more when there are many files."""
    places = [SheetAt(str(number), 0, 32) for number in range(1 + FILES_PER_TASK // 32)]
    engines = (process("Healthy"), process("Healthy", "heavy", heavy=True))
    tasks = list(engine_tasks(engines, places, 4))
    assert [task.process for task in tasks] == [1, 1, 0, 0]
    for number in (0, 1):
        held = [place for task in tasks if task.process == number for place in task.sheets]
        assert sorted(held) == sorted(places)


@pytest.mark.parametrize(("cores", "count"), [(1, 1), (2, 2), (4, 4), (6, 4), (16, 8)])
def test_tasks_of_one_heavy_engine(cores, count):
    """Of many files, a heavy engine has up to four tasks, and on many cores one for every two."""
    places = [SheetAt(str(number), 0, 32) for number in range(4 * FILES_PER_TASK // 32 + 1)]
    tasks = list(engine_tasks([process("Healthy", heavy=True)], places, cores))
    assert len(tasks) == count
    assert sorted(place for task in tasks for place in task.sheets) == sorted(places)
    assert len(list(engine_tasks([process("Healthy", heavy=True)], places[:3], 2))) == 1


def test_tasks_of_two_versions():
    """Two heavy engines have small tasks by turns, so that the slower of them can run on all cores."""
    places = [SheetAt(str(number), 0, 32) for number in range(10)]
    engines = [process("Healthy", name, heavy=True) for name in ("old", "new")]
    tasks = list(engine_tasks(engines, places, 2))
    assert [task.process for task in tasks] == [0, 1] * (320 // HEAVY_FILES_PER_TASK)
    for number in (0, 1):
        held = [place for task in tasks if task.process == number for place in task.sheets]
        assert sorted(held) == sorted(places)


def test_java_versions():
    """What `java -version` prints is understood, old and new; anything else is a problem in one line."""
    assert java.parsed("j", 'openjdk version "17.0.15" 2025-04-15').version == 17
    assert java.parsed("j", 'java version "1.8.0_401"').problem == "j is Java 8, older than 17"
    assert java.parsed("j", 'openjdk version "21-ea"').problem == ""
    assert "it says nothing" in java.parsed("j", "").problem


def test_java_home_that_is_wrong(monkeypatch):
    """A JAVA_HOME without Java is a problem: Spark would look nowhere else."""
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    assert java.find().problem == "JAVA_HOME is /nowhere, where there is no bin/java"


def test_terminals_are_safe():
    """What files and engines say is shown without control characters."""
    assert _plain("a\x1b[31mb\n\u202ec\udcff") == "a\\x1b[31mb \\u202ec\\udcff"


def test_another_outcome_is_shown_with_its_error():
    """Of a way that refuses what the default way reads, the line says why it does."""
    at = {"path": "outcome", "expected": "table", "actual": "refused", "kind": "outcome"}
    finding = Finding("s", "duckdb", "1", "way=x", "inconsistent", "files/a", 1, [], at, "Error: in use")
    assert "outcome: expected table, got refused: Error: in use" in str(_finding(finding, "files/a"))


def test_every_engine_has_an_extra():
    """The mend for a missing engine names something that can be installed."""
    assert all(entry.extra for entry in ENGINES.values() if entry.packages)


def test_an_empty_path_is_no_folder(tmp_path):
    """An empty path, as of a variable that is not set, is refused, instead of being taken for this folder."""
    assert "empty path" in refused("--files", "", "--no-spark", "--out", tmp_path / "out")
