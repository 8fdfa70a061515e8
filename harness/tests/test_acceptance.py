"""Whatever bytes a foreign reader replies with: they are a reply that fits the request, or refused."""

import contextlib
import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.tagged import Table, Type, integer
from harness.children import acceptance, protocol, simple_form
from harness.children.acceptance import MOST_NESTED, Misfit, Sent, accepted, has_more_values
from harness.children.foreign import Foreign
from harness.children.protocol import VERSION, ProtocolError
from harness.judging.compare import compare

READER = Foreign("my_reader", ("parquet",))
NUMBER = integer(32).to_json()
COLUMN = [{"name": "x", "type": NUMBER}]
HEAD = {"v": VERSION, "id": 7}


def line(**members):
    """Return the line of a reply to request 7."""
    return json.dumps({**HEAD, **members}).encode()


def sent(folder, op="read", **fields):
    """Return request 7."""
    return Sent(op, 7, {"file": "f", **fields}, folder)


def table(**changes):
    """Return a table of one column and two rows, with changes."""
    return {"columns": COLUMN, "rows": 2, "values": [["1", None]], **changes}


def nested(depth):
    """Return a type of lists inside each other, and a value of it."""
    type_, value = NUMBER, "1"
    for _ in range(depth - 1):
        type_, value = {"kind": "list", "children": [{"name": "element", "type": type_}]}, [value]
    return type_, value


def test_a_reply_that_fits(tmp_path):
    """A table in the simple form is one in blocks, and seconds of CPU may be a whole number."""
    reply = accepted(line(table=table(), cpu=1), sent(tmp_path), READER)
    assert reply["table"].column(0) == ["1", None]
    assert reply["cpu"] == 1.0


@pytest.mark.parametrize(
    "given_line",
    [
        line(table=table(rows=2.0)),
        line(table=table(rows=True, values=[["1"]])),
        line(table=table(rows=-1, values=[[]])),
        line(table=table(), cpu=10**400),
        line(table=table(), cpu=float("nan")),
        line(table=table(), cpu=-1),
        line(table=table(), cpu="1"),
        line(table={"columns": COLUMN, "rows": 2, "spill": ""}),
        line(table={"columns": COLUMN, "rows": 2, "spill": "/etc/passwd"}),
        line(
            table={
                "columns": [{"name": "x", "type": {"kind": "float", "bits": 24}}],
                "rows": 0,
                "values": [[]],
            }
        ),
        line(table={"columns": [{"name": "x", "type": {"kind": ["int"]}}], "rows": 0, "values": [[]]}),
        line(table={"columns": [{"name": "x", "type": {**NUMBER, "bits": [32]}}], "rows": 0, "values": [[]]}),
        line(table=[]),
        line(table={"columns": [{"name": "\ud800", "type": NUMBER}], "rows": 0, "values": [[]]}),
        line(
            table={"columns": [{"name": "x", "type": {"kind": "string"}}], "rows": 1, "values": [["\ud800"]]}
        ),
        line(table=table(values=[["1", "x"]])),
        line(error={"kind": "limited", "message": "too large"}),
        line(error={"kind": ["refused"], "message": "m"}),
        line(),
        b"[" * 5_000,
        b"null",
        b"\xff",
        b"",
    ],
    ids=range(23),
)
def test_malformed_replies(tmp_path, given_line):
    """A malformed reply is a ProtocolError, or `unsupported` if it is nested too deep, and nothing else."""
    try:
        reply = accepted(given_line, sent(tmp_path), READER)
    except ProtocolError:
        return
    assert given_line.startswith(b"[[")
    assert reply["error"]["kind"] == "unsupported"


@pytest.mark.parametrize(
    ("given_table", "message"),
    [
        (table(rows=2.0), "`rows` is 2.0, not a whole number"),
        (table(rows="2"), "`rows` is '2', not a whole number"),
        (table(seconds=1), "the members are columns, rows, values, seconds, not columns, rows, and one of"),
        (table(values=[["1"]]), "column 0 has 1 values, the table 2 rows"),
    ],
)
def test_what_is_wrong_with_a_table(tmp_path, given_table, message):
    """The message names the member that is wrong, for who writes the reader."""
    with pytest.raises(ProtocolError) as error:
        accepted(line(table=given_table), sent(tmp_path), READER)
    assert message in str(error.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(
    member=st.sampled_from(["table", "tables", "digests", "error", "description", "cpu"]),
    value=JSON,
    inside=st.sampled_from(
        ["", "columns", "rows", "values", "blocks", "spill", "kind", "message", "block_rows"]
    ),
    op=st.sampled_from(["read", "read_many", "digest", "describe", "query", "rows"]),
)
def test_any_json(tmp_path_factory, member, value, inside, op):
    """A reply with any JSON anywhere is accepted or refused, and raises nothing else."""
    whole = {"table": table(), "tables": [table()], "error": {"kind": "refused", "message": ""}}.get(
        member, {}
    )
    content = {**whole, inside: value} if inside and isinstance(whole, dict) else value
    request = sent(tmp_path_factory.getbasetemp(), op, files=["f"], block_rows=4)
    with contextlib.suppress(ProtocolError):
        accepted(line(**{member: content}), request, READER)


@pytest.mark.parametrize("item", ["{}", "[]", "999", '"ab"', '{"a":1}'])
def test_too_many_values_are_not_parsed(tmp_path, monkeypatch, item):
    """A reply of many small values is refused by their number; signs inside of strings are none."""
    monkeypatch.setattr(acceptance, "MOST_VALUES", 1_000)
    monkeypatch.setattr(protocol.json, "loads", lambda _: pytest.fail("it was parsed"))
    many = b'{"v":3,"id":7,"table":[' + b",".join([item.encode()] * 1_000) + b"]}"
    with pytest.raises(Misfit, match="more than 1,000 values"):
        accepted(many, sent(tmp_path))
    monkeypatch.undo()
    signs = table(columns=[{"name": 'x\\"' + ",[{" * 1_000 + "\\\\", "type": NUMBER}])
    assert not has_more_values(line(table=signs), 1_000)
    assert has_more_values(line(table=signs) + b',"\\",' * 1_000, 1_000)


@pytest.mark.parametrize("foreign", [None, READER], ids=["own", "foreign"])
def test_types_inside_each_other(tmp_path, foreign):
    """Types inside each other are read as far as they can be compared, of any engine."""
    for depth, is_read in ((MOST_NESTED, True), (MOST_NESTED + 1, False)):
        type_, value = nested(depth)
        given_line = line(table=Table.of([("x", Type.from_json(type_))], [[value]], 1).to_json())
        reply, same = (accepted(given_line, sent(tmp_path), foreign) for _ in range(2))
        assert ("table" in reply) == is_read
        if is_read:
            assert compare(reply["table"], same["table"], ()).difference is None
        else:
            assert reply["error"]["kind"] == "unsupported"


@pytest.mark.parametrize(
    ("op", "fields", "members", "message"),
    [
        ("read_many", {"files": ["a", "b"]}, {"tables": [table()]}, "1 tables for 2 files"),
        ("query", {"files": ["a"]}, {"tables": [table()] * 2}, "2 tables for 1 files"),
        (
            "digest",
            {"block_rows": 8},
            {"digests": {"rows": 0, "block_rows": 4, "columns": []}},
            "digests of blocks of 4 rows",
        ),
        (
            "digest",
            {"block_rows": 8},
            {"digests": {"rows": True, "block_rows": 8, "columns": []}},
            "digests of True rows",
        ),
        (
            "digest",
            {"block_rows": 8},
            {
                "digests": {
                    "rows": 1,
                    "block_rows": 8,
                    "columns": [{"name": "x", "type": NUMBER, "digests": [{}], "nulls": [0]}],
                }
            },
            "a digest is no text",
        ),
    ],
)
def test_replies_to_another_request(tmp_path, op, fields, members, message):
    """As many tables as files, and blocks as large as requested, also from colconf's own adapters."""
    for foreign in (READER, None):
        with pytest.raises(ProtocolError, match=message):
            accepted(
                line(**({"cpu": 0.0} if foreign is None else {}), **_blocks(members)),
                sent(tmp_path, op, **fields),
                foreign,
            )


def _blocks(members):
    """Return members with tables in blocks, as colconf's own adapters send them."""
    whole = {"columns": COLUMN, "rows": 2, "blocks": [[["1", None]]]}
    return {"tables": [whole] * len(members["tables"])} if "tables" in members else members


def spilled(path, text=None):
    """Return the line of a reply whose table lies in a file, with this text."""
    if text is not None:
        path.write_bytes(text)
    return line(table={"columns": COLUMN, "rows": 2, "spill": str(path)})


BLOCK = b'[["1",null]]\n'


def test_the_file_of_a_table(tmp_path):
    """A table in a file is read from it, and nothing is left beside it."""
    reply = accepted(spilled(tmp_path / "7-0.jsonl", BLOCK), sent(tmp_path), READER)
    assert reply["table"].column(0) == ["1", None]
    assert [file.name for file in tmp_path.iterdir()] == ["7-0.jsonl"]


@pytest.mark.parametrize("name", ["t.jsonl", "6-0.jsonl", "7-1.jsonl"])
def test_the_name_of_a_table_s_file(tmp_path, name):
    """A file of another name is refused: a second reply would replace the first one's rows."""
    with pytest.raises(Misfit, match="a table's file is called"):
        accepted(spilled(tmp_path / name, BLOCK), sent(tmp_path), READER)


@pytest.mark.parametrize(
    "text", [b"", BLOCK * 3, b"[[[[" * 5_000, b"null\n", b'[["1"]]\n', b"\xff\n", b'[["x",null]]\n']
)
def test_what_a_table_s_file_must_not_hold(tmp_path, text):
    """Malformed lines, and too few or too many, are a ProtocolError, and leave no second file."""
    with pytest.raises(ProtocolError):
        accepted(spilled(tmp_path / "7-0.jsonl", text), sent(tmp_path), READER)
    assert [file.name for file in tmp_path.iterdir()] == ["7-0.jsonl"]


def test_a_line_of_any_length_is_not_read(tmp_path, monkeypatch):
    """A line that is too long is refused before it is read whole."""
    monkeypatch.setattr(simple_form, "MOST_LINE", 8)
    with pytest.raises(ProtocolError, match="longer than 8 bytes"):
        accepted(spilled(tmp_path / "7-0.jsonl", BLOCK), sent(tmp_path), READER)


def test_no_regular_file(tmp_path):
    """A FIFO, which would wait for ever, and a link to another file are refused."""
    os.mkfifo(tmp_path / "7-0.jsonl")
    with pytest.raises(ProtocolError, match="not a regular file"):
        accepted(spilled(tmp_path / "7-0.jsonl"), sent(tmp_path), READER)
    other = tmp_path / "other"
    other.mkdir()
    (other / "rows").write_bytes(BLOCK)
    (other / "7-0.jsonl").symlink_to(other / "rows")
    with pytest.raises(ProtocolError, match="symbolic link"):
        accepted(spilled(other / "7-0.jsonl"), sent(other), READER)
