"""`colconf findings blame`: commits of a small repository, each of which is built and asked."""

import subprocess
import sys
from pathlib import Path

import pytest

from corpora.cases import load
from corpora.known_failures import Entry
from corpora.own_cases import CHECKED_IN as CORPORA
from harness.cli import main
from harness.commands import blame as command
from harness.investigate import blame as blaming
from harness.investigate.bisect import State
from harness.investigate.suspects import Suspect
from harness.tests import schemas
from harness.tests.foreign_manifests import READER, ROOT, forget

_MANIFEST = f"""protocol = 3
name = "my_reader"
command = ['{sys.executable}', '-B', './built/reader.py']
formats = ["parquet"]
[variables]
PYTHONPATH = '{ROOT}'
"""
_RUN = f"import runpy, sys\nsys.argv[1:] = ['{{fault}}']\nrunpy.run_path('{READER}')\n"
CASE = CORPORA / "parquet/codec/snappy/v1/optional.json"
BUILD = "mkdir -p built && echo x >> built/count && sh build.sh"
FAULTS = ("honest", "honest", "no build", "dies", "plant", "plant")


def title(number):
    """Return the first line of the message of a commit."""
    return f"{number}: {FAULTS[number]}"


def git(folder, *arguments):
    """Run git in a folder, and return what it prints."""
    who = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", "-C", folder, *who, *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def repo(tmp_path, monkeypatch):
    """Return a repository with a commit for each of FAULTS, of a reader that its build script makes."""
    forget(monkeypatch)
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "reader.toml").write_text(_MANIFEST)
    for number, fault in enumerate(FAULTS):
        (folder / "reader.py").write_text(_RUN.format(fault=fault))
        script = "echo no compiler; exit 3" if fault == "no build" else "cp reader.py built/reader.py"
        (folder / "build.sh").write_text(script)
        (folder / "number").write_text(str(number))
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", title(number))
    return folder


def blame(repo, out, *more, build=BUILD, ends=("main~5", "main")):
    """Run the command, and return its exit status."""
    options = [
        "--engine",
        str(repo / "reader.toml"),
        "--repo",
        str(repo),
        "--build",
        build,
        "--out",
        str(out),
    ]
    return main(["findings", "blame", str(CASE), *options, "--between", *ends, *more])


@pytest.mark.heavy
def test_the_first_bad_commit_is_found(repo, tmp_path, capsys, monkeypatch):
    """Commits that do not build, or whose engine does not start, are skipped; the repository is untouched.

    The same command asks nothing twice.
    """
    before = git(repo, "status", "--porcelain"), git(repo, "rev-parse", "HEAD"), git(repo, "worktree", "list")
    assert blame(repo, tmp_path / "out", "--json") == 0
    printed = capsys.readouterr()
    result = schemas.printed("findings blame", printed.out)
    ids = git(repo, "log", "--reverse", "--format=%H").splitlines()
    assert result["first_bad"] == {"commit": ids[4], "title": "4: plant"}
    assert result["first_good"] is None
    assert result["skipped_between"] == ids[2:4]
    states = {entry["commit"]: (entry["state"], entry["said"]) for entry in result["asked"]}
    assert states[ids[0]][0] == "good"
    assert states[ids[2]] == ("skipped", "the build ended with status 3: no compiler")
    assert states[ids[3]][0] == "skipped"
    assert "does not start" in states[ids[3]][1]
    assert states[ids[5]][0] == "bad"
    assert before == (
        *(git(repo, "status", "--porcelain"), git(repo, "rev-parse", "HEAD")),
        git(repo, "worktree", "list"),
    )
    builds = (tmp_path / "out/checkout/built/count").read_text()
    monkeypatch.setattr(blaming, "_state", None)
    assert blame(repo, tmp_path / "out") == 0
    shown = capsys.readouterr()
    assert f"first bad commit: {ids[4]} 4: plant" in shown.out
    assert f"or one that could not be tested: {ids[2]}, {ids[3]}" in shown.out
    assert "from the earlier search" in shown.err
    # Which finding is meant is looked for with the newest commit, once more.
    assert (tmp_path / "out/checkout/built/count").read_text() == f"{builds}x\n"


@pytest.fixture
def by_title(monkeypatch):
    """Have states of commits follow from their titles alone; return the titles in the order of the search."""
    asked = []

    def state(commit, *_):
        asked.append(commit.title)
        return (State.BAD if "plant" in commit.title else State.GOOD), "by title"

    suspect = Suspect(load(CASE), Entry("my_reader", "*", "different", "planted"))
    monkeypatch.setattr(command, "first_finding", lambda *_: suspect)
    monkeypatch.setattr(blaming, "_state", state)
    return asked


def test_an_interrupted_search_continues(repo, tmp_path, monkeypatch, capsys, by_title):
    """States of commits are stored as they become known."""
    state = blaming._state

    def interrupted(commit, *rest):
        if len(by_title) == 2:
            raise KeyboardInterrupt
        return state(commit, *rest)

    monkeypatch.setattr(blaming, "_state", interrupted)
    assert blame(repo, tmp_path / "out") == 130
    assert by_title == ["0: honest", "5: plant"]
    monkeypatch.setattr(blaming, "_state", state)
    assert blame(repo, tmp_path / "out") == 0
    assert len(by_title) == len(set(by_title))
    assert {"3: dies", "4: plant"} < set(by_title) < set(map(title, range(len(FAULTS))))
    assert f"first bad commit: {git(repo, 'rev-parse', 'main~1')} 4: plant" in capsys.readouterr().out


@pytest.mark.usefixtures("by_title")
def test_a_mend_is_found(repo, tmp_path, capsys):
    """Where the oldest commit fails and the newest does not, the commit that mended it is named."""
    git(repo, "commit", "-q", "--allow-empty", "-m", "6: mended")
    assert blame(repo, tmp_path / "out", ends=("main~2", "main")) == 0
    assert f"first good commit: {git(repo, 'rev-parse', 'main')} 6: mended" in capsys.readouterr().out


def test_a_merge_is_one_commit(repo, tmp_path, by_title):
    """The search stays on the main line: a merge stands for what it brought in."""
    git(repo, "checkout", "-q", "-b", "side", "main~4")
    git(repo, "commit", "-q", "--allow-empty", "-m", "side: plant")
    git(repo, "checkout", "-q", "-b", "line", "main~4")
    git(repo, "merge", "-q", "--no-ff", "-m", "merge: plant", "side")
    assert blame(repo, tmp_path / "out", "--all", ends=("main~5", "line")) == 0
    assert by_title == ["0: honest", "1: honest", "merge: plant"]


def test_a_build_that_hangs_is_ended(repo, tmp_path, capsys):
    """A build has a time limit, which also ends what it started."""
    mark = tmp_path / "late"
    build = f"(sleep 3; touch {mark}) & sleep 60"
    assert blame(repo, tmp_path / "out", "--build-limit", "1s", build=build) == 2
    assert "the build took longer than 1 s" in capsys.readouterr().err
    assert not mark.exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"repo": "none"}, "none: no such folder"),
        ({"repo": "."}, ": no git repository"),
        ({"ends": ("main~99", "main")}, "has no commit 'main~99'"),
        ({"ends": ("--help", "main")}, "has no commit '--help'"),
        ({"ends": ("main", "main~2")}, "main is no ancestor of main~2; name the older commit first"),
        ({"ends": ("main", "HEAD")}, "main and HEAD are the same commit"),
        ({"build": " "}, "--build is empty; give the command that builds a checkout"),
        ({"engine": "reference"}, "reference is part of colconf, and is not built alone"),
        ({"engine": "parquet_java"}, "parquet_java is a jar of pyspark, and is not built alone"),
        ({"engine": "duckdb@1.0"}, "a build has no other version or switches; write duckdb"),
        ({"engine": "duckdbb"}, "unknown engine 'duckdbb'; did you mean duckdb?"),
        ({"engine": "none.toml"}, "none.toml: No such file or directory"),
        ({"python": "3.12"}, "--python requires an engine with an adapter in colconf"),
        ({"finding": "nosuch"}, "no finding is called 'nosuch'"),
        ({"finding": "nosuch.json"}, "nosuch.json"),
    ],
)
def test_bad_input_is_one_line(repo, tmp_path, capsys, change, message):
    """What cannot be searched is refused in one line with status 2, before anything is built."""
    given = {
        "repo": repo,
        "ends": ("main~5", "main"),
        "build": BUILD,
        "engine": repo / "reader.toml",
        **change,
    }
    where = given["repo"] if isinstance(given["repo"], Path) else tmp_path / given["repo"]
    python = ["--python", change["python"]] if "python" in change else []
    arguments = ["--engine", str(given["engine"]), "--repo", str(where), "--build", given["build"], *python]
    finding = change.get("finding", str(CASE))
    options = ["--between", *given["ends"], "--out", str(tmp_path / "out")]
    assert main(["findings", "blame", finding, *arguments, *options]) == 2
    printed = capsys.readouterr()
    lines = printed.err.splitlines()
    assert message in lines[-1], lines
    assert len(lines) <= 3  # click says the usage first
    assert not (tmp_path / "out/checkout/built").exists()


@pytest.mark.usefixtures("by_title")
def test_a_folder_holds_one_search(repo, tmp_path, capsys):
    """The folder of another search, or a file that is none, is refused in one line."""
    assert blame(repo, tmp_path / "out") == 0
    capsys.readouterr()
    assert blame(repo, tmp_path / "out", build=f"{BUILD} ") == 2
    assert "holds a search with another build; name another --out" in capsys.readouterr().err
    (tmp_path / "out" / blaming.FILE).write_text("[]")
    assert blame(repo, tmp_path / "out") == 2
    assert "not the file of a search" in capsys.readouterr().err


@pytest.mark.heavy
def test_an_engine_with_an_adapter(tmp_path, capsys):
    """What a build installs into $COLCONF_PYTHON is the engine, not the one beside colconf."""
    pyorc = pytest.importorskip("pyorc")
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    broken = "import pyorc\n\ndef fail(*_, **__):\n    raise RuntimeError('planted')\n\n"
    broken += "pyorc.Reader.__init__ = fail\n"
    packages = str(Path(pyorc.__file__).parents[1])
    (folder / "install.py").write_text(
        "import pathlib, shutil, sysconfig\n"
        "site = pathlib.Path(sysconfig.get_path('purelib'))\n"
        "shutil.copy('change.py', site / 'colconf_change.py')\n"
        f"(site / 'change.pth').write_text({packages!r} + '\\nimport colconf_change\\n')\n"
    )
    for number, change in enumerate(("", "x = 1\n", broken)):
        (folder / "change.py").write_text(change)
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", str(number))
    case = next((CORPORA / "orc/byte-rle").rglob("*.json"))
    arguments = ["--engine", "pyorc", "--repo", str(folder), "--between", "main~2", "main", "--json"]
    build = [
        "--build",
        "$COLCONF_PYTHON install.py",
        "--python",
        sys.executable,
        "--out",
        str(tmp_path / "out"),
    ]
    assert main(["findings", "blame", str(case), *arguments, *build]) == 0, capsys.readouterr().err
    result = schemas.printed("findings blame", capsys.readouterr().out)
    assert result["first_bad"]["title"] == "2"
    assert (tmp_path / "out/environment/venv").is_dir()
