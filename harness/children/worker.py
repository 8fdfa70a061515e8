"""The child process of an engine: `python -m harness.children.worker MODULE:CLASS`, one request at a time.

The engine is opened before the first request is read; if the engine cannot be opened, every request gets that
error as its reply, with phase `start`. Every exception, also one of a library that derives from BaseException
(a Rust panic), becomes a reply. Anything else ends the process, which the parent notices.

The conversation has descriptors of its own: descriptor 0 reads nothing and descriptor 1 is standard error,
so that an engine that prints cannot be mistaken for a reply. Standard library only, Python 3.9.
"""

from __future__ import annotations

import faulthandler
import gc
import importlib
import json
import os
import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO, NoReturn

from corpora.answers import arranged
from corpora.constants import OnlyDigestError, UndefinedError
from corpora.keys import Keys, KeysError
from corpora.queries import Query, QueryError
from corpora.queries import from_json as query_from_json
from corpora.table_reads import TableRead, in_order
from corpora.tagged import Table
from corpora.tagged_text import block_text
from harness.children.garbage import collect_seldom
from harness.children.large_answers import LargeAnswers
from harness.children.leash import adopt_orphans, forbid_cores, hold_leash, restore_signals
from harness.children.links import Links, has_other_bytes
from harness.children.protocol import (
    ADAPTER,
    INLINE_BYTES,
    MAX_MESSAGE,
    ProtocolError,
    decode_request,
    encode,
)

_STOPPING = (KeyboardInterrupt, SystemExit)
_UNEVALUATED = (OnlyDigestError, UndefinedError)  # of a query that is right, which colconf evaluates itself
_SPILL_BATCH = 1 << 20
_OF_ONE = ("read", "rows", "read_table")


class Worker:
    """An engine, and its replies to requests."""

    def __init__(self, spec: str) -> None:
        self.stopped = False
        self.engine: Any = None
        self.failure: dict[str, str] = {}
        self.links: Links | None = None
        self.large = LargeAnswers()
        try:
            self.engine = open_engine(spec)
        except _STOPPING:
            raise
        except BaseException as error:  # noqa: BLE001 - also a panic while importing
            self.failure = describe_error("unsupported", error, "start")

    def answer(self, line: bytes) -> bytes:
        """Return the reply line to a request line."""
        try:
            request = decode_request(line)
        except ProtocolError as error:
            return encode({"id": -1, "error": describe_error("misspoke", error, "request")})
        head, op = {"id": request["id"]}, request["op"]
        if op == "stop":
            self.stopped = True
            return encode({**head, "stopped": True})
        if self.failure:
            return encode({**head, "error": self.failure})
        before = _cpu_seconds()
        try:
            answer = self._ask(op, request)
        except _STOPPING:
            raise
        except BaseException as error:  # noqa: BLE001 - every exception becomes a reply
            return encode({**head, "cpu": _cpu_seconds() - before, "error": self._error(error, op)})
        head["cpu"] = _cpu_seconds() - before
        try:
            return _reply(head, op, answer, request)
        except RecursionError as error:  # deeper than our own code goes: not a fault of the engine
            return encode({**head, "error": describe_error("unsupported", error, "answer")})
        except Exception as error:  # noqa: BLE001 - an adapter's answer that is no table, or a full disk
            return encode({**head, "error": describe_error("misspoke", error, "answer")})

    def _ask(self, op: str, request: dict[str, Any]) -> Any:
        if op == "describe":
            return self.engine.describe()
        self.large.before(op)
        self.engine.enter(Keys.from_json(request["keys"]) if "keys" in request else None)
        if op == "write":
            table = Table.from_json(request["table"])
            return self.engine.write(
                request["file"], request["format"], request["config"], table, request["options"]
            )
        with self._as_text(request) as named:
            return self._read(op, named)

    @contextmanager
    def _as_text(self, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the request with files whose names are UTF-8: some engines take a name as text."""
        files = request["files"] if "files" in request else [request["file"]]
        if not any(map(has_other_bytes, files)):
            yield request
            return
        self.links = self.links or Links()
        with self.links.to(files, always=True, suffix=f".{request['format']}") as names:
            links = list(names)
            yield {**request, **({"files": links} if "files" in request else {"file": links[0]})}

    def _read(self, op: str, request: dict[str, Any]) -> Any:
        if op == "query":
            query = query_from_json(request["query"])
            if "read" in request:
                return self._of_tables(request, query)
            tables = self.engine.query(request["files"], request["format"], request["config"], query)
            return [arranged(query, table) for table in tables]
        if op == "probes":
            read = TableRead.from_json(request["read"]) if "read" in request else None
            return self.engine.probes(request["file"], request["format"], request["most"], read)
        arguments = (request["format"], request["config"])
        if "query" in request:
            return self.large.reply(self.engine, request, self._answered)
        if op == "digest":
            return self.engine.digest(request["file"], *arguments, request["block_rows"])
        if op == "rows":
            return self.engine.rows(request["file"], *arguments, request["first"], request["count"])
        if op == "read_table":
            read = TableRead.from_json(request["read"])
            return in_order(self.engine.read_table(request["file"], *arguments, read))
        if op == "read_tables":
            read = TableRead.from_json(request["read"])
            return list(map(in_order, self.engine.read_tables(request["files"], *arguments, read)))
        files = request["file"] if op == "read" else request["files"]
        return getattr(self.engine, op)(files, *arguments)

    def _answered(self, request: dict[str, Any]) -> Table:
        query = query_from_json(request["query"])
        (table,) = self.engine.query([request["file"]], request["format"], request["config"], query)
        return arranged(query, table)

    def _of_tables(self, request: dict[str, Any], query: Query) -> list[Table]:
        self.engine.check_query(query)
        read, format_, config = TableRead.from_json(request["read"]), request["format"], request["config"]
        tables = self.engine.query_tables(request["files"], format_, config, read, query)
        return list(map(in_order, tables))

    def _error(self, error: BaseException, op: str) -> dict[str, str]:
        """Return the error member of a reply, with the origin of a mistake in Python code, and the step."""
        try:
            origin = str(self.engine.origin(error))
        except Exception:  # noqa: BLE001 - an error that cannot be looked at has no known origin
            origin = ""
        is_mistake = origin == ADAPTER and not isinstance(error, _UNEVALUATED)
        kind = "misspoke" if is_mistake else self._classify(error)
        step = {"step": self.engine.step} if self.engine.step else {}
        return {**describe_error(kind, error, op), "origin": origin, **step}

    def _classify(self, error: BaseException) -> str:
        if isinstance(error, MemoryError):
            return "out_of_memory"
        if isinstance(error, _UNEVALUATED):
            return "unsupported"
        if isinstance(error, (QueryError, KeysError)):  # the query is invalid, or does not fit this file
            return "misspoke"
        try:
            return "panicked" if self.engine.panicked(error) else str(self.engine.classify(error))
        except Exception:  # noqa: BLE001 - an error that cannot be looked at is a refusal all the same
            return "refused"


def open_engine(spec: str) -> Any:
    """Import `MODULE:CLASS` and return an instance."""
    module, _, name = spec.partition(":")
    return getattr(importlib.import_module(module), name)()


def describe_error(kind: str, error: BaseException, phase: str) -> dict[str, str]:
    """Return the error member of a reply; without a text if `str` of the error fails."""
    cls = type(error)
    name = cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"
    try:
        message = str(error)
    except _STOPPING:
        raise
    except BaseException as second:  # noqa: BLE001 - __str__ of a library
        message = f"(its text cannot be had: {type(second).__name__})"
    return {"kind": kind, "class": name[:200], "message": message[:MAX_MESSAGE], "phase": phase}


def _cpu_seconds() -> float:
    """Return the CPU time of this process, all threads, and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _reply(head: dict[str, Any], op: str, answer: Any, request: dict[str, Any]) -> bytes:
    if op == "describe":
        return encode({**head, "description": answer})
    if op == "write":
        return encode({**head, "written": True})
    if op == "digest":
        return encode({**head, "digests": answer})
    if op == "probes":
        cells, probes = answer
        return encode({**head, "probes": probes, "cells": cells})
    tables = [answer] if op in _OF_ONE else answer
    texts = render(tables, os.path.join(request["spill"], str(request["id"])))  # noqa: PTH118 - 3.9, a plain path
    if op in _OF_ONE:
        return encode(head, f'"table":{texts[0]}')
    if len(texts) != len(request["files"]):
        raise ProtocolError(f"{len(texts)} tables for {len(request['files'])} files")
    return encode(head, f'"tables":[{",".join(texts)}]')


def render(tables: Iterable[Table], stem: str) -> list[str]:
    """Return each table as JSON: its blocks, or, when INLINE_BYTES are used up, a file `<stem>-<n>.jsonl`."""
    texts = []
    budget = INLINE_BYTES
    for number, table in enumerate(tables):
        blocks = map(block_text, table.blocks())
        lines: list[str] = []
        used = 0
        for line in blocks:
            lines.append(line)
            used += len(line)
            if used > budget:
                break
        head = json.dumps(
            {"columns": [column.to_json() for column in table.columns], "rows": table.num_rows}
        )[:-1]
        if used <= budget:
            budget -= used
            texts.append(f'{head},"blocks":[{",".join(lines)}]}}')
            continue
        path = f"{stem}-{number}.jsonl"
        with open(path, "w", encoding="ascii", buffering=_SPILL_BATCH) as out:  # noqa: PTH123 - 3.9, a plain path
            out.writelines(line + "\n" for line in lines)
            out.writelines(line + "\n" for line in blocks)
        texts.append(f'{head},"spill":{json.dumps(path)}}}')
    return texts


def private_streams() -> tuple[BinaryIO, BinaryIO]:
    """Return streams of requests and replies that nothing else in this process uses."""
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return requests, replies


def become(program: Sequence[str], requests: BinaryIO, replies: BinaryIO) -> NoReturn:
    """Run a program that speaks the protocol in this process's place, on its standard input and output.

    Process id, leash and limits stay as they are. Nothing of the requests has been read.
    """
    os.dup2(requests.fileno(), 0)
    os.dup2(replies.fileno(), 1)
    restore_signals()
    os.execv(program[0], list(program))  # noqa: S606 - an engine's own command, without a shell


def main() -> int:
    """Return requests until `stop` or the end of standard input."""
    requests, replies = private_streams()
    forbid_cores()
    adopt_orphans()
    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1)  # the parent asks where it hangs before it kills
    hold_leash()
    gc.disable()  # imports leave hardly any garbage, and to look for it takes a tenth of the start
    worker = Worker(sys.argv[1])
    if worker.engine is not None and worker.engine.program:
        become(worker.engine.program, requests, replies)
    gc.freeze()
    collect_seldom()
    gc.enable()
    for line in requests:
        replies.write(worker.answer(line))
        replies.flush()
        if worker.stopped:
            break
    return 0


if __name__ == "__main__":
    sys.exit(main())
