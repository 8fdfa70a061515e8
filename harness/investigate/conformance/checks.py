"""The checks of `colconf engines check`: what the protocol asks of a reader, one by one.

A check raises Failure, or returns a line about what it saw. Each has a process of its own.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable

from corpora.build import reading
from corpora.build.control import large
from corpora.build.tagged_columns import tagged_table
from corpora.formats import PARQUET
from corpora.orc_tables import ORC_LAYOUTS
from corpora.tables import LAYOUTS
from corpora.tagged import Table
from harness.children import protocol
from harness.children.connection import Connection
from harness.children.limits import Limits
from harness.children.outcomes import LOST, OutcomeKind
from harness.investigate.conformance.subject import Subject
from harness.investigate.conformance.talk import Failure, Reply, Talk, head
from reference_impl.errors import ReferenceError_

_LONG = 1 << 20  # bytes of a request
_KILLS = 50  # requests without any time, of which a quick reader answers some
_OTHER_VERSION = 999


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
    files = subject.readable
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
        for line in (b'{"v":%d,"op":\n' % protocol.VERSION, b"[]\n", b"null\n", b"7\n"):
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
        own = b'"v":%d' % protocol.VERSION
        line = protocol.encode({"op": "describe", "id": 77}).replace(own, b'"v":%d' % _OTHER_VERSION)
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
        raise Failure(
            f"a file of {large.ROWS:,} rows was read as {table.num_rows:,} rows, or in another order", mend
        )
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


def write(subject: Subject) -> str:
    """Check that a reader that writes puts a table into a file as it is; the reference reads it back."""
    if "write" not in subject.description["ops"]:
        return "not listed"
    file = subject.folder / f"by-the-reader.{subject.format}"
    file.unlink(missing_ok=True)
    options = (LAYOUTS if subject.format == PARQUET else ORC_LAYOUTS)[0].options()
    with subject.talk() as talk:
        table = _table_of(talk.read(subject.plain, subject.format, subject.config), subject.plain.name)
        fields = {"file": str(file), "format": subject.format, "config": subject.config}
        reply = talk.ask("write", {**fields, "table": table.to_json(), "options": options})
    if reply.error:
        mend = "write it, or leave `write` out of `ops`"
        raise Failure(f"write: {subject.plain.name} is answered with {_described(reply)}", mend)
    try:
        back = tagged_table(reading.open_file(str(file), subject.format, None).read())
    except (ReferenceError_, OSError) as error:
        raise Failure(f"the file that it wrote is not readable: {error}", "write a valid file") from error
    if list(back.blocks()) != list(table.blocks()) or back.columns != table.columns:
        mend = "keep names, types and values, or reply unsupported"
        raise Failure(f"the file that it wrote holds another table than {subject.plain.name}", mend)
    return f"the table of {subject.plain.name}, written and read back"


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
        for _ in range(_KILLS):
            killed = connection.read(subject.plain, subject.format, subject.config)
            if killed.kind in LOST:
                break
        connection.limits = before
        again = connection.read(subject.plain, subject.format, subject.config)
        if again.kind in LOST or (killed.kind in LOST and killed.kind is not OutcomeKind.HUNG):
            mend = "leave nothing behind that a new process stumbles over"
            raise Failure(f"after it was killed in a request: {again.kind} {again.detail.summary}", mend)
    if killed.kind is not OutcomeKind.HUNG:
        return f"it answered {_KILLS} requests before it could be killed"
    return "a new process serves the next request"


def _no_more(talk: Talk, what: str) -> None:
    if fault := talk.child.fault():
        raise Failure(f"after {what}: {fault}", "write nothing but replies to standard output")


def _described(reply: Reply) -> str:
    error = reply.message.get("error", {})
    return f"{error.get('kind', 'a table')} {error.get('message', '')}"[:120].strip()


def _table(reply: Reply) -> object:
    """Return what two tables of one file have in common; an error is like nothing else, not even an error."""
    if reply.error:
        return object()
    table = _table_of(reply, "")
    return table.columns, table.num_rows, list(table.blocks())


def _table_of(reply: Reply, what: str) -> Table:
    if reply.error:
        raise Failure(f"{what} is answered with {_described(reply)}", "read it, or reply unsupported")
    table: Table = reply.message["table"]
    return table


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
    write,
    end,
    restart,
)
