"""What a session of a Spark under test sets up before the first request."""

import json
import subprocess
import sys

import pytest

from harness.engines.registry import ENGINES
from harness.environments import availability

SESSION = """
import json, sys
from py4j.protocol import Py4JJavaError
from harness.engines.spark.session import start

session = start(sys.argv[1])
jvm = session.sparkContext._jvm
loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()

def missing():
    try:
        loader.loadClass("no.such.Class")
    except Py4JJavaError as error:
        return error.java_exception

services = "META-INF/services/org.apache.spark.sql.sources.DataSourceRegister"
properties = session.sparkContext._jsc.hadoopConfiguration()
print(json.dumps({
    "absent": [missing().getMessage(), jvm.java.util.Objects.equals(missing(), missing())],
    "present": loader.loadClass("org.apache.spark.SparkContext").getSimpleName(),
    "services": [jvm.java.util.Collections.list(loader.getResources(services)).size() for _ in range(2)],
    "rows": session.read.format("parquet").load(sys.argv[2]).count(),
    "servers": properties.getValByRegex("^yarn[.]").size(),
    "others": properties.get("io.file.buffer.size"),
}))
session.stop()
"""


@pytest.mark.spark
def test_a_session(tmp_path):
    """A class that is absent is looked for once, what is present is there, servers have no properties."""
    status = availability.status(ENGINES["spark"])
    if not status.available:
        pytest.skip(status.reason)
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    import pyarrow as pa

    parquet.write_table(pa.table({"a": [1, 2]}), tmp_path / "a.parquet")
    line = [sys.executable, "-c", SESSION, str(tmp_path / "scratch"), str(tmp_path / "a.parquet")]
    (tmp_path / "scratch").mkdir()
    done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    session = json.loads(done.stdout)
    first, second = session.pop("services")
    assert first == second > 1
    assert session == {
        "absent": ["no.such.Class", True],
        "present": "SparkContext",
        "rows": 2,
        "servers": 0,
        "others": "65536",
    }
