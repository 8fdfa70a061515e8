"""The command line for tests, and Spark for all tests of its adapter: one JVM, slow to start, faster later.

The files of these tests run in one process, see `TOGETHER` in the project's `conftest.py`.
"""

import os
import shutil

import pytest

from harness.children.connection import Connection, Limits, worker_command
from harness.children.launch import Launch
from harness.engines.registry import ENGINES

# Code that runs for seconds gains nothing by the second compiler.
QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@pytest.fixture(scope="session")
def spark():
    """Return a connection to Spark, one for all tests, in a zone that is not UTC; without Spark, skip."""
    entry = ENGINES["spark"]
    for module in entry.packages:
        pytest.importorskip(module, reason=f"{module} is not installed")
    if not shutil.which("java") and "JAVA_HOME" not in os.environ:
        pytest.skip("Java is not installed")
    command = worker_command(entry)
    env = {**Launch(tuple(command)).environment(), "TZ": "Asia/Kolkata", "JDK_JAVA_OPTIONS": QUICK_JAVA}
    with Connection(command, Limits(start_seconds=180), env=env) as connection:
        yield connection


@pytest.fixture
def colconf(capsys):
    """Return a function that runs colconf in this process: its exit status, output and errors."""
    from harness.cli import main  # the environments of engines, in which some tests run, lack its packages

    def run_command(*arguments):
        status = main([str(argument) for argument in arguments])
        return (status, *capsys.readouterr())

    return run_command
