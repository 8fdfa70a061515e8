"""`tox -e chaos`, or `python -m harness.tests.chaos [--seed S] [--budget SECONDS] [--only …] [--fault …]`.

Each trial disturbs a command (`scenarios.py`) by a fault (`faults.py`), and gives the same command until it
ends. Its results must then be those of an undisturbed command, or it was refused in one line that names a
file, an engine or an option, and has them with `--overwrite` or in an empty folder. If an engine was killed,
the results may also report that it crashed; a command in an empty folder then has the others. All else is
`silent`: other results, a traceback, an engine that outlives its command. The exit status is 1 if a trial is.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from harness.environments.store import cache
from harness.tests.chaos.faults import EVERYWHERE, OF_ENGINES, OF_SCENARIO, NotStruck
from harness.tests.chaos.scenarios import SCENARIOS

PATIENCE = 300  # seconds, which no scenario takes undisturbed
EQUAL, REFUSED, REPORTED, SILENT, SPARED = "equal", "refused by name", "reported", "silent", "not struck"
CLI = ("-m", "harness.cli")
CHANCES = 5  # for a fault to strike, before a trial counts as not struck


class Whole(NamedTuple):
    """What an undisturbed command does: its results, seconds, operations of the disk, bytes it leaves."""

    wanted: object = None
    seconds: float = 0
    operations: int = 1
    size: int = 0


class Trial:
    """A command in a folder of its own, and what disturbs it."""

    def __init__(self, scenario, work, whole, chance):
        self.scenario, self.work, self.whole, self.chance = scenario, work, whole, chance
        self.cache = cache()
        self.line = scenario.line(work)
        self.notes, self.variables, self.mounted = [], {}, False
        work.mkdir(parents=True)

    def start(self, arguments, program=CLI):
        """Start the command."""
        line = [sys.executable, *program, *arguments]
        variables = {**os.environ, **self.variables}
        streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        return subprocess.Popen(line, text=True, env=variables, **streams)

    def counted(self, fault="", at=0):
        """Run the command on a disk with a fault, none by default.

        Return its answer, and how many operations of the disk it asked for, 0 if it ended without a word.
        """
        counts = self.work / "operations"
        struck = ("-m", "harness.tests.chaos.struck", fault, str(at), str(counts))
        answer = self.ended(self.start(self.line, program=struck))
        operations = int(counts.read_text()) if counts.exists() else 0
        counts.unlink(missing_ok=True)
        return answer, operations

    def ended(self, driver):
        """Return the status and the messages of a command, once it has ended."""
        try:
            _, messages = driver.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            driver.kill()
            driver.communicate()
            raise AssertionError(f"no end within {PATIENCE} s") from None
        return driver.returncode, messages

    def close(self):
        """Remove the folder."""
        if self.mounted:
            subprocess.run(["umount", "--lazy", str(self.work)], check=False)
        shutil.rmtree(self.work, ignore_errors=True)


def refusal(answer):
    """Return the line of a refusal, "" of a command that has results; raises AssertionError for neither."""
    status, messages = answer
    assert "Traceback" not in messages, messages[-2_000:]
    if status in (0, 1):
        return ""
    assert status == 2, f"status {status}: {messages[-2_000:]}"
    line = messages.strip().splitlines()[-1]
    assert line.startswith("colconf: "), messages[-2_000:]
    assert any(sign in line for sign in ("/", "@", "--")), messages[-2_000:]
    return line


def outcome(trial, fault, wanted):
    """Return how a trial ended; raises AssertionError for what is silent."""
    answer = fault(trial)
    end, refused, last = EQUAL, "", ""
    if answer is not None:
        refused = refusal(answer)
        if not refused and trial.scenario.result(trial.work) != wanted:
            assert fault in OF_ENGINES, "other results"
            assert reports_a_crash(trial.work / "out"), "other results"
            shutil.rmtree(trial.work / "out")
            end = REPORTED
    for _ in range(3):
        last = refusal(trial.ended(trial.start(trial.line)))
        if not last:
            break
        trial.notes.append(last)
        refused = last
    if last:
        if not trial.scenario.fresh:
            shutil.rmtree(trial.work / "out")
        if "history" in last:  # its owner moves it away
            shutil.rmtree(trial.work / "history")
        last = refusal(trial.ended(trial.start([*trial.line, *trial.scenario.fresh])))
        assert not last, f"nothing mends it: {last}"
    assert trial.scenario.result(trial.work) == wanted, "other results"
    return REFUSED if refused else end


def reports_a_crash(out):
    """Return whether a finding of a run, or a difference of a gate, says that an engine crashed."""
    findings, differences = (
        [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.exists() else []
        for file in (out / "findings.ndjson", out / "differences.ndjson")
    )
    crashed = any(finding["verdict"] in ("crashed", "unstable") for finding in findings)
    return crashed or any("crashed" in difference["verdicts"] for difference in differences)


def undisturbed(scenario, folder):
    """Return the `Whole` of a scenario; its seconds are those once engines are warm."""
    for number in range(2):
        trial = Trial(scenario, folder / f"{scenario.name}-whole-{number}", Whole(), None)
        began = time.monotonic()
        answer, operations = trial.counted()
        seconds = time.monotonic() - began
        why = refusal(answer)
        assert not why, why
        wanted = scenario.result(trial.work)
        size = sum(file.stat().st_size for file in trial.work.rglob("*") if file.is_file())
        trial.close()
    return Whole(wanted, seconds, operations, size)


def turns(names, faults):
    """Return pairs of a scenario's name and a fault: of these names and faults, of all if there are none."""
    every = [(name, fault) for name in names or SCENARIOS for fault in OF_SCENARIO.get(name, EVERYWHERE)]
    return [(name, fault) for name, fault in every if not faults or fault.__name__ in faults]


def campaign(turns, seed, budget, folder, least=0):
    """Do at least so many trials, and more until the time is over.

    Return their number by scenario, fault and outcome.
    """
    counts, number, deadline = Counter(), 0, time.monotonic() + budget
    of = {name: undisturbed(SCENARIOS[name], folder) for name in dict(turns)}
    random.Random(seed).shuffle(turns)
    while number < least or time.monotonic() < deadline:
        name, fault = turns[number % len(turns)]
        chance = random.Random(f"{seed} {number}")
        end, notes = tried(SCENARIOS[name], fault, of[name], folder / f"{number:05}", chance)
        print(f"{number:5} {name:9} {fault.__name__:14} {end:16} {'; '.join(notes)}", flush=True)
        counts[name, fault.__name__, end] += 1
        number += 1
    return counts


def tried(scenario, fault, whole, work, chance):
    """Return how a trial ended, and its notes; a fault that does not strike has some more chances."""
    for _ in range(CHANCES):
        trial = Trial(scenario, work, whole, chance)
        try:
            return outcome(trial, fault, whole.wanted), trial.notes
        except NotStruck:
            continue
        except (AssertionError, OSError, ValueError) as error:
            return SILENT, [*trial.notes, f"{type(error).__name__}: {error}"]
        finally:
            trial.close()
    return SPARED, trial.notes


def table(counts):
    """Yield the lines of the table at the end."""
    ends = (EQUAL, REFUSED, REPORTED, SILENT, SPARED)
    yield f"{'what':9} {'fault':14} {'trials':>7} " + " ".join(f"{end:>15}" for end in ends)
    rows = sorted({(name, fault) for name, fault, _ in counts})
    for name, fault in rows:
        each = [counts[name, fault, end] for end in ends]
        yield f"{name:9} {fault:14} {sum(each):7} " + " ".join(f"{count:15}" for count in each)
    each = [sum(count for key, count in counts.items() if key[2] == end) for end in ends]
    yield f"{'all':24} {sum(each):7} " + " ".join(f"{count:15}" for count in each)


def main():
    """Do it."""
    parser = argparse.ArgumentParser(prog="chaos", description=__doc__.split("\n\n")[1])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--budget", type=float, default=600, help="seconds, without the undisturbed runs")
    parser.add_argument("--trials", type=int, default=0, help="at least so many, whatever the budget")
    parser.add_argument("--only", action="append", choices=list(SCENARIOS))
    faults = sorted({fault.__name__ for fault in (*EVERYWHERE, *OF_ENGINES)})
    parser.add_argument("--fault", action="append", choices=faults)
    given = parser.parse_args()
    chosen = turns(given.only, given.fault)
    if not chosen:
        parser.error("none of these scenarios suffers any of these faults")
    with tempfile.TemporaryDirectory(prefix="chaos-") as folder:
        counts = campaign(chosen, given.seed, given.budget, Path(folder), given.trials)
    print("\n".join(table(counts)))
    sys.exit(any(end == SILENT for _, _, end in counts))


if __name__ == "__main__":
    main()
