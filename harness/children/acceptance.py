"""The check of a reply by the parent: a message of the protocol that fits its request and its places.

A foreign reader's reply is any bytes: whatever they are, they are a reply that fits, or a ProtocolError.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from corpora.tagged import Table, Type
from harness.children import protocol
from harness.children.foreign import Foreign
from harness.children.protocol import ProtocolError
from harness.children.simple_form import checked, whole_by

MOST_VALUES = 4 << 20  # of JSON in a reply: INLINE_BYTES have half as many
MOST_NESTED = 160  # types inside each other; they are compared by recursion, five frames a level
_MALFORMED = (TypeError, KeyError, AttributeError, ValueError, OverflowError, RecursionError)


class Misfit(ProtocolError):  # noqa: N818 - of a reply, not of colconf
    """A reply that is a message, and does not fit its request; `mend` is what to do, in one line."""

    def __init__(self, message: str, mend: str) -> None:
        super().__init__(message)
        self.mend = mend


class Sent(NamedTuple):
    """A request that was sent: its op, its id, its other fields, and the folder for large tables."""

    op: str
    number: int
    fields: Mapping[str, Any]
    spill: Path


def accepted(line: bytes, sent: Sent, foreign: Foreign | None = None) -> dict[str, Any]:
    """Return the reply to a request; raises ProtocolError if it is none, and Misfit if it does not fit.

    Tables are `Table`; those in files lie in the folder of the request, named `<id>-<n>.jsonl`. Every value
    of a foreign reader is checked against its type.
    """
    if has_more_values(line, MOST_VALUES):
        raise Misfit(
            f"a reply of more than {MOST_VALUES:,} values", "write large tables into files in `spill`"
        )
    if foreign is None:
        return _fitting(protocol.decode_reply(line, sent.op, sent.number), sent)
    try:
        return _of_foreign(line, sent, foreign)
    except ProtocolError:
        raise
    except _MALFORMED as error:
        raise ProtocolError(f"a malformed reply: {type(error).__name__}: {error}") from error


def _of_foreign(line: bytes, sent: Sent, foreign: Foreign) -> dict[str, Any]:
    reply = _fitting(protocol.decode_reply(line, sent.op, sent.number, whole_by(foreign)), sent)
    if "error" in reply:
        return reply
    if sent.op == "describe" and (mistake := foreign.mistake(reply["description"])):
        raise Misfit(mistake, "have `describe` and the manifest say the same")
    checked(reply)
    return reply


def _fitting(reply: dict[str, Any], sent: Sent) -> dict[str, Any]:
    """Return a reply whose tables and digests are as many, and where, as the request says."""
    if "tables" in reply and len(reply["tables"]) != len(sent.fields["files"]):
        message = f"{len(reply['tables'])} tables for {len(sent.fields['files'])} files"
        raise Misfit(message, "reply with a table for each file, in order")
    for place, table in enumerate(_tables(reply)):
        path = None if table.spill is None else Path(table.spill)
        if path is not None and path.parent != sent.spill:
            message = f"a table's file is {table.spill!r:.120}, outside of its folder"
            raise Misfit(message, "write it into the folder `spill` of the request")
        if path is not None and path.name != f"{sent.number}-{place}.jsonl":
            message = f"a table's file is called {path.name!r:.80}"
            raise Misfit(message, f"call it <id>-<n>.jsonl, here {sent.number}-{place}.jsonl")
    if "digests" in reply and reply["digests"]["block_rows"] != sent.fields["block_rows"]:
        message = f"digests of blocks of {reply['digests']['block_rows']} rows"
        raise Misfit(message, f"make blocks of as many rows as the request says, {sent.fields['block_rows']}")
    if any(_depth(field.type) > MOST_NESTED for table in _tables(reply) for field in table.columns):
        return protocol.too_deep(sent.number)
    return reply


def _tables(reply: Mapping[str, Any]) -> Iterator[Table]:
    if "table" in reply:
        yield reply["table"]
    yield from reply.get("tables", ())


def _depth(type_: Type) -> int:
    """Return how many types are inside each other."""
    deepest, level = 0, [type_]
    while level:
        deepest += 1
        level = [child.type for each in level for child in each.children]
    return deepest


_BEFORE_VALUES = (b",", b"[", b"{")


def has_more_values(line: bytes, most: int) -> bool:
    """Return whether a line of JSON has more than `most` values, objects and arrays counted twice.

    Each value costs the parser up to 72 bytes: a line of 60 MB may be 20 million empty objects, of 1.4 GB.
    Signs inside of strings do not count. What is no JSON gets either answer.
    """
    if sum(map(line.count, _BEFORE_VALUES)) <= most:
        return False
    plain = line.replace(b"\\\\", b"").replace(b'\\"', b"")  # where a quote begins or ends a string
    values = end = 0
    for _ in range(2 * most):  # strings, which are values or names of members
        begin = plain.find(b'"', end)
        stop = begin if begin >= 0 else len(plain)
        values += sum(plain.count(sign, end, stop) for sign in _BEFORE_VALUES)
        end = plain.find(b'"', begin + 1) + 1
        if values > most or begin < 0 or end == 0:
            return values > most
    return True
