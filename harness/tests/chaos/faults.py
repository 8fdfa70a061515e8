"""What disturbs a command: kills, faults of the disk, damage to what lies there, a full disk, another clock.

Each fault is a function of a trial: it begins the command, disturbs it or what it left, and returns the
status and the messages of the command, None where it was killed.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import time
from contextlib import suppress

import psutil

from harness.tests.faulty_disk import FAULTS

DAY = 24 * 3600
LEAST_BYTES = 20_000


class NotStruck(Exception):  # noqa: N818 - no error, but a trial that disturbed nothing
    """The command ended before the fault came, or has not what is to be disturbed."""


def kill_parent(trial):
    """SIGKILL to the command at a random moment; its engines must end with it."""
    driver = begun(trial)
    children = psutil.Process(driver.pid).children(recursive=True) if driver.poll() is None else []
    if driver.poll() is not None:
        raise NotStruck
    driver.send_signal(signal.SIGKILL)
    driver.communicate()
    _, alive = psutil.wait_procs(children, timeout=20)
    left = [child.pid for child in alive if child.is_running() and child.status() != psutil.STATUS_ZOMBIE]
    assert not left, f"processes {left} outlive the command"


def kill_engine(trial):
    """SIGKILL to one of the engines at a random moment: the command goes on, and may report a crash."""
    return _kill_child(trial, "harness.engines.")  # the argument of a worker, beside us or apart


def kill_jvm(trial):
    """SIGKILL to one of the JVMs, an engine's or the run's: the command goes on, or names what ended."""
    return _kill_child(trial, "java")


def _kill_child(trial, name):
    driver = begun(trial)
    victims = []
    with suppress(psutil.Error):
        for child in psutil.Process(driver.pid).children(recursive=True):
            with suppress(psutil.Error):
                victims += [child] if name in " ".join(child.cmdline()[:4]) else []
    if not victims:
        driver.kill()
        driver.communicate()
        raise NotStruck
    with suppress(psutil.Error):
        trial.chance.choice(victims).kill()
    return trial.ended(driver)


def disk(trial):
    """Fail, tear, lose or skip the n-th write, sync or rename."""
    fault = trial.chance.choice(FAULTS)
    at = trial.chance.randint(1, trial.whole.operations)
    trial.notes.append(f"{fault} at {at}")
    answer, operations = trial.counted(fault, at)
    if operations < at:
        raise NotStruck
    return None if answer[0] == 137 else answer


def damaged(trial):
    """Kill the command, then empty, cut or flip one of the files that it left."""
    kill_parent(trial)
    _damage(trial, [trial.work / "out", trial.work / "history"])


def damaged_cache(trial):
    """Empty, cut or flip an answer to the control set of one of the engines, before the command begins."""
    own = trial.work / "cache"
    own.mkdir()
    for folder in _of_engines(sorted((trial.cache / "control").glob("*@*")), trial.line):
        shutil.copytree(folder, own / "control" / folder.name)
    if (trial.cache / "environments").is_dir():
        (own / "environments").symlink_to(trial.cache / "environments")
    trial.variables["COLCONF_CACHE"] = str(own)
    _damage(trial, [own / "control"])


def _of_engines(folders, line):
    """Return the folders of the engines that a command names: of those versions, or of the newest."""
    names = {word.partition(":")[0] for word in line}
    newest = {}
    for folder in sorted(folders, key=lambda one: [int(part) for part in re.findall("[0-9]+", one.name)]):
        newest[folder.name.partition("@")[0]] = folder
    named = [folder for folder in folders if folder.name in names]
    return named or [folder for name, folder in newest.items() if name in names]


def _damage(trial, folders):
    files = sorted(file for folder in folders for file in folder.rglob("*") if file.is_file())
    files = [file for file in files if file.stat().st_size and file.suffix in {".json", ".ndjson", ".jsonl"}]
    if not files:
        raise NotStruck
    file = trial.chance.choice(files)
    data = bytearray(file.read_bytes())
    how = trial.chance.choice(("empty", "cut", "flip"))
    at = trial.chance.randrange(len(data))
    trial.notes.append(f"{how} {file.relative_to(trial.work)} at {at}")
    if how == "flip":
        data[at] ^= 1 << trial.chance.randrange(8)
    file.write_bytes({"empty": b"", "cut": bytes(data[:at]), "flip": bytes(data)}[how])


def full(trial):
    """Have a disk of random size, which the command fills; then have space again."""
    size = trial.chance.randint(min(LEAST_BYTES, trial.whole.size), trial.whole.size)
    trial.notes.append(f"{size:,} bytes")
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(trial.work)]
    mounted = subprocess.run(mount, capture_output=True, check=False)
    if mounted.returncode:
        raise NotStruck  # this needs the right to mount
    trial.mounted = True
    answer = trial.ended(trial.start(trial.line))
    if answer[0] in (0, 1):
        raise NotStruck
    subprocess.run(["mount", "-o", "remount,size=1g", str(trial.work)], check=True)
    return answer


def clock(trial):
    """Kill the command, then set the clock back by a day: all that lies there is of tomorrow."""
    kill_parent(trial)
    later = time.time() + DAY
    for file in trial.work.rglob("*"):
        os.utime(file, (later, later))
    run = trial.work / "out" / "run.json"
    if run.exists():
        record = json.loads(run.read_text())
        if isinstance(record.get("started"), str):
            tomorrow = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(later))
            run.write_text(json.dumps({**record, "started": tomorrow}))


def begun(trial):
    """Start the command, and wait for a random share of the time that it takes undisturbed."""
    share = trial.chance.random()
    seconds = trial.whole.seconds
    trial.notes.append(f"after {share:.0%} of {seconds:.0f} s")
    driver = trial.start(trial.line)
    with suppress(subprocess.TimeoutExpired):
        driver.wait(share * seconds)
    return driver


EVERYWHERE = (kill_parent, kill_engine, disk, damaged, damaged_cache, full, clock)
OF_ENGINES = (kill_engine, kill_jvm)
OF_SCENARIO = {"spark": (*EVERYWHERE, kill_jvm), "fuzz": (kill_parent, disk, full, clock)}
