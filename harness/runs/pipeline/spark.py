"""Runs tasks on Spark, one task a partition, with `mapInArrow`; embedded (`local[*]`) by default.

This Spark shares nothing with a Spark under test: it is this process and its JVM, the other is a child of an
engine's connection with an environment that names no Spark (`harness/children/variables.py`).
"""

from __future__ import annotations

import logging
import os
import pickle
import re
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from harness.children import ongoing, processes
from harness.children.garbage import collect_seldom
from harness.children.variables import without_spark
from harness.runs.pipeline.context import ROOT, Context
from harness.runs.pipeline.errors import PipelineError, explained
from harness.runs.pipeline.plan import Task
from harness.runs.pipeline.stages import perform

_TICK_SECONDS = 0.2
_ANSWER = "error string"
_EXECUTOR_SECONDS = 60
_ATTEMPTS = 4  # at a task whose worker is lost; errors in a task are returned by it
# An embedded Spark runs a handful of tasks: its cost is the start, and the compilation of code that runs
# once.
_JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


class SparkRunner:
    """A Spark session of our own. Its log is the file `log`; its scratch files are below `tmp`."""

    def __init__(self, master: str, log: Path, tmp: Path) -> None:
        """Start it; raises PipelineError."""
        self.name = f"Spark {master}"
        self._is_local = master.startswith("local")
        self._log = log
        try:
            self._spark = _session(master, log, tmp)
        except Exception as error:  # whatever stops a JVM or a cluster
            raise PipelineError(f"Spark {master} does not start: {explained(error)}; see {log}") from error

    @property
    def session(self) -> Any:
        """Return the session, for queries."""
        return self._spark

    @property
    def cores(self) -> int:
        """The number of cores for tasks; raises PipelineError if the JVM is gone."""
        try:
            tasks = int(self._spark.sparkContext.defaultParallelism)
            return min(tasks, processes.cores()) if self._is_local else tasks
        except Exception as error:
            raise PipelineError(f"{self.name}: {explained(error)}; see {self._log}") from error

    def run(self, context: Context, tasks: Iterable[Task], tick: Callable[[int], None]) -> None:
        """Do the tasks, calling `tick` with the units done since; raises PipelineError."""
        todo = tuple(tasks)
        if not todo:
            return
        progress = context.parts / ".progress"
        progress.write_bytes(b"")
        failures: list[str] = []
        job = threading.Thread(target=self._job, args=(context, todo, progress, failures), daemon=True)
        job.start()
        seen = 0
        try:
            while job.is_alive():
                job.join(_TICK_SECONDS)
                now = progress.stat().st_size
                tick(now - seen)
                seen = now
                ongoing.collect(context.parts)
            tick(0)
        except BaseException:
            with suppress(Exception):
                self._spark.sparkContext.cancelAllJobs()
            raise
        finally:
            ongoing.forget()
        if failures:
            raise PipelineError(failures[0])

    def close(self) -> None:
        """Stop Spark and its JVM."""
        gateway = self._spark.sparkContext._gateway  # noqa: SLF001 - else the JVM stays until we end
        with suppress(Exception):
            self._spark.stop()
        with suppress(Exception):
            gateway.shutdown()
            gateway.proc.stdin.close()
            gateway.proc.wait(10)
        _forget_gateway()

    def _job(self, context: Context, tasks: tuple[Task, ...], progress: Path, failures: list[str]) -> None:
        try:
            numbers = self._spark.range(0, len(tasks), 1, len(tasks))
            sent = self._spark.sparkContext.broadcast([pickle.dumps(task) for task in tasks])
            answers = numbers.mapInArrow(_worker(context, sent, progress), _ANSWER).collect()
            sent.destroy()
            failures += [row.error for row in answers if row.error]
        except Exception as error:  # noqa: BLE001 - raised again in the thread that waits
            failures.append(f"Spark: {explained(error)}; see {self._log}")


def _worker(context: Context, sent: Any, progress: Path) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Return the function of a partition, which does the tasks of its numbers and returns their errors.

    `sent` is the broadcast of all tasks, each pickled by itself: a worker unpickles only its own.
    """

    def work(batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow as pa

        collect_seldom()
        for batch in batches:
            # The bytes are of this run's driver.
            tasks = [pickle.loads(sent.value[number]) for number in batch.column(0).to_pylist()]  # noqa: S301 - we pickled them
            errors = [_attempt(context, task, progress) for task in tasks]
            yield pa.RecordBatch.from_pydict({"error": pa.array(errors, pa.string())})

    return work


def _attempt(context: Context, task: Task, progress: Path) -> str:
    try:
        context.storage.open(context.parts)
        with progress.open("ab", buffering=0) as out, ongoing.published(progress.parent):
            for count in perform(context, task):
                out.write(b"." * count)  # the size of the file counts the units done
    except (OSError, PipelineError, ValueError) as error:
        return explained(error)
    return ""


def _session(master: str, log: Path, tmp: Path) -> Any:
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    local = master.startswith("local")
    settings = {
        "spark.app.name": "colconf",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "WARN",
        "spark.sql.warehouse.dir": str(tmp / "warehouse"),
        "spark.sql.artifact.isolation.enabled": "false",
        "spark.task.maxFailures": str(_ATTEMPTS),
        "spark.executorEnv.PYTHONPATH": os.pathsep.join(
            filter(None, (str(ROOT), os.environ.get("PYTHONPATH")))
        ),
        # A row is a task that may take minutes: no batching, and no other row waits behind it.
        "spark.sql.execution.arrow.maxRecordsPerBatch": "1",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.catalogImplementation": "in-memory",
    }
    if local:
        settings |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
        settings |= {
            "spark.local.dir": str(tmp),
            "spark.driver.memory": "1g",
            "spark.driver.extraJavaOptions": f"-Djava.io.tmpdir={tmp} {_JVM}",
        }
    conf = SparkConf(loadDefaults=False).setMaster(_patient(master)).setAll(list(settings.items()))
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    logging.getLogger("py4j").setLevel(logging.ERROR)
    logging.getLogger().addHandler(logging.NullHandler())  # py4j logs what it raises, with a traceback, there
    with log.open("wb") as output, _environment(isolated=local):
        gateway = launch_gateway(conf, {"stdout": output, "stderr": output})
        _started(gateway)
        if not local:  # a cluster's configuration and PYSPARK_SUBMIT_ARGS take precedence
            conf = SparkConf(loadDefaults=True, _jvm=gateway.jvm).setMaster(master)
            for name, value in settings.items():
                conf.setIfMissing(name, value)
        session = SparkSession(SparkContext(conf=conf, gateway=gateway))
        _quiet(session.sparkContext)
        if not local:
            _wait_for_executors(session)
        return session


def _quiet(context: Any) -> None:
    """Let PySpark's server for accumulators print no traceback when the JVM ends: the job's error says so."""
    server = getattr(context, "_accumulatorServer", None)
    if server is not None:
        server.handle_error = lambda *_: None


def _wait_for_executors(session: Any) -> None:
    """Wait until a cluster has given us an executor; raises PipelineError."""
    deadline = time.monotonic() + _EXECUTOR_SECONDS
    memory = session.sparkContext._jsc.sc().getExecutorMemoryStatus  # noqa: SLF001 - not in PySpark's own API
    while memory().size() < 2:  # the driver is one
        if time.monotonic() > deadline:
            session.stop()
            raise PipelineError(f"the cluster provided no executor within {_EXECUTOR_SECONDS} s")
        time.sleep(0.1)


def _patient(master: str) -> str:
    """Return the master; an embedded master with repetition of tasks whose worker was killed.

    With all cores it has half as many tasks more at a time, for the reason of `LocalRunner`.
    """
    number = re.fullmatch(r"local(?:\[(\d+|\*)\])?", master)
    if not number:
        return master
    cores = processes.cores()
    return f"local[{cores + cores // 2 if number[1] == '*' else number[1] or 1},{_ATTEMPTS}]"


@contextmanager
def _environment(*, isolated: bool) -> Iterator[None]:
    """Start an embedded Spark from PySpark's own files, whatever Spark the user's shell is set up for."""
    before = dict(os.environ)
    if isolated:
        variables = without_spark(before.items())
        for name in set(before) - set(variables):
            del os.environ[name]
    if isolated or "PYSPARK_PYTHON" not in os.environ:
        os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LAUNCHER_OPTS"] = _JVM
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _started(gateway: Any) -> None:
    """Wait until the JVM answers: it announces its port a moment before it listens."""
    for _ in range(100):
        try:
            gateway.jvm.System.currentTimeMillis()
        except Exception:  # noqa: BLE001 - not yet
            time.sleep(0.05)
        else:
            return


def _forget_gateway() -> None:
    """Let a later session start a JVM of its own: PySpark would reuse the connection to the ended JVM."""
    from pyspark import SparkContext

    SparkContext._gateway = None  # noqa: SLF001 - there is no public way
    SparkContext._jvm = None  # noqa: SLF001 - the same
