"""A conversation with one process of a reader, without what the parent makes right."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self

from harness.children import protocol
from harness.children.acceptance import Misfit, Sent, accepted
from harness.children.child import Child
from harness.children.launch import Launch
from harness.children.limits import Limits
from harness.children.lost import LostError
from harness.children.outcomes import OutcomeKind

_VISIBLE = 60
_FLUSH = "end each reply with a newline, and flush standard output after it"
_ONLY = "write nothing but replies to standard output; logs belong to standard error"
_NEVER = "a request must never end the process: reply with an error, and go on"


class Failure(Exception):  # noqa: N818 - of a reader, not of colconf
    """A mistake of a reader, and how to fix it; one line each."""

    def __init__(self, message: str, mend: str) -> None:
        super().__init__(message)
        self.message = message
        self.mend = mend


class Reply(NamedTuple):
    """A valid reply: decoded, with the line that it was."""

    message: dict[str, Any]
    line: bytes

    @property
    def error(self) -> str:
        """Return the kind of the error, "" of a good reply."""
        return str(self.message["error"]["kind"]) if "error" in self.message else ""


class Talk:
    """One process of a reader, in a folder of its own; methods raise Failure. It is a context manager."""

    def __init__(self, launch: Launch, limits: Limits) -> None:
        assert launch.foreign is not None
        self.foreign = launch.foreign
        self.limits = limits
        self.folder = Path(tempfile.mkdtemp(prefix="colconf-check-")).resolve()
        self.spill = self.folder / "spill"
        self.spill.mkdir()
        self._number = 0
        env = {**launch.environment(), "TMPDIR": str(self.folder)}
        try:
            self.child = Child(launch.command, env, self.folder, limits, speaks=False)
        except OSError as error:
            raise Failure(f"it cannot be started: {error}", "mend `command` in the manifest") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.child.kill()
        self.child.release()
        shutil.rmtree(self.folder, ignore_errors=True)

    def describe(self) -> dict[str, Any]:
        """Return the description, whole."""
        reply = self.ask("describe", {}, seconds=self.limits.start_seconds)
        if reply.error:
            raise Failure(f"describe is answered with an error: {reply.error}", "reply with a description")
        description: dict[str, Any] = reply.message["description"]
        return description

    def read(self, file: Path, format_: str, config: Mapping[str, str], **more: Any) -> Reply:
        """Return the reply to a request to read."""
        fields = {"file": str(file), "format": format_, "config": dict(config), "spill": str(self.spill)}
        return self.ask("read", {**fields, **more})

    def ask(
        self, op: str, fields: Mapping[str, Any], *, seconds: float | None = None, as_op: str = ""
    ) -> Reply:
        """Return the reply to a request; `as_op`: it must have the form of a reply to that op."""
        self._number += 1
        number = self._number
        line = self.exchange(protocol.encode({"op": op, "id": number, **fields}), op, seconds)
        head(line, op, number)
        try:
            message = accepted(line, Sent(as_op or op, number, fields, self.spill), self.foreign)
        except protocol.ProtocolError as error:
            mend = error.mend if isinstance(error, Misfit) else "see the page docs/protocol.md"
            raise Failure(f"the reply to {op}: {error}", mend) from error
        return Reply(message, line)

    def exchange(self, line: bytes, what: str, seconds: float | None = None) -> bytes:
        """Return the line that a line is answered with."""
        seconds = self.limits.seconds if seconds is None else seconds
        try:
            return self.child.exchange(line, seconds)
        except LostError as lost:
            raise self._lost(lost, what) from lost

    def _lost(self, lost: LostError, what: str) -> Failure:
        received = self.child.received.partition(b"\n")[0]
        if lost.kind is OutcomeKind.MISSPOKE and "longer" in lost.message:
            return Failure(f"{what}: {lost.message}", "spill the table, or reply `unsupported`")
        if lost.kind is OutcomeKind.MISSPOKE and received and not _is_object(received):
            return _no_reply(received, what)
        if lost.kind is OutcomeKind.HUNG:
            some = f" (it sent {len(received)} bytes without a newline)" if received else ""
            return Failure(f"{what}: {lost.message}{some}", _FLUSH)
        if lost.kind is OutcomeKind.CRASHED:
            last = next(iter(reversed(self.child.stderr().strip().splitlines())), "")
            text = f"{what}: the process ended: {lost.message}"
            return Failure(f"{text}; {last[:200]}" if last else text, _NEVER)
        if lost.kind is OutcomeKind.OUT_OF_MEMORY:
            return Failure(f"{what}: {lost.message}", "reply with an error of kind out_of_memory before that")
        return Failure(f"{what}: {lost.message}", _ONLY)


def head(line: bytes, what: str, number: int) -> dict[str, Any]:
    """Return a reply after checks of what all replies have; raises Failure."""
    if not _is_object(line):
        raise _no_reply(line, what)
    message: dict[str, Any] = json.loads(line)
    if message.get("v") != protocol.VERSION:
        mend = f"reply with `v` {protocol.VERSION}"
        raise Failure(f"the reply to {what} has the version {message.get('v')!r:.40}", mend)
    if message.get("id") != number or isinstance(message["id"], (bool, float)):
        mend = "copy `id` from the request"
        raise Failure(f"the reply to {what} has the id {message.get('id')!r:.40}, not {number}", mend)
    return message


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _no_reply(line: bytes, what: str) -> Failure:
    text = line[:_VISIBLE].decode("utf-8", "backslashreplace")
    if line.strip() in {b"{", b"["}:
        return Failure(f"the reply to {what} has newlines", "write each reply on one line")
    return Failure(f"before the reply to {what}, standard output has {text!r}", _ONLY)
