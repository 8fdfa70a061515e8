"""The parent's side of one engine: requests in, outcomes out, whatever the child does.

The child is started when it is first needed and again after it crashed, hung, ran out of memory or broke the
protocol; each of these is the outcome of the request that was under way. An error between requests belongs to
no case: it is recorded in `incidents`, and the next request gets a fresh child. The same holds for a child
that is lost before it has read any of the request.
"""

from __future__ import annotations

import math
import os
import shutil
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Self

from corpora.keys import Keys
from harness.children import protocol
from harness.children.acceptance import Sent, accepted
from harness.children.child import Child
from harness.children.launch import Launch, worker_command
from harness.children.limits import Limits, TimeLimit
from harness.children.links import Links, has_other_bytes
from harness.children.lost import LostError
from harness.children.messages import judged, lost_detail
from harness.children.ongoing import listed as listed_while
from harness.children.outcomes import Detail, Outcome, OutcomeKind
from harness.children.requests import Requests
from harness.children.scratch import scratch_folder
from harness.children.scrubbing import scrubbed
from harness.children.sizes import are_small, files_of, size_of
from harness.children.spills import Spills

__all__ = ["Connection", "Limits", "StartError", "worker_command"]

_INCIDENTS_KEPT = 100
_RECENT = 128  # requests
_HANGS = 3  # after so many, small files have less time
_TEXT = 64  # bytes of a table's text for each byte of its file, beside those that any file has
_SOONER = 5  # times, a child that waits for nothing is ended after an earlier hang
_LISTED = ("file", "files", "format", "config", "query", "read")
_REPEATED = frozenset({"read", "read_many", "query", "read_table", "read_tables"})  # requests in `recent`


class StartError(Exception):
    """The engine did not start or could not describe itself; `outcome` has the details."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.detail.message)
        self.outcome = outcome


class Connection(Requests):
    """One engine in a child process of its own. For one thread at a time.

    It is started by a command or a `Launch`. `spill` is a folder that exists: tables too large for a reply
    line are files in it, and the caller owns them. Without it they live as long as the connection. `env` is
    the child's whole environment; without it, it is ours as engines see it (`Launch.environment`). The
    child's working and temporary folder is its own, and goes with it; it lies in `scratch`, without that in
    the system's folder of temporary files. `recent` are the latest requests to read that the child got, the
    last at the end, without keys.
    """

    def __init__(
        self,
        command: Sequence[str] | Launch,
        limits: Limits | None = None,
        *,
        spill: Path | None = None,
        env: Mapping[str, str] | None = None,
        scratch: Path | None = None,
    ) -> None:
        launch = command if isinstance(command, Launch) else Launch(tuple(command))
        self.command = list(launch.command)
        self.foreign = launch.foreign
        given = limits or Limits()
        self.limits = given.lowered(self.foreign) if self.foreign else given
        self.incidents: list[str] = []
        self.starts = 0
        self.recent: deque[dict[str, Any]] = deque(maxlen=_RECENT)
        self._env = launch.environment() if env is None else dict(env)
        # Without a folder of the caller, one that the next command removes if we are killed.
        self._own = ExitStack()
        own = None if scratch else self._own.enter_context(scratch_folder())
        self._folder = Path(tempfile.mkdtemp(prefix="colconf-", dir=scratch or own))
        self._spills: Path | None = None
        self.spill_into(spill or self._folder)
        self._child: Child | None = None
        self._work: Path | None = None
        self._description: dict[str, Any] = {}
        self._failed: list[Outcome] = []
        self._ids = count(1)
        self._hangs, self._short_seconds = 0, self.limits.short_seconds
        self._links: Links | None = None
        self._keys: set[bytes] = set()  # that children were given

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def spill(self) -> Path:
        """Return the folder of large tables."""
        return self._spill

    def spill_into(self, folder: Path) -> None:
        """Have large tables from now on in a folder of their own in `folder`, which exists."""
        if folder != self._spills:
            self._spills = folder
            self._spill = Path(tempfile.mkdtemp(prefix="spill-", dir=folder)).resolve()

    def describe(self) -> dict[str, Any]:
        """Return the engine's description (`protocol.DESCRIPTION`), starting it; raises StartError."""
        self._ready()
        return self._description

    def renew(self) -> None:
        """End the child and all that it started; the next request starts another."""
        if self._child:
            self._child.stop(protocol.encode({"op": "stop", "id": next(self._ids)}))
            self._drop()

    def close(self) -> None:
        """End the child, all that it started, and its folders, except for the caller's `spill`."""
        self.renew()
        shutil.rmtree(self._folder, ignore_errors=True)
        self._own.close()

    @contextmanager
    def expecting_hang(self, seconds: float | None = None) -> Iterator[None]:
        """Limit requests about small files, which hung before, to `seconds`; None: to the shorter limit."""
        before = self._hangs, self._short_seconds
        self._hangs = _HANGS
        if seconds is not None:
            self._short_seconds = min(seconds, self._short_seconds)
        try:
            yield
        finally:
            self._hangs, self._short_seconds = before

    def _seconds(self, files: Sequence[str | os.PathLike[str]]) -> float:
        """Return the time limit, which grows with the files: a shorter one for small files after hangs.

        All hangs of an engine count as one finding, and a file of a few bytes is read in no time or never.
        """
        if self._hangs < _HANGS or not are_small(files):
            return self.limits.seconds + self.limits.byte_seconds * sum(map(size_of, files))
        return self._short_seconds

    def _idle_seconds(self, op: str, fields: Mapping[str, Any]) -> float:
        """Return how long the child may wait for nothing: it reads small files, or is in a deadlock.

        After a hang less. A foreign engine's process may be a mere client of what computes elsewhere.
        """
        files = files_of(fields)
        if op not in _REPEATED or self.foreign is not None or not are_small(files):
            return math.inf
        return self.limits.idle_seconds / (_SOONER if self._hangs else 1)

    def _table_bytes(self, fields: Mapping[str, Any]) -> int:
        """Return how many bytes the text of the tables of a request may have."""
        return self.limits.table_bytes + _TEXT * sum(map(size_of, files_of(fields)))

    def _ask(self, op: str, seconds: float, **fields: Any) -> tuple[dict[str, Any] | None, Outcome]:
        """Return a good reply and its outcome, or None and the outcome of the failure."""
        if op not in {"write", "digest", "probes"}:
            fields["spill"] = str(self._spill)
        reply: dict[str, Any] | None = None
        for _ in range(2):
            try:
                child = self._ready()
            except StartError as error:
                return None, error.outcome
            if lacking := self._lacking(op, fields):
                return None, Outcome(OutcomeKind.UNSUPPORTED, detail=Detail(message=lacking, phase="plan"))
            if op in _REPEATED:
                listed = {name: fields[name] for name in _LISTED if name in fields}
                self.recent.append({"op": op, **listed})
            elif op == "digest" and "query" in fields:
                listed = {name: fields[name] for name in _LISTED if name in fields and name != "file"}
                self.recent.append({"op": "query", "files": [fields["file"]], **listed})
            engine = f"{self._description['name']}@{self._description['version']}"
            with listed_while(engine, op, fields), self._plainly(fields) as named:
                idle_seconds = self._idle_seconds(op, fields)
                reply, outcome, untouched = self._talk(child, op, TimeLimit(seconds, idle_seconds), named)
            self._hangs += outcome.kind is OutcomeKind.HUNG
            if not untouched:
                break
            self._incident(f"{outcome.detail.message}, before it read the request")
        return reply, outcome

    @contextmanager
    def _plainly(self, fields: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the fields of a request with names that are UTF-8: JSON has no other in most languages.

        Our own worker does so itself.
        """
        names = fields.get("files", [fields["file"]] if "file" in fields else [])
        if self.foreign is None or not any(map(has_other_bytes, names)):
            yield fields
            return
        folder = self._folder / "links"
        folder.mkdir(exist_ok=True)
        self._links = self._links or Links(str(folder))
        with self._links.to(names, always=True, suffix=f".{fields['format']}") as links:
            plain = list(links)
            yield {**fields, **({"files": plain} if "files" in fields else {"file": plain[0]})}

    def _lacking(self, op: str, fields: Mapping[str, Any]) -> str:
        """Return the feature that a request needs and the engine's description lacks; "" if there is none."""
        description = self._description
        if op != "read" and op not in description.get("ops", [op]):
            return f"its description does not list the op {op}"
        if "keys" in fields and not description.get("keys", True):
            return "its description does not say that it takes keys"
        return ""

    def _ready(self) -> Child:
        """Return a child that has described itself; raises StartError."""
        if self._child:
            fault = self._child.fault()
            if not fault:
                return self._child
            self._incident(fault)
            self._child.kill()
            self._drop()
        if len(self._failed) >= self.limits.starts:
            raise StartError(self._failed[-1])
        outcome = self._start()
        if outcome.kind is not OutcomeKind.TABLE or self._child is None:
            self._failed.append(outcome)
            raise StartError(outcome)
        self._failed.clear()
        return self._child

    def _start(self) -> Outcome:
        self.starts += 1
        self.recent.clear()
        self._work = Path(tempfile.mkdtemp(prefix="child-", dir=self._folder))
        begun = time.monotonic()
        env = {**self._env, "TMPDIR": str(self._work)}
        try:
            self._child = Child(self.command, env, self._work, self.limits, speaks=self.foreign is None)
        except OSError as error:
            detail = Detail(error_class=type(error).__qualname__, message=str(error), phase="start")
            return Outcome(OutcomeKind.CRASHED, detail=detail, seconds=time.monotonic() - begun)
        reply, outcome, _ = self._talk(self._child, "describe", TimeLimit(self.limits.start_seconds), {})
        if reply:
            self._description = reply["description"]
        elif self._child:
            self._child.kill()
            self._drop()
        return outcome

    def _talk(
        self, child: Child, op: str, time_limit: TimeLimit, fields: dict[str, Any]
    ) -> tuple[dict[str, Any] | None, Outcome, bool]:
        """Return a good reply or None, its outcome, and whether the child was lost before reading."""
        number, begun = next(self._ids), time.monotonic()
        if "keys" in fields:
            self._keys.update(Keys.from_json(fields["keys"]).secrets())
        reply: dict[str, Any] | None = None
        untouched = False
        try:
            spills = Spills(self._spill, number, self._table_bytes(fields))
            line = child.exchange(protocol.encode({"op": op, "id": number, **fields}), *time_limit, spills)
            took = time.monotonic() - begun
            reply = accepted(line, Sent(op, number, fields, self._spill), self.foreign)
        except LostError as lost:
            took = time.monotonic() - begun
            kind, detail, untouched = lost.kind, lost_detail(lost, op, child), lost.untouched
        except protocol.ProtocolError as error:
            child.kill()
            kind, detail = (
                OutcomeKind.MISSPOKE,
                lost_detail(LostError(OutcomeKind.MISSPOKE, str(error)), op, child),
            )
        else:
            kind, detail = judged(reply)
        if reply is None:
            self._drop()
            for half_written in self._spill.glob(f"{number}-*.jsonl"):
                half_written.unlink(missing_ok=True)
        detail = scrubbed(detail, self._keys)
        cpu = reply.get("cpu", 0.0) if reply else 0.0
        outcome = Outcome(kind, None, detail, took, child.peak_rss, child.idle_rss, cpu)
        return (reply if kind is OutcomeKind.TABLE else None), outcome, untouched

    def _drop(self) -> None:
        if self._child:
            self._child.release()
            self._child = None
        if self._work:
            shutil.rmtree(self._work, ignore_errors=True)
            self._work = None

    def _incident(self, text: str) -> None:
        self.incidents = [*self.incidents[1 - _INCIDENTS_KEPT :], text]
