"""The conversation between the harness and an engine's child process: JSON lines, versioned.

The parent writes one request per line to the child's standard input, the child answers each with one
reply line on its (private) standard output, in order. Requests:

| op            | further fields                                        | a good reply carries               |
|---------------|-------------------------------------------------------|------------------------------------|
| `describe`    |                                                       | `description`                      |
| `read`        | `file`, `format`, `config`, `spill`                   | `table`                            |
| `read_many`   | `files`, `format`, `config`, `spill`                  | `tables`, one per file, in order   |
| `query`       | `files`, `format`, `config`, `query`, `spill`         | `tables`, one per file, in order   |
| `digest`      | `file`, `format`, `config`, `block_rows`              | `digests`                          |
| `rows`        | `file`, `format`, `config`, `first`, `count`, `spill` | `table`                            |
| `read_table`  | `file`, `format`, `config`, `read`, `spill`           | `table`                            |
| `read_tables` | `files`, `format`, `config`, `read`, `spill`          | `tables`, one per folder, in order |
| `probes`      | `file`, `format`, `most`                              | `probes`                           |
| `write`       | `file`, `format`, `config`, `table`, `options`        | `written: true`                    |
| `stop`        |                                                       | `stopped: true`, then exit 0       |

`config` maps an engine's switches to values (`{"vectorized": "on"}`). `spill` is an existing folder, named
by the parent, where a child puts tables too large for a line, one file each, named `<id>-<n>.jsonl`: a
reply carries at most `INLINE_BYTES` of rendered blocks (bytes, not cells: one cell may hold a megabyte).
Requests about files may have `keys`, which open those that are encrypted (`corpora.keys`, `to_wire`); an
engine that cannot take keys answers `unsupported`.
`query` is one of `corpora.queries` as JSON, asked of each file. With a `read`, files are folders, each of
which is read as one table; the rows of the reply are in the order of their values.
`read_table` reads a folder (`file`) as one table, as `read` (`corpora.table_reads.TableRead`) says; the rows
of the reply are in the order of their values. `read_tables` does so for each of several folders (`files`).
`digests`: `rows`, `block_rows` and `columns`, each a `name`, a `type` (tagged), and for each block of
`block_rows` rows (fewer in the last) one of `digests` (hex, `harness.engines.digests`) and of `nulls`, how
many there are. Memory is bounded, whatever the file. `rows` answers the rows `first:first + count`, read as
`digest` reads them. Both may have a `query`, and are about its answer then, which a child holds until it gets
another request: the rows are those of the answer that was digested.
`probes`: at most `most` queries that are derived from a file, in the form of `corpora.cases.Probe`, or with a
`read` from the folder that it reads; only the reference derives them.
`options` of `write`: `codec`, `page_version` (1 or 2), `dictionary` (bool), `row_group_rows`, `indexed`
(bool: small pages, page index, Bloom filters, checksums, as far as the engine has options for them).

Any request may instead be answered with an `error`: `{"kind", "class", "message", "phase"}`, kind being
`refused` (the engine raised), `unsupported` (the engine says it lacks the feature), `out_of_memory`, or
`misspoke` (the adapter's or the harness's fault, never the engine's: an answer that is no table, a request
that is none). `phase` is `start` (the engine could not be opened), the op, or `answer` (the table was read,
and could not be sent). Where Python code has the mistake that was raised, `origin` says in whose: `adapter`
(which is `misspoke`) or `binding`, else it is "" or left out (`harness/engines/origins.py`). Where the
engine has one call that opens a file and another that reads its rows, `step` says which of them raised:
`open` or `rows`. A reply may have `cpu`, the seconds of CPU time that it took. Every message carries `v`
(VERSION) and `id`, the reply the same as its request.
Runs in engine children: standard library only, Python 3.9.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Callable

from corpora.tagged import Field, Table, TaggedError

VERSION = 3
INLINE_BYTES = 4 << 20
LIMITED = "limited"
ERROR_KINDS = ("refused", "unsupported", "out_of_memory", LIMITED, "panicked", "misspoke")
ADAPTER, BINDING = "adapter", "binding"
ORIGINS = ("", ADAPTER, BINDING)
STEPS = (OPEN, ROWS) = ("open", "rows")
MAX_MESSAGE = 4_000

_REQUESTS: dict[str, dict[str, type]] = {
    "describe": {},
    "read": {"file": str, "format": str, "config": dict, "spill": str},
    "read_many": {"files": list, "format": str, "config": dict, "spill": str},
    "query": {"files": list, "format": str, "config": dict, "query": dict, "spill": str},
    "digest": {"file": str, "format": str, "config": dict, "block_rows": int},
    "rows": {"file": str, "format": str, "config": dict, "first": int, "count": int, "spill": str},
    "read_table": {"file": str, "format": str, "config": dict, "read": dict, "spill": str},
    "read_tables": {"files": list, "format": str, "config": dict, "read": dict, "spill": str},
    "probes": {"file": str, "format": str, "most": int},
    "write": {"file": str, "format": str, "config": dict, "table": dict, "options": dict},
    "stop": {},
}
OF_TABLES = ("query", "probes")  # requests that may be about folders, each of which is a table
OF_ANSWERS = ("digest", "rows")  # requests that may be about the answer to a query
KEYED = ("read", "read_many", "query", "digest", "rows", "probes")
_REPLIES: dict[str, dict[str, type]] = {
    "describe": {"description": dict},
    "read": {"table": dict},
    "read_many": {"tables": list},
    "query": {"tables": list},
    "digest": {"digests": dict},
    "rows": {"table": dict},
    "read_table": {"table": dict},
    "read_tables": {"tables": list},
    "probes": {"probes": list, "cells": int},
    "write": {"written": bool},
    "stop": {"stopped": bool},
}
_ERROR = {"kind": str, "class": str, "message": str, "phase": str}
# What a reader need not have: it lists those that it has in `ops`.
OPTIONAL_OPS = tuple(op for op in _REQUESTS if op not in {"describe", "read", "probes", "stop"})
DESCRIPTION = {
    "name": str,
    "version": str,
    "runtime": str,
    "equivalences": list,
    "queries": list,
    "float_order": str,
    "aggregate_order": str,
    "file_order": bool,
}
# `ops` and `keys` are of engines that have not every op; colconf's own say what they write with, and of which
# formats they hand out files in batches (`harness/engines/base.py`).
OF_OUR_ENGINES = {"writes": dict, "streams": list}
MORE_OF_DESCRIPTION = {"ops": list, "keys": bool, "row_order": bool, "sort_order": str, **OF_OUR_ENGINES}
_DIGESTS = {"rows": int, "block_rows": int, "columns": list}
_DIGESTED = {"name": str, "type": dict, "digests": list, "nulls": list}


Whole = Callable[["dict[str, Any]", str], "dict[str, Any]"]


class ProtocolError(ValueError):
    """A line is not a message of this protocol."""


def encode(message: dict[str, Any], rendered: str = "") -> bytes:
    """Return the message as one line, newline included.

    `rendered` is the text of further members (`"table":{…}`), rendered by the caller so that a large table
    is rendered once.
    """
    text = json.dumps({"v": VERSION, **message}, separators=(",", ":"))
    if rendered:
        text = f"{text[:-1]},{rendered}}}"
    return text.encode("ascii") + b"\n"


def decode_request(line: bytes) -> dict[str, Any]:
    """Read a request line; raises ProtocolError if it is none."""
    try:
        message = _message(line)
    except RecursionError as error:
        raise ProtocolError(f"nested too deep: {line[:80]!r}") from error
    op = message.get("op")
    fields = _REQUESTS.get(op) if isinstance(op, str) else None
    if fields is None:
        raise ProtocolError(f"unknown op {op!r:.40}")
    more: dict[str, type] = {"keys": dict} if "keys" in message and op in KEYED else {}
    more |= {"read": dict} if "read" in message and op in OF_TABLES else {}
    more |= {"query": dict} if "query" in message and op in OF_ANSWERS else {}
    _check(message, {"v": int, "id": int, "op": str, **fields, **more})
    return message


def decode_reply(
    line: bytes, op: str, expected_id: int, whole: Whole = lambda message, _: message
) -> dict[str, Any]:
    """Read the reply to request `expected_id` of kind `op`; raises ProtocolError if it is none.

    `whole` adds the optional members to a reply that lacks them. Tables in it are answered as `Table`,
    checked for shape. A reply that is nested deeper than our own code supports becomes an error of kind
    `unsupported`, as in a child: this is no problem of the engine.
    """
    try:
        return _decoded(line, op, expected_id, whole)
    except RecursionError:
        return too_deep(expected_id)


def too_deep(number: int) -> dict[str, Any]:
    """Return the reply to a request in place of one that is nested deeper than our own code goes."""
    why = {"kind": "unsupported", "class": "RecursionError", "phase": "answer"}
    why["message"] = "the answer is nested deeper than colconf reads"
    return {"v": VERSION, "id": number, "error": why}


def _decoded(line: bytes, op: str, expected_id: int, whole: Whole) -> dict[str, Any]:
    message = whole(_message(line), op)
    if message.get("id") != expected_id:
        raise ProtocolError(f"a reply to request {message.get('id')!r:.40}, not {expected_id}")
    head: dict[str, type] = {"v": int, "id": int, **({"cpu": float} if "cpu" in message else {})}
    if "error" in message:
        _check(message, {**head, "error": dict})
        _check_error(message["error"])
        return message
    _check(message, {**head, **_REPLIES[op]})
    if op == "describe":
        more = {name: kind for name, kind in MORE_OF_DESCRIPTION.items() if name in message["description"]}
        _check(message["description"], {**DESCRIPTION, **more})
    try:
        if op in ("read", "rows", "read_table"):
            message["table"] = Table.from_json(message["table"])
        elif op in ("read_many", "query", "read_tables"):
            message["tables"] = [Table.from_json(table) for table in message["tables"]]
        elif op == "digest":
            _check_digests(message["digests"])
    except (TaggedError, TypeError, KeyError) as error:
        raise ProtocolError(f"a table: {error}") from error
    return message


def _check_error(error: dict[str, Any]) -> None:
    """Check the form of an error; raises ProtocolError."""
    _check(error, {**_ERROR, **{name: str for name in ("origin", "step") if name in error}})
    if error.get("origin", "") not in ORIGINS:
        raise ProtocolError(f"unknown origin of an error {error['origin']!r:.40}")
    if error.get("step", OPEN) not in STEPS:
        raise ProtocolError(f"unknown step of an error {error['step']!r:.40}")
    if error["kind"] not in ERROR_KINDS:
        raise ProtocolError(f"unknown kind of error {error['kind']!r:.40}")


def _check_digests(digests: dict[str, Any]) -> None:
    """Check the form of digests; raises ProtocolError and TaggedError."""
    _check(digests, _DIGESTS)
    rows, block_rows = digests["rows"], digests["block_rows"]
    if type(rows) is not int or type(block_rows) is not int or rows < 0:
        raise ProtocolError(f"digests of {rows!r:.40} rows in blocks of {block_rows!r:.40}")
    blocks = -(-rows // block_rows) if block_rows > 0 else -1
    for column in digests["columns"]:
        _check(column, _DIGESTED)
        if not len(column["digests"]) == len(column["nulls"]) == blocks:
            raise ProtocolError(f"the blocks of {rows} rows are not {len(column['digests'])}")
        if not all(isinstance(digest, str) for digest in column["digests"]):
            raise ProtocolError("a digest is no text")
        if not all(type(count) is int for count in column["nulls"]):
            raise ProtocolError("a count of nulls is no whole number")
        Field.from_json({name: column[name] for name in ("name", "type")})


def _message(line: bytes) -> dict[str, Any]:
    try:
        message = json.loads(line)
    except ValueError as error:
        raise ProtocolError(f"not JSON: {line[:80]!r}") from error
    if not isinstance(message, dict) or message.get("v") != VERSION:
        raise ProtocolError(f"not a message of version {VERSION}: {line[:80]!r}")
    return message


def _check(message: dict[str, Any], fields: Mapping[str, type]) -> None:
    if set(message) != set(fields):
        raise ProtocolError(f"fields {sorted(message)}, not {sorted(fields)}")
    for name, kind in fields.items():
        if not isinstance(message[name], kind):
            text = "of another type" if name == "keys" else f"{message[name]!r:.40}"
            raise ProtocolError(f"{name} is {text}, not {kind.__name__}")
