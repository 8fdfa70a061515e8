"""The same pipeline on Spark: results as in threads, and nothing of it reaches an engine under test."""

import errno
import gc
import json
import os
from types import SimpleNamespace

import psutil
import pytest

from harness.children import ongoing
from harness.children.variables import without_spark
from harness.engines.registry import ENGINES
from harness.environments import availability
from harness.runs.pipeline import spark
from harness.runs.pipeline.errors import PipelineError
from harness.runs.pipeline.spark import SparkRunner
from harness.tests.conftest import QUICK_JAVA
from harness.tests.pipelines import comparable, files, go, ours, process

NAMES = ["a", "b", "bad", "c"]


def test_variables_of_a_spark_are_taken_away():
    """What configures some Spark goes, what says where files and addresses are stays."""
    given = {"SPARK_HOME": "/x", "PYSPARK_PYTHON": "p", "SPARK_LOCAL_IP": "::1", "JAVA_HOME": "/j"}
    assert without_spark(given.items()) == {"SPARK_LOCAL_IP": "::1", "JAVA_HOME": "/j"}


@pytest.mark.spark
def test_on_spark_as_in_threads(tmp_path, monkeypatch):
    """Crashes, sheets that are split, second looks: rows are the same on either runner."""
    found = availability.status(ENGINES["spark"])
    if not found.available:
        pytest.skip(found.reason)
    monkeypatch.setenv("JDK_JAVA_OPTIONS", QUICK_JAVA)
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--master nonsense pyspark-shell")
    monkeypatch.setenv("SPARK_HOME", "/nowhere")
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    imported = files(tmp_path / "in", NAMES, together=True)
    tells = process("TellsEnvironment", module="harness.tests.run_fakes")
    engines = (process("Segfaults", heavy=True), ours("NotTogether", heavy=True), ours("JsonFile"), tells)
    collected = []
    monkeypatch.setattr(ongoing, "collect", collected.append)
    on_spark = go(tmp_path / "spark" / "out", imported, *engines, master="local[2]")
    assert collected  # what its workers are at work on
    told = json.loads((tmp_path / "environment").read_text())
    go(tmp_path / "threads" / "out", imported, *engines)
    assert comparable(tmp_path / "spark" / "out") == comparable(tmp_path / "threads" / "out")
    assert [row.verdict for row in on_spark.rows if row.engine == "segfaults"] == [
        "agree",
        "agree",
        "crashed",
        "agree",
    ]
    strange = [
        name for name in told["variables"] if name.startswith(("SPARK", "PYSPARK", "_PYSPARK", "PYTHON_"))
    ]
    assert strange == []
    assert "OMP_NUM_THREADS" not in told["variables"]
    assert "pyspark" not in told["path"]
    assert os.environ["SPARK_HOME"] == "/nowhere"
    assert not (tmp_path / "spark" / "out" / "spark.log").exists()


@pytest.mark.heavy
@pytest.mark.spark
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a pipe PySpark leaves open
def test_a_master_that_is_none(tmp_path, monkeypatch):
    """A Spark that cannot start is one line, which names its log."""
    reason = availability.status(ENGINES["spark"])
    if not reason.available:
        pytest.skip(reason.reason)
    monkeypatch.setenv("JDK_JAVA_OPTIONS", QUICK_JAVA)
    imported = files(tmp_path / "in", NAMES[:1])
    with pytest.raises(PipelineError, match=r"Spark nonsense does not start: .*spark\.log"):
        go(tmp_path / "out", imported, ours("JsonFile"), master="nonsense")
    gc.collect()


@pytest.mark.heavy
@pytest.mark.spark
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # its sockets
def test_a_jvm_that_is_killed(tmp_path, monkeypatch, capfd):
    """PySpark prints no traceback: the error of the run says that its Spark is gone."""
    found = availability.status(ENGINES["spark"])
    if not found.available:
        pytest.skip(found.reason)
    monkeypatch.setenv("JDK_JAVA_OPTIONS", QUICK_JAVA)
    runner = SparkRunner("local[1]", tmp_path / "spark.log", tmp_path)
    context = runner.session.sparkContext
    runner.session.range(2).mapInArrow(lambda batches: batches, "id long").collect()
    jvm = psutil.Process(context._gateway.proc.pid)  # other tests may have left children, too
    jvm.kill()
    jvm.wait(10)
    context._accumulatorServer.server_close()
    runner.close()
    assert "Traceback" not in capfd.readouterr().err
    gc.collect()


def test_a_lost_jvm_is_named(tmp_path, monkeypatch):
    """A JVM that ends between two stages is named, and not only its connection."""

    class Lost:
        @property
        def defaultParallelism(self):  # noqa: N802 - PySpark's name
            raise ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused")

    monkeypatch.setattr(spark, "_session", lambda *_: SimpleNamespace(sparkContext=Lost()))
    runner = spark.SparkRunner("local[1]", tmp_path / "spark.log", tmp_path)
    with pytest.raises(PipelineError, match=r"^Spark local\[1\]: .*Connection refused.*spark\.log"):
        _ = runner.cores


@pytest.mark.parametrize(
    ("master", "expected"),
    [
        ("local[*]", "local[6,4]"),
        ("local[2]", "local[2,4]"),
        ("local", "local[1,4]"),
        ("spark://host:7077", "spark://host:7077"),
    ],
)
def test_all_cores_have_more_tasks_than_cores(monkeypatch, master, expected):
    """An embedded Spark with all cores does half as many tasks more at a time; a given number is kept."""
    monkeypatch.setattr(spark.processes, "cores", lambda: 4)
    assert spark._patient(master) == expected


@pytest.mark.parametrize(("master", "cores"), [("local[*]", 4), ("local[2]", 2), ("spark://host:7077", 6)])
def test_tasks_are_planned_for_cores(tmp_path, monkeypatch, master, cores):
    """Work is divided for the cores of this machine, and for what a cluster says that it has."""
    tasks = 2 if master == "local[2]" else 6
    session = SimpleNamespace(sparkContext=SimpleNamespace(defaultParallelism=tasks))
    monkeypatch.setattr(spark, "_session", lambda *_: session)
    monkeypatch.setattr(spark.processes, "cores", lambda: 4)
    assert spark.SparkRunner(master, tmp_path / "spark.log", tmp_path).cores == cores
