"""A run on a real cluster: a master and two workers of Spark's own on this machine, ended by their ids."""

import os
import re
import subprocess
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from harness.engines.registry import ENGINES
from harness.environments import availability
from harness.judging.results import load_run
from harness.runs.pipeline.errors import PipelineError
from harness.runs.pipeline.storage import SHARED, Mirrored, work
from harness.tests.test_resume_killed import cli, digest

pytest.importorskip("hypothesis")
ASKED = ("--generate", "12", "--seed", "5", "--engine", "reference", "--engine", "pyarrow:pushdown=on")
CLASSES = "org.apache.spark.deploy."
START_SECONDS = 60


@contextmanager
def daemon(log, cls, *arguments):
    """Run a part of a standalone cluster; yield its log. It is ended by its own process id."""
    found = availability.java.find()
    from pyspark import find_spark_home

    home = find_spark_home._find_spark_home()
    jars = Path(home, "jars")
    (scala,) = (jar.name.split("_")[1].split("-")[0] for jar in jars.glob("spark-core_*.jar"))
    spark = {"SPARK_HOME": home, "SPARK_SCALA_VERSION": scala, "SPARK_LOCAL_IP": "127.0.0.1"}
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK", "PYSPARK"))}
    line = [found.path, "-Xmx256m", "-XX:+UseSerialGC", "-cp", f"{jars}/*", CLASSES + cls]
    with log.open("wb") as out:
        child = subprocess.Popen(
            [*line, "--host", "127.0.0.1", "--port", "0", "--webui-port", "0", *arguments],
            stdout=out,
            stderr=subprocess.STDOUT,
            cwd=log.parent,
            env={**kept, **spark},
        )
    try:
        yield log
    finally:
        child.terminate()
        child.wait(30)


def said(log, pattern):
    """Wait until a log says something; answer its first group."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if found := re.search(pattern, log.read_text(errors="replace")):
            return found[1]
        time.sleep(0.1)
    raise AssertionError(log.read_text(errors="replace")[-2000:])


@pytest.fixture
def cluster(tmp_path):
    """Start a master and two workers of one core; answer the master's URL."""
    found = availability.status(ENGINES["spark"])
    if not found.available:
        pytest.skip(found.reason)
    with ExitStack() as stack:
        master = stack.enter_context(daemon(tmp_path / "master.log", "master.Master"))
        url = said(master, r"Starting Spark master at (spark://\S+)")
        workers = []
        for number in range(2):
            folder = str(tmp_path / f"worker-{number}")
            size = ("--cores", "1", "--memory", "1g", "--work-dir", folder)
            log = tmp_path / f"worker-{number}.log"
            workers.append(stack.enter_context(daemon(log, "worker.Worker", *size, url)))
        for worker in workers:
            said(worker, r"(Successfully registered with master)")
        yield url


def ran(out, *arguments):
    """Run the command in a process of its own; answer what it said."""
    driver = cli(*ASKED, "--out", out, *arguments)
    _, told = driver.communicate(timeout=150)
    assert driver.returncode in (0, 1), told
    return told


@pytest.mark.heavy
@pytest.mark.spark
def test_on_a_cluster_as_in_threads(tmp_path, cluster, monkeypatch):
    """Two executors that share a work folder with the driver give the results of local threads."""
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--conf spark.executor.memory=512m pyspark-shell")
    told = ran(tmp_path / "cluster", "--master", cluster, "--workdir", tmp_path / "work")
    assert f"on Spark {cluster}" in told
    ran(tmp_path / "threads", "--no-spark")
    (folder,) = (tmp_path / "work").iterdir()
    assert [path.name for path in folder.iterdir()] == ["generated"]
    assert digest(tmp_path / "cluster", folder) == digest(tmp_path / "threads")
    ran_on = load_run(tmp_path / "cluster").pipeline
    assert ran_on == (cluster, str(tmp_path / "work"))
    ran(tmp_path / "cluster", "--no-spark", "--overwrite")
    assert not list((tmp_path / "work").iterdir())
    executors = [log.read_text() for log in sorted(tmp_path.glob("worker-*/*/*/stderr"))]
    assert len(executors) == 2
    assert all("Finished task" in log for log in executors)


def test_where_a_run_works(tmp_path):
    """A path and a file URL are shared; object stores and HDFS are mirrored; anything else is one line."""
    assert work(tmp_path, None, "1") == (tmp_path, SHARED)
    assert work(tmp_path, "/shared", "1") == (Path("/shared/colconf-1"), SHARED)
    assert work(tmp_path, "file:///shared", "1") == (Path("/shared/colconf-1"), SHARED)
    folder, storage = work(tmp_path, "s3a://bucket/x/", "1")
    assert storage.url == "s3://bucket/x/colconf-1"
    assert storage.root == folder
    with pytest.raises(PipelineError, match="--workdir dbfs:/x: dbfs is none of the supported file systems"):
        work(tmp_path, "dbfs:/x", "1")
    with pytest.raises(PipelineError, match="give --workdir on a file system that all machines see"):
        SHARED.open(tmp_path / "nowhere")


def test_a_mirror_of_folders(tmp_path):
    """A folder that one machine publishes another fetches with all files in it, whole or not at all."""
    far = (tmp_path / "far").as_uri()
    here, there = (Mirrored(tmp_path / name, far) for name in ("here", "there"))
    made, wanted = (one.root / "generated" / "files" for one in (here, there))
    names = ("a", "city=x%2Fy/b")
    for name in names:
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_text(name)
    assert not there.fetch(wanted)
    here.publish(made)
    assert there.fetch(wanted)
    assert [(wanted / name).read_text() for name in names] == list(names)
    assert [path.name for path in wanted.parent.iterdir()] == ["files"]
    there.remove(wanted)
    assert not here.fetch(wanted)
    assert here.fetch(made)


def test_a_folder_without_files_is_mirrored(tmp_path):
    """A folder that has no files, or had others before, is fetched as it was published last."""
    here, there = (Mirrored(tmp_path / name, (tmp_path / "far").as_uri()) for name in ("here", "there"))
    folder, wanted = (one.root / "written" / "0" for one in (here, there))
    folder.mkdir(parents=True)
    (folder / "a").write_text("of a writer that was killed")
    here.publish(folder)
    here.remove(folder)
    folder.mkdir(parents=True)
    here.publish(folder)
    assert there.fetch(wanted)
    assert wanted.is_dir()
    assert list(wanted.iterdir()) == []


def test_a_mirror(tmp_path):
    """What one machine publishes another fetches, whole; what is removed is gone from both."""
    far = (tmp_path / "far").as_uri()
    here, there = (Mirrored(tmp_path / name, far) for name in ("here", "there"))
    for one in (here, there):
        one.open(one.root)
    made, wanted = (one.root / "parts" / "a.ndjson" for one in (here, there))
    assert not there.fetch(wanted)
    made.parent.mkdir()
    made.write_text("x")
    here.publish(made)
    assert there.fetch(wanted)
    assert wanted.read_text() == "x"
    assert [path.name for path in (tmp_path / "far" / "parts").iterdir()] == ["a.ndjson"]
    made.unlink()
    with pytest.raises(FileNotFoundError):
        here.publish(made)
    made.write_text("y")
    (tmp_path / "far" / "parts" / "a.ndjson").unlink()
    (tmp_path / "far" / "parts" / "a.ndjson").mkdir()
    with pytest.raises(OSError, match=r"a\.ndjson"):
        here.publish(made)
    assert [path.name for path in (tmp_path / "far" / "parts").iterdir()] == ["a.ndjson"]
    (tmp_path / "far" / "parts" / "a.ndjson").rmdir()
    outside = tmp_path / "elsewhere"
    assert not there.fetch(outside)
    there.remove(there.root / "parts")
    assert not there.fetch(wanted)
    with pytest.raises(PipelineError, match="nonsense://x: "):
        Mirrored(tmp_path, "nonsense://x").open(tmp_path)
