"""The pytest plugin, in sessions of pytest of their own: what a user of another project sees."""

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from harness.testing.cases import not_judged

ROOT = Path(__file__).resolve().parents[3]
SIGNS = "parquet/delta-binary-packed/count/int64/1"  # fastparquet reads its INT32 -3 as 4294967293
# … the least value of these as null.
KNOWN, OTHER = (f"parquet/statistics/timestamp-{unit}-utc/both" for unit in ("micros", "millis"))
FINE, MENDED = (f"parquet/delta-binary-packed/count/int32/{count}" for count in (1, 2))
LACKED = "parquet/codec/brotli/v1/list"
ENTRY = """[[failure]]
case = "{case}"
verdict = "{verdict}"
reason = "signs are lost"
"""
# Sessions one after the other in one process, which imports pytest and colconf once.
SESSIONS = """
import contextlib, io, json, os, sys
import pytest
results = []
for number, arguments in enumerate(json.load(sys.stdin)):
    os.mkdir(str(number))
    os.chdir(str(number))
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        status = pytest.main(["-p", "no:cacheprovider", "-rsxf", *arguments])
    results.append((int(status), output.getvalue()))
    os.chdir("..")
json.dump(results, sys.stdout)
"""


def session(folder, *arguments):
    """Return the exit status and the output of a session of pytest, in a process of its own."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rsxf", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    return done.returncode, done.stdout + done.stderr


JUDGED = ("--colconf-engine", "fastparquet", "--colconf-known", "../known", "-v")
MARKED = ("--colconf-engine", "fastparquet", "--colconf-engine", "reference", "--collect-only", "-q")
WRONG = (
    (("--colconf-engine", "pyarow"), "did you mean pyarrow?"),
    (("--colconf-engine", "pyarrow@0.0.1"), "pyarrow@0.0.1 cannot be run"),
    (("--colconf-engine", "pyarrow", "--colconf-corpus", "none"), "--colconf-corpus none: not a folder"),
    (("--colconf-engine", "pyarrow", "--colconf-cases", "parqet/*"), "no case that pyarrow reads matches"),
)


@pytest.fixture(scope="module")
def sessions(tmp_path_factory):
    """Return status and output of sessions that read six cases, choose by rule, have wrong options."""
    folder = tmp_path_factory.mktemp("sessions")
    (folder / "known").mkdir()
    entries = ((KNOWN, "different"), (MENDED, "different"), (OTHER, "crashed"))
    (folder / "known/fastparquet.toml").write_text(
        "".join(ENTRY.format(case=case, verdict=verdict) for case, verdict in entries)
    )
    cases = (SIGNS, KNOWN, OTHER, FINE, MENDED, LACKED)
    arguments = [
        (*JUDGED, *(word for case in cases for word in ("--colconf-cases", case))),
        (*MARKED, "--colconf-cases", "parquet/fault/*", "-m", "colconf_rule(id='PQ-FILE-001')"),
        *(options for options, _ in WRONG),
    ]
    done = subprocess.run(
        [sys.executable, "-c", SESSIONS],
        cwd=folder,
        input=json.dumps(arguments),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.heavy
def test_a_wrong_answer_fails(sessions):
    """The failure names engine, verdict, place, values and file, and shows no lines of the plugin."""
    status, text = sessions[0]
    assert status == 1
    assert "3 failed, 1 passed, 1 skipped, 1 xfailed" in text
    for part in ("different", "column 'x', row 0", "4294967293", f"{SIGNS}.parquet"):
        assert part in text
    assert "Traceback" not in text
    assert "def runtest" not in text


@pytest.mark.heavy
def test_names(sessions):
    """A test is called as the case, below its engine."""
    _, text = sessions[0]
    assert f"colconf[fastparquet]::{SIGNS} FAILED" in text
    assert f"colconf[fastparquet]::{FINE} PASSED" in text
    assert f"colconf[fastparquet]::{LACKED} SKIPPED" in text


def test_known_failures_are_strict(sessions):
    """A listed failure is xfailed with its reason; one that no longer shows, or is another, fails."""
    _, text = sessions[0]
    assert f"{KNOWN} XFAIL" in text
    assert "known failure: signs are lost" in text
    assert f"{MENDED} FAILED" in text
    assert "no longer shows; remove its entry" in text
    assert f"{OTHER} FAILED" in text


def test_markers_choose(sessions):
    """-m chooses among the cases of each engine by rule."""
    status, text = sessions[1]
    names = [line for line in text.splitlines() if "::" in line]
    assert status == 0
    assert {name.partition("::")[0] for name in names} == {"colconf[fastparquet]", "colconf[reference]"}
    assert all("::parquet/fault/pq-file-001/" in name for name in names)


@pytest.mark.heavy
def test_generated_files(tmp_path):
    """The same seed gives the same tests, in processes of pytest-xdist too."""
    options = ("--colconf-engine", "reference", "--colconf-cases", "generated/*", "--colconf-seed", "3")
    status, text = session(tmp_path, *options, "--colconf-generate", "2", "-n", "2", "-v")
    assert (status, "4 passed" in text) == (0, True), text  # two of Parquet, two of ORC
    assert "colconf[reference]::generated/3/0/0.orc" in text


def test_a_wrong_option_is_a_line(sessions):
    """A wrong name ends the session with a line, and pytest's status for it."""
    for (status, text), (_, message) in zip(sessions[2:], WRONG, strict=True):
        assert status == 4
        assert message in text
        assert "Traceback" not in text


@pytest.mark.parametrize(
    ("verdicts", "reason"),
    [
        (["agree"], ""),
        (["unsupported", "equivalent"], ""),
        (["unsupported", "unsupported"], "unsupported: why"),
        (["not_asked", "skipped"], "not_asked: why; skipped: why"),
        (["refused_otherwise"], "refused_otherwise: why"),
        ([], "colconf cannot ask this"),
    ],
    ids=str,
)
def test_what_was_not_judged_does_not_pass(verdicts, reason):
    """A case of which no answer was judged right is skipped with the reasons, and does not pass."""
    rows = [SimpleNamespace(verdict=verdict, detail=SimpleNamespace(message="why")) for verdict in verdicts]
    assert not_judged(rows) == reason


def test_without_an_engine_nothing_is_imported(tmp_path):
    """In a session that names no engine, the plugin imports neither the harness nor corpora."""
    (tmp_path / "test_x.py").write_text(
        "import sys\n\ndef test_x():\n"
        "    assert not [name for name in sys.modules if name.startswith(('corpora', 'harness.engines'))]\n"
    )
    assert session(tmp_path)[0] == 0


def example():
    """Return the test that docs/pytest.md shows."""
    page = (ROOT / "docs/pytest.md").read_text("utf-8")
    return page.partition("```python\n")[2].partition("```")[0]


# Few examples, and none made smaller: that is for the strategy's own tests.
FEW = """
from hypothesis import Phase, settings
settings.register_profile("few", max_examples=6, phases=[Phase.generate], derandomize=True)
settings.load_profile("few")
"""
READER = """
from corpora import python_values
from corpora.build.tagged_columns import tagged_table
from reference_impl.parquet.file import ParquetFile

def my_reader(data):
    rows = python_values.rows(tagged_table(ParquetFile(data).read()))
    return {expression}
"""


@pytest.mark.heavy
def test_the_page_s_example(tmp_path):
    """The page's lines pass a right reader, and fail one that loses the first row."""
    (tmp_path / "conftest.py").write_text(FEW)
    (tmp_path / "test_right.py").write_text(READER.format(expression="rows") + example())
    (tmp_path / "test_wrong.py").write_text(READER.format(expression="rows[1:]") + example())
    status, text = session(tmp_path)
    assert (status, "1 failed, 1 passed" in text) == (1, True)
    assert "FAILED test_wrong.py::test_my_reader" in text
    assert "<parquet file of" in text


@pytest.mark.heavy
def test_an_installed_wheel(tmp_path):
    """From a wheel, in an environment of its own, the plugin has its cases and the page's example runs."""
    uv = (sys.executable, "-m", "uv")

    def run(*command):
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False)

    assert run(*uv, "build", "--wheel", "--out-dir", str(tmp_path), str(ROOT)).returncode == 0
    (wheel,) = tmp_path.glob("*.whl")
    assert run(*uv, "venv", "env").returncode == 0
    python = tmp_path / "env/bin/python"
    wanted = (f"{wheel}[generate,fastparquet]", "pytest", "setuptools")
    installed = run(*uv, "pip", "install", "--python", str(python), *wanted)
    assert installed.returncode == 0, installed.stderr
    (tmp_path / "test_right.py").write_text(
        READER.format(expression="rows") + example().replace("==", "is not")
    )
    options = ("--colconf-engine", "fastparquet", "--colconf-cases", FINE, "-v")
    done = run(str(python), "-I", "-m", "pytest", *options)
    assert (done.returncode, "2 passed" in done.stdout) == (0, True), done.stdout
