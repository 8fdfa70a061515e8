"""Spark's session: started in a folder of its own, set by configurations, asked for Arrow batches."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from typing import Any

from corpora.tagged import Table
from harness.engines.arrow import c_interface
from harness.engines.spark import switches as spark_switches
from harness.engines.spark.classes import remember_absent
from harness.engines.spark.formats import READING
from harness.engines.spark.versions import arrow_schema

# Properties of Hadoop's servers, and of stores on other machines: nearly three quarters of all.
_OF_CLUSTERS = (
    r"^(yarn|ipc|ha|fs\.(s3a|azure|gs|viewfs|ftp)|mapreduce\.(jobhistory|shuffle)|hadoop\.(registry|http))\."
)
_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def find_java() -> None:
    """Raise RuntimeError, saying the mend, if there is no Java."""
    home = os.environ.get("JAVA_HOME")
    candidate = os.path.join(home, "bin", "java") if home else "java"
    if not shutil.which(candidate):
        where = f"in JAVA_HOME={home}" if home else "on the PATH"
        raise RuntimeError(f"Spark needs Java, none found {where}; install Java 17 or 21, or set JAVA_HOME")


def start(scratch: str) -> Any:
    """Start a local session that leaves nothing outside `scratch`.

    The time zone is UTC, so that an instant and a wall clock have the same count of units, and no conversion
    between them can hide behind the zone of the machine; the switch `zone` sets it (`enter_zone`).

    The JVM's own choices are for many short queries on few cores: measured, a third less time per file.
    """
    import pyspark
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    java_options = (
        f"-Duser.timezone=UTC -Dderby.system.home={scratch} -Djava.io.tmpdir={scratch} "
        f"-XX:ErrorFile={scratch}/hs_err.log -XX:-UsePerfData -XX:+UseSerialGC -XX:TieredStopAtLevel=1 "
        "-XX:ReservedCodeCacheSize=256m "  # else 48 MiB, which the code of some hundred queries fills
        "-XX:MetaspaceSize=256m "  # else the whole heap is collected four times before that much is reached
        "-Xmn256m"  # young objects of a request, which die with it
    )
    settings = {
        "spark.app.name": "colconf engine",
        "spark.buffer.pageSize": "1m",  # else each task that sorts or groups first clears 32 MiB
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.extraJavaOptions": java_options,
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "2g",
        "spark.executorEnv.PYTHONPATH": _ROOT,  # of Python workers, which digest with our modules
        "spark.local.dir": scratch,
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.sources.parallelPartitionDiscovery.threshold": "10000",
        "spark.sql.variable.substitute": "false",  # else `${env:HOME}` in the name of a column is replaced
        "spark.sql.warehouse.dir": os.path.join(scratch, "warehouse"),
        "spark.sql.ui.explainMode": "simple",  # of the text of each plan, which nobody sees
        "spark.sql.ui.retainedExecutions": "10",
        "spark.ui.enabled": "false",
        "spark.ui.retainedJobs": "10",
        "spark.ui.retainedStages": "10",
        "spark.ui.showConsoleProgress": "false",
    }
    os.environ["SPARK_LOCAL_DIRS"] = scratch  # it goes before spark.local.dir
    # Else `bin/find-spark-home` asks the first python3 on PATH, which may know another Spark.
    os.environ["SPARK_HOME"] = os.path.dirname(pyspark.__file__)
    os.environ["PYSPARK_PYTHON"] = sys.executable  # else the first python3 on PATH
    builder = SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    SparkContext._ensure_initialized(conf=SparkConf().setAll(list(settings.items())))
    remember_absent(SparkContext._gateway)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    _forget_origins(session)
    _remember_names()
    _leave_errors()
    return session


def _remember_names() -> None:
    """Have py4j ask once what a dotted name is in the JVM: a package or a class.

    PySpark names functions of the JVM in each call. For each part of a name, the JVM then looks for a class
    in all archives of Spark: measured, three tenths of its time in reading small files.
    """
    from py4j.java_gateway import JavaPackage, JVMView

    for holder in (JVMView, JavaPackage):
        holder.__getattr__ = _once(holder.__getattr__)


def _leave_errors() -> None:
    """Have py4j raise Java's errors as they are, which is all that `translated` needs.

    PySpark would make its own of them, with the text of the whole stack: measured, half of the time that it
    takes to refuse a small file.
    """
    from py4j import java_gateway, protocol

    java_gateway.get_return_value = protocol.get_return_value


def _once(ask: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
    def answer(holder: Any, name: str) -> Any:
        result = ask(holder, name)
        holder.__dict__[name] = result  # where Python looks before it asks
        return result

    return answer


def _forget_origins(session: Any) -> None:
    """Have Hadoop's configuration forget from which file or call each of its 1,100 properties came.

    Spark sends the configuration with its tasks, and Hadoop compresses each of these names on its own:
    measured, a third of the time of reading a small file. They are in use for messages alone.
    """
    session._jsparkSession.sharedState()  # finds file systems, which add properties
    configuration = session.sparkContext._jsc.hadoopConfiguration()
    for name in configuration.getValByRegex(_OF_CLUSTERS).keySet().toArray():
        configuration.unset(name)
    for field in configuration.getClass().getDeclaredFields():
        if field.getName() == "updatingResource":  # not there: reading is slower
            field.setAccessible(True)
            field.get(configuration).clear()


def settings_of(format: str, config: dict[str, str]) -> dict[str, str | None]:
    """Return what a configuration sets in the session for files of a format; None: it has Spark's default."""
    return {**spark_switches.settings(format, config), **READING[format].settings(config)}


def enter_zone(session: Any, zone: str) -> None:
    """Have a session and its JVM live in a zone: ORC's reader goes by the JVM's, SQL by the session's."""
    if session.conf.get("spark.sql.session.timeZone") != zone:
        zones = session.sparkContext._jvm.java.util.TimeZone
        zones.setDefault(zones.getTimeZone(zone))
        session.conf.set("spark.sql.session.timeZone", zone)


def collect(frame: Any) -> Table:
    """Collect as Arrow batches, without `toArrow`: its cast to another schema fails on null geometries."""
    import pyarrow as pa

    batches = frame._collect_as_arrow()
    if batches:
        return c_interface.read(pa.Table.from_batches(batches))
    return c_interface.read(arrow_schema(frame.schema).empty_table())
