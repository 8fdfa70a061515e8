"""Task processes of a local run, which generate files and judge answers beside this one."""

import json
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from harness.children.connection import Limits
from harness.runs.pipeline import local
from harness.runs.pipeline.context import Context
from harness.runs.pipeline.errors import PipelineError
from harness.runs.pipeline.plan import SheetAt, Task
from harness.runs.pipeline.task_process import TaskProcess
from harness.tests.events import wait_for
from harness.tests.pipelines import comparable, generated, process

STARTS = """
from harness.runs.pipeline.task_process import TaskProcess

print(TaskProcess()._process.pid, flush=True)
input()
"""
COUNT = 24  # generated files, in sheets of three


@pytest.fixture
def started(monkeypatch):
    """Have a task process start for two sheets, on two cores; return those that start."""
    processes = []

    class Counted(TaskProcess):
        def __init__(self):
            super().__init__()
            processes.append(self)

    monkeypatch.setattr(local, "_FEW_SHEETS", 2)
    monkeypatch.setattr(local, "TaskProcess", Counted)
    monkeypatch.setattr(local.processes, "cores", lambda: 2)
    return processes


def _results(out):
    return json.dumps(comparable(out)).replace(str(out), "")


def test_results_are_those_of_one_process(started, tmp_path):
    """A run with a task process has the same results as one without, and the process ends with it."""
    generated(tmp_path / "two", COUNT, process("Healthy"))
    assert [each._process.returncode for each in started] == [-signal.SIGKILL]
    generated(tmp_path / "one", COUNT, process("Healthy"), jobs=1)
    assert len(started) == 1
    assert len(comparable(tmp_path / "two")) == COUNT
    assert _results(tmp_path / "two") == _results(tmp_path / "one")


def test_a_lost_process_costs_no_result(started, tmp_path, monkeypatch):
    """If the process is killed, its tasks are done here, and each unit is counted once."""
    ask = TaskProcess._units

    def killed(self, context, task):
        for count in ask(self, context, task):
            yield count
            self._process.kill()
            self._process.wait()

    monkeypatch.setattr(TaskProcess, "_units", killed)
    generated(tmp_path / "two", COUNT, process("Healthy"))
    assert len(started) == 1
    monkeypatch.undo()
    generated(tmp_path / "one", COUNT, process("Healthy"), jobs=1)
    assert _results(tmp_path / "two") == _results(tmp_path / "one")


@pytest.fixture
def other():
    """Return a task process, closed at the end."""
    one = TaskProcess()
    yield one
    one.close()


def test_what_a_task_raises_is_raised_here(other, tmp_path):
    """A task that fails in the task process is one line here; the process goes on to other tasks."""
    context = Context(tmp_path, (), Limits(), tmp_path)
    with pytest.raises(PipelineError, match=r"plan\.ndjson: No such file or directory$"):
        list(other.perform(context, Task("judge", sheets=(SheetAt("s", 0, 1),))))
    assert list(other.perform(context, Task("judge"))) == []
    assert other._process.poll() is None


def test_a_process_that_is_closed_while_it_works_leaves_its_task(tmp_path):
    """After a run has been interrupted, no thread of it does the task of the process that was ended."""
    one = TaskProcess()
    context = Context(tmp_path, (), Limits(), tmp_path)
    units = one.perform(context, Task("judge", sheets=(SheetAt("s", 0, 1),)))
    one._process.send_signal(signal.SIGSTOP)
    with ThreadPoolExecutor(1) as threads:
        done = threads.submit(list, units)
        one.close()
        assert done.result(20) == []


def test_it_ends_with_the_process_that_started_it():
    """If the run is killed, the task process does not go on: the kernel ends it."""
    command = [sys.executable, "-c", STARTS]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as run:
        pid = int(run.stdout.readline())
        assert psutil.pid_exists(pid)
        run.kill()
    wait_for(lambda: not psutil.pid_exists(pid))
