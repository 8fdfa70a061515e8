"""Environments of other versions: made whole or not at all, isolated, found, removed; without a network."""

from __future__ import annotations

import datetime as dt
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness import cli
from harness.children.connection import Connection
from harness.children.launch import Launch
from harness.children.outcomes import OutcomeKind
from harness.engines.naming import parse
from harness.engines.registry import ENGINES
from harness.environments import carried, hints, prune, pythons, store, uv
from harness.environments.availability import status_of
from harness.environments.install import install
from harness.environments.problem import EnvironmentProblem
from harness.runs.pipeline.selection import SelectionError, select
from harness.tests.environments import PLAIN, TWIN, set_up
from harness.tests.events import wait_for
from harness.tests.schemas import printed

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def log(monkeypatch, tmp_path):
    """Make a machine with a fake uv and an empty cache."""
    return set_up(monkeypatch, tmp_path)


@pytest.fixture
def made(log):  # noqa: ARG001 - makes uv a fake
    """Install plain@1.0."""
    return install(PLAIN, "1.0").environment


def asked(*arguments):
    """Return status, output and errors of a command."""
    result = CliRunner().invoke(cli.colconf, arguments)
    message = result.exception.format_message() if hasattr(result.exception, "format_message") else ""
    return result.exit_code, result.stdout, result.stderr + message


def test_an_environment_says_what_is_in_it(made):
    """Version, Python, exact packages and the date that bounds them are written down, and read again."""
    told = json.loads((made.folder / "environment.json").read_text())
    assert (told["name"], told["version"], told["package"]) == ("plain", "1.0", "plain")
    assert told["python"] == ".".join(map(str, sys.version_info[:3]))
    assert told["packages"] == {"plain": "1.0"}
    assert told["before"] == "2024-01-16T03:04:05Z"
    assert told["size"] > 0
    assert store.find(PLAIN, "1.0") == made
    assert made.folder == store.cache() / "environments" / "plain@1.0"


@pytest.mark.heavy
def test_installed_once(log, made):
    """What is there is not made again, whatever its version is written like, unless that is asked for."""
    before = log.read_text()
    assert install(PLAIN, "1.0") == type(install(PLAIN, "1.0"))(made, new=False)
    assert not install(PLAIN, "1.0.0").new
    assert log.read_text() == before
    assert install(PLAIN, "1.0", force=True).new
    assert not list(store.root().glob(".[mg]*"))


def test_engines_of_one_package_share(made):
    """An engine of the same package is found in the same environment."""
    assert store.find(TWIN, "1.0") == made
    assert store.home(TWIN) is PLAIN
    with pytest.raises(EnvironmentProblem, match="part of colconf"):
        store.home(ENGINES["reference"])


def test_no_such_version(log):  # noqa: ARG001 - makes uv a fake
    """The nearest versions are named."""
    with pytest.raises(EnvironmentProblem, match=r"no plain 1\.2; the nearest are plain 1\.0 and plain 1\.5"):
        install(PLAIN, "1.2")
    assert not list(store.root().glob("*@*"))


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("version", "said"), [("1.5", "says that it is version 9.9"), ("2.0", "RuntimeError: out of order")]
)
def test_the_proof(log, version, said):  # noqa: ARG001 - makes uv a fake
    """What does not start, or is another version, is not installed, and leaves nothing."""
    with pytest.raises(EnvironmentProblem, match=said):
        install(PLAIN, version)
    assert [one.name for one in store.root().iterdir()] == [".locks"]


def test_isolated(made, monkeypatch, tmp_path):
    """The child sees neither our packages nor our PYTHONPATH, nor what configures a Spark or a Python."""
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours" / "plain.py").write_text("VERSION = 'of the parent'")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "ours"))
    for name in ("SPARK_HOME", "PYSPARK_PYTHON", "SPARK_CONF_DIR", "PYTHONHOME", "HADOOP_CONF_DIR"):
        monkeypatch.setenv(name, "/nowhere")
    launch = status_of(parse("plain@1.0")).launch
    with Connection(launch.command, env=launch.environment()) as connection:
        outcome = connection.read("f", "parquet", {})
    assert outcome.kind is OutcomeKind.TABLE, outcome
    version, prefix, path, variables, programs = outcome.table.column(0)
    assert (version, prefix) == ("1.0", str(made.folder / "venv"))
    assert str(ROOT) not in path.replace(str(store.cache()), "")
    assert str(tmp_path / "ours") not in path
    assert not {"PYTHONPATH", "SPARK_HOME", "PYSPARK_PYTHON", "SPARK_CONF_DIR"} & set(eval(variables))
    assert "HADOOP_CONF_DIR" not in variables
    assert programs.startswith(str(made.interpreter.parent))


def test_none_of_our_packages(made):
    """A package of ours, pytest, cannot be imported there; the worker can."""
    folder = carried.carried(store.cache())
    code = f"import sys; sys.path.insert(0, {str(folder)!r}); import harness.children.worker; import pytest"
    said = subprocess.run([made.interpreter, "-I", "-c", code], capture_output=True, text=True, check=False)
    assert "No module named 'pytest'" in said.stderr


def test_what_is_carried():
    """A child gets what runs in children, and neither the reference nor anything of the parent's side."""
    files = carried.files()
    assert {
        "__main__.py",
        "harness/children/worker.py",
        "harness/engines/spark/adapter.py",
        "corpora/tagged.py",
    } <= set(files)
    assert not [name for name in files if "reference" in name or "connection" in name or "tests" in name]


def test_programs_of_their_own_are_not_carried():
    """Neither skeletons nor foreign engines, nor what is installed for them, stand in a worker's folder."""
    folders = {name.split("/")[2] for name in carried.files() if name.startswith("harness/engines/")}
    assert {"spark", "jvm"} <= folders
    assert not {"skeletons", "foreign"} & folders


def test_carried_is_of_its_content(tmp_path, monkeypatch):
    """Another content is another folder; the same is made once."""
    first = carried.carried(tmp_path)
    assert carried.carried(tmp_path) == first
    content = {**carried.files(), "harness/version.py": b"__version__ = '?'\n"}
    monkeypatch.setattr(carried, "files", lambda: content)
    assert carried.carried(tmp_path) != first
    assert len(list((tmp_path / "workers").iterdir())) == 2


def test_python_3_9_reads_what_is_carried():
    """Everything in the folder is Python 3.9: a parser of that grammar takes it."""
    import ast

    for name, data in carried.files().items():
        if name.endswith(".java"):  # compiled where it runs
            continue
        ast.parse(data, name, feature_version=(3, 9))


def _installer(tmp_path, *, hangs):
    code = (
        "from harness.engines.registry import ENGINES; from harness.tests.environments import PLAIN;"
        "ENGINES['plain'] = PLAIN; from harness.environments.install import install;"
        "print(install(PLAIN, '1.0').new)"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    if hangs:
        env["PLAIN_HANGS"] = str(tmp_path / "hangs")
    return subprocess.Popen([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, text=True)


def _hanging(tmp_path):
    hangs = tmp_path / "hangs"
    wait_for(lambda: hangs.exists() and hangs.read_text())
    return int(hangs.read_text())


@pytest.mark.heavy
def test_killed_in_the_middle(log, tmp_path):  # noqa: ARG001 - makes uv a fake
    """A killed install leaves no environment; the next is not kept by its lock, and clears what it left."""
    with _installer(tmp_path, hangs=True) as first:
        child = _hanging(tmp_path)
        first.kill()
        os.kill(child, signal.SIGKILL)
    assert store.environments() == []
    assert list(store.root().glob(".making-plain@1.0-*"))
    assert install(PLAIN, "1.0").new
    assert not list(store.root().glob(".making-*"))


@pytest.mark.heavy
def test_two_at_once(log, tmp_path):
    """Of two installs of the same, one makes it, and the other waits and takes it."""
    both = [_installer(tmp_path, hangs=False) for _ in range(2)]
    assert sorted(one.communicate(timeout=300)[0].strip() for one in both) == ["False", "True"]
    assert log.read_text().count("pip install") == 1


def test_named_in_a_run(made):  # noqa: ARG001 - is there
    """Versions of one engine are processes of their own, each with its own switches and Python."""
    chosen = select(["plain@1.0:pushdown=off", "plain@1.0"], ["parquet"], every_switch=False)
    first, *rest = chosen.processes
    assert (first.key, first.label, first.apart) == ("plain@1.0", "plain@1.0", True)
    assert [config.text for config in first.configs] == ["pushdown=off", ""]
    assert [one.name for one in rest] == ["reference"]
    assert rest[0].label == "reference"
    assert chosen.labels() == ["plain@1.0:pushdown=off", "plain@1.0"]


def test_what_is_not_installed_is_one_line(log):  # noqa: ARG001 - makes uv a fake
    """The line names the command that installs it."""
    with pytest.raises(SelectionError, match=r"plain@1\.5 .*; run `colconf engines install plain@1\.5`$"):
        select(["plain@1.5"], ["parquet"], every_switch=False)


@pytest.mark.heavy
def test_a_broken_environment(made):
    """One whose Python is gone says so, is made anew, and is pruned."""
    made.interpreter.unlink()
    found = status_of(parse("plain@1.0"))
    assert "is gone" in found.reason
    assert found.mend == "run `colconf engines install plain@1.0`"
    ((one, why),) = prune.useless(store.environments(), dt.timedelta(days=1))
    assert (one.key, "is gone" in why) == ("plain@1.0", True)
    assert install(PLAIN, "1.0").new


@pytest.mark.sweep(20)
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it is empty"),
        ("\0\0\0", "it is empty"),
        ("{", "line 1 column 2"),
        ("[]", "another format"),
        ('{"format": 1}', "lacks name, package, python, version"),
        ("[" * 100_000, "nested too deeply"),
        ("WRONG size", "its size is 'x'"),
        ("WRONG packages", "its packages is 'x'"),
        ("WRONG version", "is that of plain@x"),
        ("WRONG colour", "unknown fields"),
    ],
)
def test_a_damaged_environment_is_broken(made, text, why):
    """A description that is not as it was written is one line, which names it and how to mend it."""
    file = made.folder / "environment.json"
    if text.startswith("WRONG"):
        text = json.dumps({**json.loads(file.read_text()), text.split()[1]: "x"})
    file.write_text(text)
    assert why in store.find(PLAIN, "1.0").broken
    status = status_of(parse("plain@1.0"))
    assert "environment.json" in status.reason
    assert "\n" not in status.reason
    assert status.mend == "run `colconf engines install plain@1.0`"
    assert install(PLAIN, "1.0").new
    assert not store.find(PLAIN, "1.0").broken
    assert [one.key for one in store.environments()] == ["plain@1.0"]


@pytest.mark.heavy
def test_pruned_when_unused(made):
    """What was not used for long goes, and what was used yesterday stays."""
    for name, days in (("environment.json", 40), ("used", 20)):
        (made.folder / name).touch()
        then = time.time() - days * 86_400
        os.utime(made.folder / name, (then, then))
    (found,) = store.environments()
    assert prune.useless([found], dt.timedelta(days=30)) == []
    ((_, why),) = prune.useless([found], dt.timedelta(days=10))
    assert why.startswith("not used since")
    status_of(parse("plain@1.0"))
    assert prune.useless([found], dt.timedelta(days=10)) == []


@pytest.mark.heavy
def test_the_command(log):  # noqa: ARG001 - makes uv a fake
    """Install, again, list, remove, prune: what each says."""
    status, _, said = asked("engines", "install", "plain@1.0")
    assert (status, "plain@1.0: installed in" in said) == (0, True)
    status, _, said = asked("engines", "install", "plain@1.0")
    assert (status, "already installed" in said) == (0, True)
    (again,) = printed("engines install", asked("engines", "install", "plain@1.0", "--json")[1])
    assert (again["version"], again["new"]) == ("1.0", False)
    for name, arguments in (
        ("engines", ("engines", "--json")),
        ("engines list", ("engines", "list", "--json")),
    ):
        told = {one["engine"]: one for one in printed(name, asked(*arguments)[1])}
        assert [one["version"] for one in told["plain"]["installed"]] == ["1.0"]
        assert told["reference"]["installed"] == []
    assert "plain@1.0" in asked("engines")[1]
    status, told, _ = asked("engines", "remove", "plain@1.0")
    assert (status, "removed plain@1.0" in told, "freed" in told) == (0, True, True)
    assert store.environments() == []
    assert "0 MiB freed" in asked("engines", "prune")[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["install", "plain@7"], "there is no plain 7; the nearest are plain 2.0"),
        (["install", "plain"], "a version is required: plain@VERSION"),
        (["install", "plain@1.0:pushdown=on"], "switches are not allowed here; write plain@1.0"),
        (["install", "reference@1"], "has no other versions"),
        (["install", "plain@1.0", "--python", "/no/python"], "neither a version such as 3.11 nor a Python"),
        (["remove", "plain@1.0"], "plain@1.0 is not installed; installed: none"),
    ],
)
def test_mistakes_are_one_line(log, arguments, said):  # noqa: ARG001 - makes uv a fake
    """A mistake is one line with its mend."""
    status, _, told = asked("engines", *arguments)
    assert status != 0
    assert said in told
    assert "\n" not in told.strip().splitlines()[-1]


def test_without_uv(monkeypatch, tmp_path):
    """Without uv, the mend is said."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("COLCONF_CACHE", str(tmp_path))
    monkeypatch.setattr(uv, "_packaged", lambda: None)
    with pytest.raises(EnvironmentProblem, match="pip install uv"):
        install(ENGINES["pyorc"], "0.9.0")


def test_pip_s_configuration(monkeypatch, tmp_path):
    """What pip was told, uv is told; what uv itself was told goes before."""
    said = "global.index-url='https://a/simple'\n:env:.extra-index-url='https://b https://c'\nglobal.x='1'\n"
    monkeypatch.setattr(uv, "pip_configuration", lambda: uv._parsed(said))
    bare = {"XDG_CONFIG_HOME": str(tmp_path), "XDG_CONFIG_DIRS": str(tmp_path)}
    env = uv.environment(bare)
    assert env["UV_DEFAULT_INDEX"] == "https://a/simple"
    assert env["UV_INDEX"] == "https://b https://c"
    assert env["UV_INDEX_STRATEGY"] == "unsafe-best-match"
    assert uv.environment({**bare, "UV_INDEX_URL": "https://mine"}).keys().isdisjoint({"UV_DEFAULT_INDEX"})
    (tmp_path / "uv").mkdir()
    (tmp_path / "uv" / "uv.toml").write_text("")
    assert "UV_INDEX" not in uv.environment(bare)


def test_pythons_from_new_to_old(monkeypatch):
    """Those that are here come first, newest first; others are for uv to download."""
    here = [pythons.Python((3, minor, 1), path) for minor, path in ((10, "/a"), (12, "/b"), (8, "/c"))]
    monkeypatch.setattr(pythons, "_known_to_uv", lambda: iter(here))
    monkeypatch.setattr(pythons, "_of_pyenv", lambda: iter(()))
    monkeypatch.setattr(pythons, "_ours", lambda: pythons.Python((3, 11, 0), "/o"))
    found = pythons.candidates()
    assert [one.path for one in found[:3]] == ["/b", "/o", "/a"]
    assert [one.text for one in found[3:]] == ["3.14", "3.13", "3.9"]
    assert pythons.requested("3.10").path == "/a"
    assert pythons.requested("3.13") == pythons.Python((3, 13), "")


def test_hints_have_their_source():
    """Each hint of Spark covers its versions and says where it is from."""
    assert hints.hint("pyspark", "3.2.4").newest_python == (3, 9)
    assert hints.hint("pyspark", "3.5.9").newest_python == (3, 11)
    assert hints.hint("pyspark", "4.0.0").newest_python == (3, 13)
    assert hints.hint("pyarrow", "14.0.2").newest_python is None
    assert all(one.url.startswith("https://spark.apache.org/docs/") for one in ENGINES["spark"].hints)


def test_beside_colconf_keeps_the_path():
    """The version beside colconf sees its modules and our PYTHONPATH, and no configuration of a Spark."""
    env = Launch(("python",)).environment({"PYTHONPATH": "/x", "SPARK_HOME": "/s", "JAVA_HOME": "/j"})
    assert env == {"PYTHONPATH": os.pathsep.join([str(ROOT), "/x"]), "JAVA_HOME": "/j"}
