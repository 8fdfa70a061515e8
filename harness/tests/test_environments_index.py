"""Versions from a real index: they skip, saying so, where there is none, or no Python that fits.

They install into the cache that the user has, or into `COLCONF_CACHE`: what is there is taken.
"""

from __future__ import annotations

import pytest

from corpora.tagged import STRING, Table, integer
from harness.children.connection import Connection
from harness.children.outcomes import OutcomeKind
from harness.engines.naming import parse
from harness.engines.registry import ENGINES
from harness.environments import pythons
from harness.environments.availability import status_of
from harness.environments.install import install, released
from harness.environments.problem import EnvironmentProblem

TABLE = Table.of([("a", integer(32)), ("b", STRING)], [["1", None, "3"], ["x", "é", None]])


@pytest.fixture(scope="module")
def index():
    """Skip where no index answers."""
    try:
        return released("pyorc", "0.9.0")
    except EnvironmentProblem as error:
        pytest.skip(f"no package index: {error}")


def there(name, newest):
    """Skip where no Python fits, else answer how the installed version is started."""
    if not any(one.path and one.minor <= newest for one in pythons.candidates()):
        pytest.skip(f"{name}: no Python up to {newest} is here")
    engine = parse(name)
    install(engine.entry, engine.version)
    return status_of(engine).launch


@pytest.mark.heavy
def test_a_release(index):
    """The index tells the version, its wheels, and when it was there."""
    assert (index.version, index.has_wheels, index.before[:7]) == ("0.9.0", True, "2023-11")
    assert not released("pyspark", "3.5.3").has_wheels
    with pytest.raises(EnvironmentProblem, match=r"the nearest are pyarrow 14\.0\.2 and pyarrow 15\.0\.0"):
        released("pyarrow", "14.0.3")


@pytest.mark.heavy
@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("name", "format_", "newest"),
    [
        ("pyorc@0.9.0", "orc", (3, 12)),
        pytest.param("pyarrow@14.0.2", "parquet", (3, 12), marks=pytest.mark.heavy),
        ("pyarrow@8.0.0", "parquet", (3, 10)),
    ],
)
def test_an_old_version_reads_and_writes(index, tmp_path, name, format_, newest):  # noqa: ARG001 - is there
    """An old release describes itself as that version, and reads the table that it wrote."""
    launch = there(name, newest)
    with Connection(launch.command, env=launch.environment()) as connection:
        assert connection.describe()["version"] == name.partition("@")[2]
        file = tmp_path / f"x.{format_}"
        assert connection.write(file, format_, {}, TABLE, {"codec": "ZSTD"}).kind is OutcomeKind.TABLE
        outcome = connection.read(file, format_, {})
    assert outcome.kind is OutcomeKind.TABLE, outcome
    assert [outcome.table.column(at) for at in range(2)] == [TABLE.column(at) for at in range(2)]


@pytest.mark.heavy
@pytest.mark.spark
def test_an_old_spark(index, tmp_path):  # noqa: ARG001 - is there
    """Spark 3.5 runs beside the one that is installed, on a Java that suits it, if it is in the cache."""
    status = status_of(parse("spark@3.5.9"))
    if not status.available:
        pytest.skip(f"spark@3.5.9: {status.reason}; {status.mend}")
    with Connection(status.launch.command, env=status.launch.environment()) as connection:
        described = connection.describe()
        assert described["version"] == "3.5.9"
        assert described["runtime"].startswith(("Java 1.8", "Java 11", "Java 17"))
        assert connection.write(tmp_path / "x.parquet", "parquet", {}, TABLE, {}).kind is OutcomeKind.TABLE
        outcome = connection.read(tmp_path / "x.parquet", "parquet", {})
    assert outcome.table.column(1) == TABLE.column(1)
    assert ENGINES["spark"].needs_java
