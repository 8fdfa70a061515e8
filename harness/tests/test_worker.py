"""The child's side, called directly: every request has a reply, and large tables go to files."""

from __future__ import annotations

import json

import pytest

from corpora.constants import OnlyDigestError, UndefinedError
from corpora.queries import Filter, IsNull, QueryError
from corpora.tagged import STRING, Table
from harness.children import protocol, worker
from harness.children.worker import Worker, describe_error, render


def ask(engine, op, **fields):
    """Return the decoded reply of a fake engine to one request."""
    line = protocol.encode({"op": op, "id": 5, **fields})
    return json.loads(Worker(f"harness.tests.fakes:{engine}").answer(line))


def read(engine, file, folder="/nowhere"):
    """Return the decoded reply to a read."""
    return ask(engine, "read", file=file, format="parquet", config={}, spill=str(folder))


@pytest.mark.parametrize("line", [b"", b"\n", b"{}\n", b"nonsense\n", b'{"v":2,"id":1,"op":[]}\n', b"[1]\n"])
def test_no_request(line):
    """A line that is no request is answered, not raised."""
    reply = json.loads(Worker("harness.tests.fakes:Healthy").answer(line))
    assert reply["error"]["kind"] == "misspoke"


def test_a_value_that_colconf_does_not_evaluate_is_nobodys_fault():
    """A query of a value known by its digest alone, or without a defined result, is unsupported."""
    engine = Worker("harness.tests.fakes:Healthy")
    for error in (OnlyDigestError(), UndefinedError("year of -800000")):
        assert engine._error(error, "query")["kind"] == "unsupported"
    assert engine._error(QueryError("no column"), "query")["kind"] == "misspoke"


def test_stop():
    """A worker that was stopped says so, and ends its loop."""
    one = Worker("harness.tests.fakes:Healthy")
    assert json.loads(one.answer(protocol.encode({"op": "stop", "id": 1})))["stopped"] is True
    assert one.stopped


@pytest.mark.parametrize(
    ("engine", "kind", "name"),
    [
        ("Refuses", "refused", "ValueError"),
        ("Lacks", "unsupported", "harness.engines.base.Unsupported"),
        ("RunsOutOfMemory", "out_of_memory", "MemoryError"),
        ("Panics", "panicked", "harness.tests.fakes.PanicException"),
        ("CannotSay", "refused", "harness.tests.fakes.UnprintableError"),
        ("AnswersNoTable", "misspoke", "AttributeError"),
        ("AnswersADeepTable", "unsupported", "RecursionError"),
    ],
)
def test_errors(engine, kind, name):
    """An error is told by its kind and its full class."""
    error = read(engine, "bad")["error"]
    assert (error["kind"], error["class"]) == (kind, name)


def test_phases():
    """An error says what was under way."""
    assert read("NotInstalled", "good")["error"]["phase"] == "start"
    assert read("Refuses", "bad")["error"]["phase"] == "read"
    assert read("AnswersNoTable", "bad")["error"]["phase"] == "answer"


def test_queries():
    """A query is answered file by file; what the engine lacks is told from a question that is none."""
    fields = {"files": ["a", "b"], "format": "parquet", "config": {}, "spill": "/nowhere"}
    null = Filter(IsNull(("name",))).to_json()
    tables = ask("Queried", "query", **fields, query=null)["tables"]
    assert [Table.from_json(one).column(1) for one in tables] == [["6"]] * 2
    assert ask("Healthy", "query", **fields, query=null)["error"]["kind"] == "unsupported"
    for query in ({"kind": "guess"}, Filter(IsNull(("no such column",))).to_json()):
        assert ask("Queried", "query", **fields, query=query)["error"]["kind"] == "misspoke"
    assert ask("Refuses", "query", **fields, query={})["error"]["kind"] == "misspoke"


def test_interrupts_end_the_process():
    """SystemExit is not an answer."""
    with pytest.raises(SystemExit):
        read("Exits", "bad")


def test_a_full_disk_is_not_the_engines_refusal():
    """A table that cannot be spilled is the harness's trouble."""
    assert read("AnswersMuch", "f", "/nowhere/at/all")["error"]["kind"] == "misspoke"


def test_render_spills_by_size(tmp_path, monkeypatch):
    """Tables are sent inline until the reply's budget is used up, the others as files; all read back."""
    monkeypatch.setattr(worker, "INLINE_BYTES", 1000)
    tables = [
        Table.of([("a", STRING)], [[letter * size]]) for letter, size in (("x", 600), ("y", 600), ("z", 300))
    ]
    back = [Table.from_json(json.loads(text)) for text in render(tables, str(tmp_path / "7"))]
    assert [bool(table.spill) for table in back] == [False, True, False]
    assert back[1].spill == str(tmp_path / "7-1.jsonl")
    assert [table.column(0) for table in back] == [["x" * 600], ["y" * 600], ["z" * 300]]


def test_render_keeps_blocks(tmp_path, monkeypatch):
    """A spilled table has all its blocks, those before and those after the budget was passed."""
    monkeypatch.setattr(worker, "INLINE_BYTES", 200_000)
    table = Table.of([("a", STRING)], [[str(number) for number in range(70_000)]])
    (text,) = render([table], str(tmp_path / "1"))
    back = Table.from_json(json.loads(text))
    assert back.spill
    assert list(back.blocks()) == list(table.blocks())


def test_messages_are_cut():
    """A message of megabytes is cut where it is made."""
    assert len(describe_error("refused", ValueError("x" * 10**7), "read")["message"]) == protocol.MAX_MESSAGE
