"""The environment variables that the processes of engines inherit.

A Spark under test is configured only by its adapter: variables that the pipeline's own Spark sets for its
Python workers, or that a user's shell sets for another Spark, must not reach it. An engine of another version
has a Python of its own, and no variable of ours may add to the modules that this Python imports.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

_SPARK_VARIABLES = (
    "SPARK_",
    "PYSPARK_",
    "_PYSPARK_",
    "PYTHON_WORKER_",
    "PYTHON_DAEMON_",
    "PYTHON_UNIX_DOMAIN_",
    "PYTHON_UDF_",
)
_ADDRESSES = ("SPARK_LOCAL_IP", "SPARK_LOCAL_HOSTNAME")  # the address depends on the machine
# Folders and archives that Spark's launcher puts on the class path (`AbstractCommandBuilder.buildClassPath`).
_CLASS_PATH = ("CLASSPATH", "HADOOP_CONF_DIR", "HIVE_CONF_DIR", "YARN_CONF_DIR")
_PYTHON_VARIABLES = ("PYTHON", "VIRTUAL_ENV", "CONDA_", "UV_", "PIP_", "__PYVENV_LAUNCHER__")


def without_spark(variables: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the variables that do not configure a Spark."""
    return {
        name: value
        for name, value in variables
        if name in _ADDRESSES or not name.startswith(_SPARK_VARIABLES)
    }


def for_engines(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables for engines: none configures a Spark or adds to its class path."""
    own = without_spark(variables.items())
    return {name: value for name, value in own.items() if name not in _CLASS_PATH}


def without_python(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that do not configure a Python or its packages."""
    return {name: value for name, value in variables.items() if not name.startswith(_PYTHON_VARIABLES)}
