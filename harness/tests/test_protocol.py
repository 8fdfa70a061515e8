"""The protocol: what is a message, and what is not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.tagged import BOOL, Table
from harness.children.outcomes import OutcomeKind
from harness.children.protocol import (
    ERROR_KINDS,
    OF_ANSWERS,
    VERSION,
    ProtocolError,
    decode_reply,
    decode_request,
    encode,
)

TABLE = Table.of([("a", BOOL)], [[True, None]])
DESCRIPTION: dict[str, Any] = {
    "name": "x",
    "version": "1",
    "runtime": "",
    "equivalences": [],
    "writes": {},
}
DESCRIPTION |= {"queries": [], "float_order": "ieee", "aggregate_order": "ieee", "streams": []}
DESCRIPTION["file_order"] = False
DIGESTED = {"name": "a", "type": BOOL.to_json(), "digests": ["0f", "f0"], "nulls": [0, 1]}
REQUESTS = [
    {"op": "describe", "id": 1},
    {"op": "read", "id": 2, "file": "f", "format": "parquet", "config": {"a": "b"}, "spill": "/s"},
    {"op": "read_many", "id": 3, "files": ["f"], "format": "parquet", "config": {}, "spill": "/s"},
    {
        "op": "query",
        "id": 6,
        "files": ["f"],
        "format": "parquet",
        "config": {},
        "query": {"kind": "batches", "rows": 1},
        "spill": "/s",
    },
    {
        "op": "query",
        "id": 9,
        "files": ["f"],
        "format": "parquet",
        "config": {},
        "query": {"kind": "batches", "rows": 1},
        "read": {"columns": []},
        "spill": "/s",
    },
    {
        "op": "write",
        "id": 4,
        "file": "f",
        "format": "orc",
        "config": {},
        "table": TABLE.to_json(),
        "options": {},
    },
    {"op": "digest", "id": 7, "file": "f", "format": "orc", "config": {}, "block_rows": 4096},
    {"op": "rows", "id": 8, "file": "f", "format": "orc", "config": {}, "first": 1, "count": 2, "spill": ""},
    {
        "op": "digest",
        "id": 9,
        "file": "f",
        "format": "orc",
        "config": {},
        "block_rows": 4096,
        "query": {"kind": "batches", "rows": 3},
    },
    {"op": "stop", "id": 5},
]
REPLIES = [
    ("describe", {"description": DESCRIPTION}),
    ("read", {"table": TABLE.to_json()}),
    ("read_many", {"tables": [TABLE.to_json()] * 2}),
    ("query", {"tables": [TABLE.to_json()]}),
    ("digest", {"digests": {"rows": 5, "block_rows": 4, "columns": [DIGESTED]}}),
    ("rows", {"table": TABLE.to_json()}),
    ("write", {"written": True}),
    ("stop", {"stopped": True}),
]
ERROR = {"kind": "refused", "class": "ValueError", "message": "no", "phase": "read"}


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda one: one["op"])
def test_requests(request_):
    """Each request survives; none does with a field missing, one too many, or one of another type."""
    assert decode_request(encode(request_)) == {"v": VERSION, **request_}
    optional = {"read"} | ({"query"} if request_["op"] in OF_ANSWERS else set())
    for name in set(request_) - {"v"}:
        if name not in optional:
            with pytest.raises(ProtocolError):
                decode_request(encode({key: value for key, value in request_.items() if key != name}))
        with pytest.raises(ProtocolError):
            decode_request(encode({**request_, name: None}))
    with pytest.raises(ProtocolError):
        decode_request(encode({**request_, "more": 1}))


@pytest.mark.parametrize(("op", "fields"), REPLIES, ids=[op for op, _ in REPLIES])
def test_replies(op, fields):
    """Each reply survives under its own request, and under no other number or kind of request."""
    line = encode({"id": 9, **fields})
    assert set(decode_reply(line, op, 9)) == {"v", "id", *fields}
    with pytest.raises(ProtocolError):
        decode_reply(line, op, 8)
    for other, members in REPLIES:
        if set(members) != set(fields):
            with pytest.raises(ProtocolError):
                decode_reply(line, other, 9)


def test_tables_are_read():
    """Tables in replies come back as tables."""
    assert decode_reply(encode({"id": 1, "table": TABLE.to_json()}), "read", 1)["table"] == TABLE


def test_rendered_members():
    """Text that was rendered before is part of the message."""
    line = encode({"id": 1}, f'"table":{json.dumps(TABLE.to_json())}')
    assert decode_reply(line, "read", 1)["table"] == TABLE
    assert line.count(b"\n") == 1


def test_errors():
    """An error answers any request; its kind is one of the closed set, all of them outcomes."""
    for op, _ in REPLIES:
        assert decode_reply(encode({"id": 1, "error": ERROR}), op, 1)["error"] == ERROR
    for bad in ({**ERROR, "kind": "bored"}, {**ERROR, "more": 1}, {}, "no", {**ERROR, "message": 5}):
        with pytest.raises(ProtocolError):
            decode_reply(encode({"id": 1, "error": bad}), "read", 1)
    assert set(ERROR_KINDS) <= set(OutcomeKind)


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=8,
    )
)
def test_any_json_is_a_message_or_an_error(data):
    """Whatever JSON a child answers, the decoder raises ProtocolError or nothing."""
    for line in (
        json.dumps(data),
        json.dumps({"v": VERSION, "id": 1, "table": data}),
        json.dumps({"v": VERSION, "id": 1, "error": data}),
    ):
        with pytest.raises(ProtocolError):
            decode_reply(line.encode(), "read", 1)
        with pytest.raises(ProtocolError):
            decode_request(line.encode())


@settings(deadline=None)
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "columns": st.sampled_from(
                [[], 5, None, [5], [{"name": "a", "type": {"kind": "bool"}}], [{"name": 1}]]
            ),
            "rows": st.sampled_from([0, 1, 2, -1, True, "1", None, 10**30]),
            "blocks": st.sampled_from(
                [[], 5, None, [5], [[5]], [[[True, None]]], [[[True, None], []]], {}, "ab"]
            ),
        },
    )
)
def test_a_bad_table_is_no_reply(table):
    """A table with wrong parts is refused; one with right parts is read."""
    line = encode({"id": 1, "table": table})
    try:
        decoded = decode_reply(line, "read", 1)["table"]
    except ProtocolError:
        return
    assert decoded.num_rows in (0, 1, 2, 10**30)
    assert sum(1 for _ in decoded.blocks()) in (0, 1)


@pytest.mark.parametrize(
    "changed",
    [
        {"rows": 9},
        {"rows": -1},
        {"block_rows": 0},
        {"columns": [{**DIGESTED, "nulls": [0]}]},
        {"columns": [{**DIGESTED, "digests": ["0f"]}]},
        {"columns": [{**DIGESTED, "type": {"kind": "what"}}]},
        {"columns": [{**DIGESTED, "more": 1}]},
        {"columns": [7]},
    ],
)
def test_digests_that_are_none(changed):
    """Digests have one for each block of each column, and columns have types."""
    digests = {"rows": 5, "block_rows": 4, "columns": [DIGESTED], **changed}
    with pytest.raises(ProtocolError):
        decode_reply(encode({"id": 9, "digests": digests}), "digest", 9)


DEEP = b"[" * 100_000 + b"]" * 100_000


def test_a_reply_nested_too_deep_says_nothing_of_the_engine():
    """What our own code cannot read for its depth is unsupported; a request, which we write, is none."""
    reply = decode_reply(b'{"v":%d,"id":7,"table":%s}' % (VERSION, DEEP), "read", 7)
    assert (reply["id"], reply["error"]["kind"]) == (7, "unsupported")
    with pytest.raises(ProtocolError, match="too deep"):
        decode_request(DEEP)


def test_the_time_of_a_reply():
    """A reply may say how much CPU time it took, in seconds; nothing else stands for them."""
    for reply, op in (({"written": True}, "write"), ({"error": ERROR}, "read")):
        assert decode_reply(encode({"id": 1, "cpu": 0.5, **reply}), op, 1)["cpu"] == 0.5
        with pytest.raises(ProtocolError):
            decode_reply(encode({"id": 1, "cpu": "0.5", **reply}), op, 1)
