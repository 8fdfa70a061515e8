"""The checks of `colconf engines check`: what the protocol asks of a reader, one by one.

A check raises Failure, or returns a line about what it saw. Each has a process of its own.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corpora.build.control import controls, large
from corpora.cases import Case
from corpora.tagged import Table
from harness.children import protocol
from harness.children.connection import Connection
from harness.children.launch import Launch
from harness.children.limits import Limits
from harness.children.outcomes import OutcomeKind
from harness.investigate.conformance.talk import Failure, Reply, Talk, head

_LONG = 1 << 20  # bytes of a request
_OTHER_VERSION = 999


@dataclass
class Subject:
    """A reader that is checked: how it is started, and files of a format that it says it reads.

    `plain` is a file of numbers that any reader is expected to read, if it reads any control file at all.
    """

    launch: Launch
    limits: Limits
    format: str
    config: dict[str, str]
    folder: Path
    description: dict[str, Any] = field(default_factory=dict)

    @property
    def cases(self) -> tuple[Case, ...]:
        """Return the control set."""
        return controls.cases(self.format, self.folder / "control")

    @property
    def plain(self) -> Path:
        """Return the plainest file of the control set."""
        return self.cases[0].file

    def talk(self) -> Talk:
        """Return a new process that has described itself; raises Failure."""
        talk = Talk(self.launch, self.limits)
        try:
            talk.describe()
        except Failure:
            talk.__exit__()
            raise
        return talk

    def written(self, name: str, data: bytes) -> Path:
        """Write a file, and return its path."""
        path = self.folder / f"{name}.{self.format}"
        path.write_bytes(data)
        return path


def handshake(subject: Subject) -> str:
    """Check that the reader starts, and describes itself as its manifest does."""
    begun = time.monotonic()
    with subject.talk() as talk:
        took = time.monotonic() - begun
        subject.description = talk.describe()
        if talk.describe() != subject.description:
            raise Failure("describe has another description the second time", "describe the same each time")
    ops = ", ".join(["describe", "read", *subject.description["ops"]])
    return f"version {subject.description['version']}, ops {ops}, {took:.2f} s to start"


def framing(subject: Subject) -> str:
    """Check that each reply is one line, with the version and the id of its request, with nothing else."""
    with subject.talk() as talk:
        talk.read(subject.plain, subject.format, subject.config)
        for _ in range(3):
            talk.describe()
        _no_more(talk, "a read")
    return "replies are one line each, with the right id"


def order(subject: Subject) -> str:
    """Check that the same file has the same table each time, whatever was read before."""
    files = [case.file for case in subject.cases[:4]]
    with subject.talk() as talk:
        first = {file: _table(talk.read(file, subject.format, subject.config)) for file in files}
        for file in (*reversed(files), *files):
            if _table(talk.read(file, subject.format, subject.config)) != first[file]:
                mend = "keep nothing of a request for the next one"
                raise Failure(f"{file.name} has another reply when it is read again", mend)
    return f"{len(files)} files, read three times in another order"


def garbage(subject: Subject) -> str:
    """Check that a line that is no request is answered with id -1 and `misspoke`, and the next one served."""
    with subject.talk() as talk:
        for line in (b'{"v":3,"op":\n', b"[]\n"):
            reply = head(talk.exchange(line, "a line that is no request"), "a line that is no request", -1)
            kind = reply.get("error", {}).get("kind") if isinstance(reply.get("error"), dict) else None
            if kind != "misspoke":
                mend = "reply with an error of kind misspoke"
                raise Failure(f"a line that is no request is answered with {kind or 'no error'}", mend)
        talk.describe()
    return "answered with misspoke"


def unknown_op(subject: Subject) -> str:
    """Check that an op that the reader does not have is `unsupported`."""
    with subject.talk() as talk:
        for op in ("no_such_op", *(op for op in protocol.OPTIONAL_OPS if op not in talk.describe()["ops"])):
            fields = {"file": str(subject.plain), "files": [str(subject.plain)], "format": subject.format}
            more = {"config": subject.config, "spill": str(talk.spill)}
            reply = talk.ask(op, {**fields, **more}, as_op="read")
            if reply.error != "unsupported":
                mend = "reply with an error of kind unsupported to each op that you do not have"
                raise Failure(f"the op {op} is answered with {reply.error or 'no error'}", mend)
        talk.describe()
    return "answered with unsupported"


def versions(subject: Subject) -> str:
    """Check that a request of another version is `unsupported`, in the version of the reader."""
    with subject.talk() as talk:
        line = protocol.encode({"op": "describe", "id": 77}).replace(b'"v":3', b'"v":%d' % _OTHER_VERSION)
        reply = head(talk.exchange(line, "a request of another version"), "a request of another version", 77)
        error = reply.get("error")
        if not isinstance(error, dict) or error.get("kind") != "unsupported":
            mend = "reply with your own `v` and an error of kind unsupported"
            raise Failure(f"a request of version {_OTHER_VERSION} is served", mend)
        talk.describe()
    return "another version is unsupported"


def members(subject: Subject) -> str:
    """Check that members of a request that the reader does not know are ignored."""
    with subject.talk() as talk:
        first = talk.read(subject.plain, subject.format, subject.config)
        more = talk.read(subject.plain, subject.format, subject.config, later={"added": [1]})
        if _table(first) != _table(more):
            mend = "ignore members that you do not know"
            raise Failure(f"an unknown member of a request changes the reply: {_described(more)}", mend)
    return "unknown members are ignored"


def long_request(subject: Subject) -> str:
    """Check that a request may be long."""
    with subject.talk() as talk:
        first = talk.read(subject.plain, subject.format, subject.config)
        more = talk.read(subject.plain, subject.format, subject.config, padding="x" * _LONG)
        if _table(first) != _table(more):
            mend = "read whole lines, whatever their length"
            raise Failure(f"a request of {_LONG:,} bytes has another reply: {_described(more)}", mend)
    return f"a request of {_LONG:,} bytes is read"


def errors(subject: Subject) -> str:
    """Check that what is no file of the format is `refused`, and the process lives on."""
    noise = b"".join(hashlib.sha256(bytes([number])).digest() for number in range(64))
    whole = subject.plain.read_bytes()
    files = {
        "a file that is not there": subject.folder / f"missing.{subject.format}",
        "an empty file": subject.written("empty", b""),
        "a file of random bytes": subject.written("random", noise),
        "the first half of a file": subject.written("half", whole[: len(whole) // 2]),
    }
    with subject.talk() as talk:
        for what, file in files.items():
            reply = talk.read(file, subject.format, subject.config)
            if not reply.error:
                mend = "reply with an error of kind refused"
                raise Failure(f"{what} is answered with a table", mend)
            if reply.error != "refused":
                mend = "`unsupported` is for features that the reader lacks; this is refused"
                raise Failure(f"{what} is answered with {reply.error}", mend)
            if not reply.message["error"]["message"]:
                raise Failure(f"{what} is refused without a message", "tell why in `message`")
        talk.read(subject.plain, subject.format, subject.config)
    return f"{len(files)} broken files are refused"


def big_table(subject: Subject) -> str:
    """Check that a table of many rows comes whole."""
    file = subject.written("rows", large.INTEGERS[subject.format]())
    with subject.talk() as talk:
        reply = talk.read(file, subject.format, subject.config)
    if reply.error == "unsupported":
        return f"unsupported: {_described(reply)}"
    expected = [str(number) for number in range(large.ROWS)]
    table = _table_of(reply, f"a file of {large.ROWS:,} rows")
    if table.num_rows != large.ROWS or table.column(0) != expected:
        mend = "send all rows; blocks of 16,384 rows, or `values`"
        raise Failure(f"of a file of {large.ROWS:,} rows, {table.num_rows:,} came, or in another order", mend)
    return f"{large.ROWS:,} rows in {len(reply.line):,} bytes"


def spill(subject: Subject) -> str:
    """Check that a table whose reply would pass the limit of a line is spilled, or `unsupported`."""
    file = subject.written("texts", large.LONG[subject.format]())
    try:
        with subject.talk() as talk:
            reply = talk.read(file, subject.format, subject.config)
            if reply.error == "unsupported":
                return f"unsupported: {_described(reply)}"
            table = _table_of(reply, "a file of 70 MB of text")
            whole = all(value == large.TEXT for value in table.column(0))
            if table.num_rows != large.TEXTS or not whole:
                mend = "write one block of 16,384 rows a line"
                raise Failure("the table of a file of 70 MB of text is not whole", mend)
            return "spilled" if table.spill else f"{len(reply.line):,} bytes in a line"
    finally:
        file.unlink()


def end(subject: Subject) -> str:
    """Check that the reader ends when its standard input ends, with all that it started."""
    with subject.talk() as talk:
        reply = talk.ask("stop", {})
        if reply.error not in {"", "unsupported"}:
            raise Failure(f"stop is answered with {reply.error}", 'reply {…,"stopped":true}, or unsupported')
    with subject.talk() as talk:
        begun = time.monotonic()
        if not talk.child.ends():
            mend = "end the process when standard input ends"
            raise Failure(f"it still runs {subject.limits.close_seconds:g} s after its input ended", mend)
        took = time.monotonic() - begun
    return f"it ends {took:.2f} s after its input"


def restart(subject: Subject) -> str:
    """Check that after it was killed in a request, a new process serves the next one."""
    with Connection(subject.launch, subject.limits) as connection:
        connection.describe()
        before = connection.limits
        connection.limits = Limits(seconds=0.0, start_seconds=before.start_seconds)
        killed = connection.read(subject.plain, subject.format, subject.config)
        connection.limits = before
        again = connection.read(subject.plain, subject.format, subject.config)
        if killed.kind is not OutcomeKind.HUNG or again.kind in _LOST:
            mend = "leave nothing behind that a new process stumbles over"
            raise Failure(f"after it was killed in a request: {again.kind} {again.detail.summary}", mend)
    return "a new process serves the next request"


def _no_more(talk: Talk, what: str) -> None:
    if fault := talk.child.fault():
        raise Failure(f"after {what}: {fault}", "write nothing but replies to standard output")


def _described(reply: Reply) -> str:
    error = reply.message.get("error", {})
    return f"{error.get('kind', 'a table')} {error.get('message', '')}"[:120].strip()


def _table(reply: Reply) -> object:
    """Return what two replies to one question have in common."""
    if reply.error:
        return reply.error
    table = _table_of(reply, "")
    return table.columns, table.num_rows, list(table.blocks())


def _table_of(reply: Reply, what: str) -> Table:
    if reply.error:
        raise Failure(f"{what} is answered with {_described(reply)}", "read it, or reply unsupported")
    table: Table = reply.message["table"]
    return table


_LOST = (OutcomeKind.CRASHED, OutcomeKind.HUNG, OutcomeKind.OUT_OF_MEMORY, OutcomeKind.MISSPOKE)
Check = Callable[[Subject], str]
CHECKS: tuple[Check, ...] = (
    handshake,
    framing,
    order,
    garbage,
    unknown_op,
    versions,
    members,
    long_request,
    errors,
    big_table,
    spill,
    end,
    restart,
)
