"""Engines that misbehave on purpose: classes for the worker, and children that break the protocol.

All of them answer a file whose name does not begin with `bad` like a healthy engine.
"""

# ruff: noqa: D101, D102, D103 - each is named after what it does wrong

from __future__ import annotations

import ctypes
import importlib
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

from corpora.answers import answer, take
from corpora.queries import KINDS
from corpora.tagged import BLOCK_ROWS, STRING, Field, Table, integer, list_of
from harness.children.protocol import BINDING, OPEN, ROWS
from harness.children.worker import Worker
from harness.engines.base import Engine
from harness.engines.errors import Unsupported


class Healthy(Engine):
    """Returns the name of the file, and a number."""

    name = "fake"

    def version(self):
        return "1"

    def read(self, file, format, config):  # noqa: A002, ARG002 - the protocol's word
        if Path(file).resolve().name.startswith("bad"):  # a name that is not UTF-8 comes as a link
            self.misbehave()
        return Table.of([("name", STRING), ("number", integer(32))], [[Path(file).name], ["7"]])

    def write(self, file, format, config, table, options):  # noqa: A002, ARG002 - the protocol's word
        Path(file).write_text(json.dumps(table.to_json()))

    def misbehave(self):
        """Do nothing bad."""


class WrongValue(Healthy):
    """Is always wrong, by one value."""

    def read(self, file, format, config):  # noqa: A002, ARG002 - the protocol's word
        return Table.of([("name", STRING), ("number", integer(32))], [[Path(file).name], ["8"]])


class Refuses(Healthy):
    def misbehave(self):
        raise ValueError("no, not this one")


class RefusesAtOpen(Refuses):
    """Refuses a file while it opens it, whatever the file has in its pages."""

    def read(self, file, format, config):  # noqa: A002 - the protocol's word
        self.step = OPEN
        return super().read(file, format, config)


class RefusesRows(Refuses):
    """Opens every file, and refuses the rows."""

    def read(self, file, format, config):  # noqa: A002 - the protocol's word
        self.step = OPEN
        self.step = ROWS
        return super().read(file, format, config)


class Mistaken(Refuses):
    """Says of its refusals that they are a mistake of Python code beside its own."""

    def origin(self, error):  # noqa: ARG002 - the protocol's word
        return BINDING


class Lacks(Healthy):
    def misbehave(self):
        raise Unsupported("no such feature here")


class Segfaults(Healthy):
    def misbehave(self):
        ctypes.string_at(0)


class Aborts(Healthy):
    def misbehave(self):
        os.abort()


class AbortsTalking(Healthy):
    """Aborts as Rust's runtime does where a panic may pass no further: the reason, then a long stack."""

    def misbehave(self):
        places = "panicked at src/x.rs:1:2:\n"
        text = (
            f"thread 'a' {places}Array too large\nthread 'a' {places}panic in a function that cannot unwind\n"
        )
        os.write(2, text.encode() + b"  7: 0x7f - a_function_of_the_stack\n" * 900 + b"aborting.\n")
        os.abort()


class Exits(Healthy):
    def misbehave(self):
        sys.exit(3)


class Hangs(Healthy):
    def misbehave(self):
        time.sleep(3600)


class WaitsASecond(Healthy):
    """Waits for a second before it reads, and uses no CPU time meanwhile."""

    def misbehave(self):
        time.sleep(1)


class ComputesForASecond(Healthy):
    """Computes for a second before it reads."""

    def misbehave(self):
        until = time.monotonic() + 1
        while time.monotonic() < until:
            pass


class ReturnsWithoutEnd(Healthy):
    """Returns a table whose blocks have no end, for a file called bad."""

    def read(self, file, format, config):  # noqa: A002 - the protocol's word
        if not Path(file).name.startswith("bad"):
            return super().read(file, format, config)
        return Table((Field("text", STRING),), 1 << 60, EndlessBlocks())


class EndlessBlocks:
    """The blocks of a table that has no end."""

    def __iter__(self):
        while True:
            yield [["x" * 1000] * BLOCK_ROWS]


class HangsNoted(Healthy):
    """Hangs, once it has noted beside the file that it has begun."""

    def read(self, file, format, config):  # noqa: A002, ARG002 - the protocol's word
        Path(file).with_name("begun").touch()
        time.sleep(3600)


class HangsHoldingTheInterpreter(Healthy):
    def misbehave(self):
        sum(range(10**18))  # one call in C: no other thread and no Python signal handler has a turn


class HangsIgnoringSignals(Healthy):
    def misbehave(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        time.sleep(3600)


class Allocates(Healthy):
    def misbehave(self):
        kept = []
        while True:
            kept.append(b"x" * (1 << 24))
            time.sleep(0.005)


class AllocatesForAMoment(Healthy):
    def misbehave(self):
        assert len(b"x" * (80 << 20)) == 80 << 20  # not zeros: those take no memory before they are written


class GrandchildAllocates(Healthy):
    def misbehave(self):
        if os.fork() == 0:
            Allocates().misbehave()
        time.sleep(3600)


class RunsOutOfMemory(Healthy):
    def misbehave(self):
        raise MemoryError("cannot allocate 1 TiB")


class Limited(Healthy):
    def misbehave(self):
        raise ValueError("more than 2^27 values")

    def classify(self, error):  # noqa: ARG002 - the protocol's word
        return "limited"


class Burns(Healthy):
    def misbehave(self):
        end = time.process_time() + 0.5
        while time.process_time() < end:
            pass


class BurnsOnce(Burns):
    """Burns CPU time for the first bad file, and notes it beside the file."""

    def read(self, file, format, config):  # noqa: A002 - the protocol's word
        self.done = Path(file).with_name("burnt")
        return super().read(file, format, config)

    def misbehave(self):
        if not self.done.exists():
            self.done.touch()
            super().misbehave()


class Swells(Healthy):
    """Takes memory for a bad file, and keeps it for the next one."""

    memory = b""

    def misbehave(self):
        self.memory = self.memory or b"x" * (1 << 26)


class Panics(Healthy):
    def misbehave(self):
        raise PanicException("called `Option::unwrap()` on a `None` value")


class PanicException(BaseException):
    pass


class Recurses(Healthy):
    def misbehave(self):
        self.misbehave()


class TalksMuch(Healthy):
    def misbehave(self):
        raise ValueError("x" * 50_000_000)


class TalksNonsense(Healthy):
    def misbehave(self):
        raise ValueError("\ud800 \x00 \u2028 \x1b[31m \U0001f4a5")


class CannotSay(Healthy):
    def misbehave(self):
        raise UnprintableError


class UnprintableError(Exception):
    def __str__(self):
        raise RuntimeError("not even this")


class CannotClassify(Healthy):
    def misbehave(self):
        raise ValueError("plain")

    def classify(self, error):  # noqa: ARG002 - interface
        raise RuntimeError("no idea")


class FloodsStderr(Healthy):
    def misbehave(self):
        for _ in range(1000):
            os.write(2, b"flood " * 10_000)
        os.write(2, b"the last words")
        os.abort()


class Prints(Healthy):
    def misbehave(self):
        print('{"v":2,"id":1}', flush=True)
        os.write(1, b"from C\n")
        sys.stdin.read()


class DiesLater(Healthy):
    def misbehave(self):
        threading.Timer(0.05, os._exit, [7]).start()


class TellsKeys(Healthy):
    """Refuses with the latest keys that it was given."""

    no_keys = told = ""

    def read(self, file, format, config):  # noqa: A002, ARG002 - the protocol's word
        for key in self.keys.secrets() if self.keys else ():
            self.told = f"the key is {key.hex()}"
        raise ValueError(self.told)


class LeavesGrandchild(Healthy):
    def misbehave(self):
        if os.fork() == 0:
            time.sleep(3600)


class LeavesDaemonAndCrashes(Healthy):
    def misbehave(self):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(3600)
            os._exit(0)
        time.sleep(0.1)
        os.kill(os.getpid(), signal.SIGSEGV)


class LeavesHiddenDaemon(Healthy):
    """Leaves a process that has another session and parent, and no variables; its id is in the file."""

    def read(self, file, format, config):  # noqa: A002 - the protocol's word
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                program = f"import os,time; open({file!r}, 'w').write(str(os.getpid())); time.sleep(3600)"
                os.execve(sys.executable, [sys.executable, "-I", "-S", "-c", program], {})
            os._exit(0)
        os.wait()
        while not Path(file).exists() or not Path(file).read_text():
            time.sleep(0.01)
        if "hang" in file:
            time.sleep(3600)
        return super().read(file, format, config)


class AnswersADeepTable(Healthy):
    """Returns lists in lists, deeper than Python's own recursion goes."""

    def read(self, file, format, config):  # noqa: A002, ARG002 - the protocol's word
        type_, value = integer(32), "1"
        for _ in range(2000):
            type_, value = list_of(type_), [value]
        return Table.of([("x", type_)], [[value]], 1)


class AnswersNoTable(Healthy):
    def read(self, file, format, config):  # noqa: A002 - the protocol's word
        return 42 if Path(file).name.startswith("bad") else super().read(file, format, config)


class AnswersMuch(Healthy):
    """Returns a table that is too large for a line."""

    def read(self, file, format, config):  # noqa: A002, ARG002 - the protocol's word
        return Table.of([("n", STRING)], [[f"{number:050}" for number in range(200_000)]])


class Queried(Healthy):
    """Returns queries of a table of two row groups of three rows, by full scan whatever `pushdown` says."""

    queries = KINDS
    found = Table.of(
        [("name", STRING), ("number", integer(32))],
        [["a", "b", "c", "d", "e", None], ["1", "2", "3", None, "5", "6"]],
    )

    def read(self, file, format, config):  # noqa: A002 - the protocol's word
        super().read(file, format, config)
        return self.found

    def query_one(self, file, format, config, query):  # noqa: A002 - the protocol's word
        table = self.read(file, format, config)
        rows = range(3 * query.number, 3 * query.number + 3) if query.kind == "row_group" else None
        return answer(query, table, self.float_order, rows)


class LosesRows(Queried):
    """With pushdown, a filter passes over the second row group, as if its statistics had ruled it out."""

    def query_one(self, file, format, config, query):  # noqa: A002 - the protocol's word
        if query.kind != "filter" or config.get("pushdown") == "off":
            return super().query_one(file, format, config, query)
        return answer(query, take(self.read(file, format, config), range(3)), self.float_order)


class TrustsStatistics(Queried):
    """With pushdown, a minimum is one of a wrong statistic."""

    def query_one(self, file, format, config, query):  # noqa: A002 - the protocol's word
        table = super().query_one(file, format, config, query)
        if query.kind != "aggregate" or config.get("pushdown") == "off":
            return table
        values = [table.column(at) for at in range(4)]
        values[2] = ["-1"]
        return Table.of([(column.name, column.type) for column in table.columns], values)


class LosesTable(Healthy):
    def read_many(self, files, format, config):  # noqa: A002 - the protocol's word
        return super().read_many(files[1:], format, config)


class StartsSlowly(Healthy):
    def __init__(self):
        time.sleep(1.0)


class NeverStarts(Healthy):
    def __init__(self):
        time.sleep(3600)


class CrashesAtStart(Healthy):
    def __init__(self):
        os.abort()


class NotInstalled(Healthy):
    def __init__(self):
        importlib.import_module("no_such_engine")


def break_protocol(how):
    """Be a child that answers every request well, except for `read` of a file that begins with `bad`."""
    worker = Worker("harness.tests.fakes:Healthy")
    for line in sys.stdin.buffer:
        reply = worker.answer(line)
        if b"/bad" in line:
            HOW[how](reply)
        else:
            say(reply)
        if worker.stopped:
            break


def say(data):
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def endless(_):
    while True:
        say(b"x" * 65536)


def half(reply):
    say(reply[:20])
    os._exit(3)


def late(reply):
    say(reply)
    threading.Timer(0.05, say, [b"by the way\n"]).start()


def closed(_):
    os.close(1)
    time.sleep(3600)


def edited(change):
    def answer(reply):
        message = json.loads(reply)
        change(message)
        say(json.dumps(message).encode() + b"\n")

    return answer


HOW = {
    "out-of-step": edited(lambda message: message.update(id=message["id"] - 1)),
    "other-version": edited(lambda message: message.update(v=99)),
    "other-answer": edited(lambda message: message.update(written=True)),
    "ragged": edited(lambda message: message["table"].update(rows=5)),
    "no-columns": edited(lambda message: message["table"].update(columns=7)),
    "elsewhere": edited(
        lambda message: (message["table"].pop("blocks"), message["table"].update(spill="/etc/passwd"))
    ),
    "garbage": lambda _: say(b"\x00\xff not JSON\n"),
    "deep": lambda _: say(b"[" * 1_000_000 + b"\n"),
    "twice": lambda reply: say(reply + reply),
    "endless": endless,
    "half": half,
    "late": late,
    "closed": closed,
}

if __name__ == "__main__":
    break_protocol(sys.argv[1])
