"""Killed at any moment, a run that is resumed ends with the results of an undisturbed one."""

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from click.testing import CliRunner

from harness.commands import run as command
from harness.engines.registry import ENGINES
from harness.environments import availability
from harness.judging.results import load_run
from harness.tests.events import wait_for

pytest.importorskip("hypothesis")
ASKED = ("--generate", "12", "--seed", "3", "--engine", "reference", "--engine", "pyarrow:pushdown=on")
ENGINE, WORKER, NONE = "harness.children.worker", "pyspark.daemon", ""  # what is killed before the driver
THREADS = ("--no-spark",), (ENGINE, NONE)
MORE_THREADS = ("--no-spark",), (NONE, ENGINE, NONE, ENGINE)
SPARK = ("--master", "local[2]"), (ENGINE, WORKER, NONE)  # each start takes seconds


def cli(*arguments):
    """Start the command in a process of its own."""
    line = [sys.executable, "-m", "harness.cli", "run", "--report", "none", *map(str, arguments)]
    return subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def of(driver, what):
    """Return the processes below the driver whose command names something."""
    found = []
    for one in psutil.Process(driver.pid).children(recursive=True):
        with suppress(psutil.Error):
            found += [one] if what in " ".join(one.cmdline()) else []
    return found


def digest(out, work=None):
    """Return a digest of results without times, sizes of processes, and where the files lie (`work`)."""
    found = hashlib.sha256()
    for line in (out / "results.ndjson").read_text().splitlines():
        row = json.loads(line)
        del row["seconds"], row["peak_rss_bytes"]
        row["detail"]["file"] = str(Path(row["detail"]["file"]).relative_to(work or out))
        found.update(json.dumps(row).encode())
    found.update((out / "findings.ndjson").read_bytes())
    return found.hexdigest()


def has_done(driver, out, least):
    """Return whether a run has committed so many parts more than now, or has ended; as a function."""
    before = len(list(out.glob("parts/**/*.ndjson")))
    return lambda: driver.poll() is not None or len(list(out.glob("parts/**/*.ndjson"))) >= before + least


def killed(out, master, victims, chance):
    """Run, killing at random moments the victims and then the driver; then resume to the end."""
    arguments = (*ASKED, *master, "--out", out)
    spared = 0
    for victim in victims:
        driver = cli(*arguments)
        # A run is resumed once it has said what it was asked, that is before it does anything.
        wait_for(lambda driver=driver: (out / "run.json").exists() or driver.poll() is not None)
        assert driver.poll() is None, driver.stderr.read()
        arguments = ("--resume", out)
        wait_for(has_done(driver, out, chance.randint(1, 3)))
        if victim:
            for one in of(driver, victim)[:1]:
                with suppress(psutil.Error):
                    one.kill()
            wait_for(has_done(driver, out, chance.randint(0, 1)))
        spared += driver.poll() is not None
        driver.send_signal(signal.SIGKILL)
        driver.communicate()
    assert spared < len(victims)
    last = cli(*arguments)
    _, said = last.communicate(timeout=300)
    assert last.returncode in (0, 1), said


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("master", "victims"),
    [
        pytest.param(*THREADS, id="threads"),
        pytest.param(*MORE_THREADS, id="more threads", marks=pytest.mark.heavy),
        pytest.param(*SPARK, id="spark", marks=pytest.mark.heavy),
    ],
)
def test_a_run_that_is_killed_and_resumed(tmp_path, master, victims):
    """SIGKILL to driver, engines, and workers of Spark: results are those of an undisturbed run."""
    found = availability.status(ENGINES["spark"])
    if "--master" in master and not found.available:
        pytest.skip(found.reason)
    whole = tmp_path / "whole"
    _, said = (driver := cli(*ASKED, "--no-spark", "--out", whole)).communicate(timeout=300)
    assert driver.returncode in (0, 1), said
    out = tmp_path / "killed"
    killed(out, master, victims, random.Random(f"{master} {os.environ.get('COLCONF_TEST_SEED', '')}"))
    assert digest(out) == digest(whole)
    assert load_run(out).finished
    assert load_run(out).counts == load_run(whole).counts
    again = CliRunner().invoke(command.run, ["--resume", str(out)])
    assert again.exit_code == driver.returncode
    assert "the run was finished" in again.stderr
