"""`colconf doctor` and `colconf engines`."""

import itertools
import json
from importlib.machinery import ModuleSpec

import pytest
from click.testing import CliRunner

from harness.children import java
from harness.commands import doctor as command
from harness.commands.doctor import doctor
from harness.commands.engines import engines
from harness.engines.registry import ENGINES
from harness.environments import abilities, availability
from harness.tests.pages import ROOT
from harness.tests.schemas import printed


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """Make a machine with nothing but Python and colconf."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.delenv("PARQUET_TEST_DATA", raising=False)
    monkeypatch.delenv("ORC_TEST_DATA", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(availability, "installed", lambda _: "")


def checks():
    """Return what the doctor says, by name, and whether a run can run."""
    result = CliRunner().invoke(doctor, ["--json"])
    told = printed("doctor", result.stdout)
    assert result.exit_code == (0 if told["can_run"] else 2)
    return {one["name"]: one for one in told["checks"]}, told["can_run"]


def test_packages_of_others(monkeypatch, tmp_path):
    """A distribution with a package of colconf's name is named, and so is a folder that hides one."""
    (tmp_path / "reports").mkdir()
    assert command._packages().mend == ""
    monkeypatch.setattr(command, "packages_distributions", lambda: {"properties": ["colconf", "properties"]})
    check = command._packages()
    assert check.text == "properties is also in properties"
    assert "uv tool install colconf" in check.mend
    monkeypatch.setattr(command, "packages_distributions", dict)
    spec = ModuleSpec("reports", None, is_package=True)
    spec.submodule_search_locations = [str(tmp_path / "reports")]
    monkeypatch.setattr(command, "find_spec", lambda name: spec if name == "reports" else None)
    assert command._packages().text == f"reports is {tmp_path / 'reports'}"


def test_a_bare_machine(bare):  # noqa: ARG001 - makes it bare
    """Everything that is missing has its mend; without any engine there is nothing to compare: status 2."""
    found, can_run = checks()
    assert not can_run
    assert "apt-get install openjdk-17-jre-headless" in found["Java"]["mend"]
    assert found["spark"]["mend"] == "pip install 'colconf[spark]'"
    assert found["engines"]["needed"]
    assert "git clone https://github.com/apache/parquet-testing" in found["PARQUET_TEST_DATA"]["mend"]
    assert found["ORC_TEST_DATA"]["mend"].endswith("set ORC_TEST_DATA to its folder examples")
    assert found["reference"]["ok"]


def test_without_java_the_rest_can_run(bare, monkeypatch):  # noqa: ARG001 - makes it bare
    """Engines but no Java: Spark is missing, with Java's mend, and a run can run."""
    monkeypatch.setattr(availability, "installed", lambda _: "1.0")
    found, can_run = checks()
    assert can_run
    assert found["pyarrow"]["ok"]
    assert found["spark"]["mend"] == java.MEND


def test_wrong_test_data(bare, monkeypatch, tmp_path):  # noqa: ARG001 - makes it bare
    """A variable that points elsewhere is missing, not ok."""
    monkeypatch.setenv("PARQUET_TEST_DATA", str(tmp_path))
    found, _ = checks()
    assert f"{tmp_path} is not a clone" in found["PARQUET_TEST_DATA"]["told"]


def test_for_people():
    """The same, a line each, and the mend below."""
    result = CliRunner().invoke(doctor)
    assert result.stdout.splitlines()[0].startswith("ok       Python")
    assert result.stdout.splitlines()[-1].startswith("colconf run can")


def test_engines_are_listed(monkeypatch, tmp_path):
    """Every engine of the registry, with its switches and whether it is here."""
    monkeypatch.setenv("COLCONF_CACHE", str(tmp_path))  # other versions make the table too wide
    told = printed("engines", CliRunner().invoke(engines, ["--json"]).stdout)
    assert [one["engine"] for one in told] == list(ENGINES)
    assert told[0]["available"]
    assert ["on", "off"] in [one["switches"].get("vectorized") for one in told]
    assert "vectorized=on|off" in CliRunner().invoke(engines).stdout


def test_the_page_lists_what_engines_can_be_asked():
    """The table of docs/engines.md has lineages and abilities of each engine, as doctor prints them."""
    expected = "\n".join(
        f"| `{status.entry.name}` | {abilities.lineages(status.entry)} | {abilities.of(status)} |"
        for status in map(availability.Status, ENGINES.values(), itertools.repeat(""))
    )
    assert expected in (ROOT / "docs/engines.md").read_text("utf-8"), expected


def test_doctor_and_list_say_what_engines_can_be_asked(monkeypatch):
    """An engine's line has its version, its lineage and its kinds of queries; so has the list as JSON."""
    monkeypatch.setattr(availability, "installed", lambda _: "1.0")
    found, _ = checks()
    assert found["pyarrow"]["told"].startswith("1.0: parquet by arrow-cpp; asked: filter, project, row_group")
    assert found["reference"]["told"].endswith("; folders; keys")
    listed = {one["engine"]: one for one in json.loads(CliRunner().invoke(engines, ["--json"]).stdout)}
    assert listed["spark"]["lineage"] == {"parquet": "parquet-java", "orc": "orc-java"}
    assert listed["duckdb"]["abilities"]["writes"]
