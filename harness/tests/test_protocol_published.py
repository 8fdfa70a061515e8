"""What is published of the protocol is what is spoken: the schema, the page, and `protocol.py` agree."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from corpora import tagged
from corpora.build.control import controls
from corpora.tagged import (
    INT96,
    STRING,
    Table,
    decimal,
    integer,
    list_of,
    map_of,
    struct_of,
    timestamp,
    union_of,
)
from corpora.tagged_values import check_block
from harness import cli
from harness.children import protocol
from harness.children.child import Child
from harness.tests.foreign_manifests import forget, manifest
from harness.tests.pages import ROOT

SCHEMA = json.loads((ROOT / "harness/children/schemas" / f"protocol-{protocol.VERSION}.json").read_text())
DEFS = SCHEMA["$defs"]
PAGE = (ROOT / "docs/protocol.md").read_text("utf-8")
MOST = 12  # messages of an op that are validated
HEAD = {"v", "id", "op"}


def test_the_schema_names_the_same_ops():
    """Requests and replies of the schema are those of `protocol.py`, with their members."""
    for kind, ops in (("request", protocol._REQUESTS), ("reply", protocol._REPLIES)):
        assert {name for name in DEFS if name.startswith(kind)} - {"reply.error"} == {
            f"{kind}.{op}" for op in ops
        }
    for op, fields in protocol._REQUESTS.items():
        request = DEFS[f"request.{op}"]
        assert set(request["required"]) == HEAD | set(fields)
        more = {
            "keys": op in protocol.KEYED,
            "query": op in protocol.OF_ANSWERS,
            "read": op in protocol.OF_TABLES,
        }
        assert set(request["properties"]) - set(request["required"]) == {
            name for name, has in more.items() if has
        }
    for op, fields in protocol._REPLIES.items():
        good, error = DEFS[f"reply.{op}"]["oneOf"]
        assert set(good["required"]) == {"v", "id", *fields}
        assert error == {"$ref": "#/$defs/reply.error"}
    described = {*protocol.DESCRIPTION, *protocol.MORE_OF_DESCRIPTION}
    assert set(DEFS["description"]["properties"]) == described
    assert DEFS["error"]["properties"]["kind"]["enum"] == list(protocol.ERROR_KINDS)
    assert DEFS["error"]["properties"]["step"]["enum"] == list(protocol.STEPS)
    assert set(DEFS["error"]["properties"]["origin"]["enum"]) == set(protocol.ORIGINS)
    assert DEFS["reply.error"]["properties"]["v"] == {"const": protocol.VERSION}


def test_the_schema_names_the_same_types():
    """The kinds of types of the schema are those of tagged values, with their parameters."""
    kinds = {}
    for form in DEFS["type"]["oneOf"]:
        kind = form["properties"]["kind"]
        for name in kind.get("enum", [kind.get("const")]):
            kinds[name] = set(form["required"]) - {"kind"}
    assert set(kinds) == tagged.KINDS
    for name, parameters in kinds.items():
        nested = {"children"} if name in tagged._NESTED else set()
        assert parameters == {*tagged._PARAMETERS.get(name, ())} | nested


def test_the_page_names_the_same():
    """The page's tables list each op with its members, each kind of error, each member of a description."""
    rows = dict(re.findall(r"^\| `(\w+)` \|([^|]*)\|", PAGE.partition("## Optional ops")[2], re.MULTILINE))
    assert set(rows) == set(protocol._REQUESTS)
    for op, fields in protocol._REQUESTS.items():
        assert re.findall(r"`(\w+)`", rows[op]) == list(fields), op
    errors = re.findall(r"^\| `(\w+)` \|", PAGE.partition("### Errors")[2].partition("## ")[0], re.MULTILINE)
    assert sorted(errors) == sorted(["kind", *protocol.ERROR_KINDS])
    told = set(re.findall(r"`(\w+)`", PAGE.partition("### describe")[2].partition("### read")[0]))
    assert {*protocol.DESCRIPTION, *protocol.MORE_OF_DESCRIPTION} <= told
    values = PAGE.partition("## Values")[2].partition("## Optional")[0]
    assert set(tagged.KINDS) <= set(re.findall(r"\w+", values))
    assert f"protocol = {protocol.VERSION}" in PAGE
    assert f"| {protocol.VERSION} |" in PAGE.partition("## Versions")[2]
    assert f"{64 << 20:,} bytes" in PAGE


@pytest.fixture(scope="module")
def messages(tmp_path_factory):
    """Return requests and replies of real runs, by op: of a foreign reader and of the reference."""
    folder = tmp_path_factory.mktemp("spoken")
    spoken = []
    exchange = Child.exchange

    def listening(child, line, *limits):
        reply = exchange(child, line, *limits)
        spoken.append((line, reply))
        return reply

    control = controls.cases("parquet", folder / "control")[:3]
    files = ["--files", *(str(case.file) for case in control), "--queries", "2"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Child, "exchange", listening)
        forget(patch)
        engines = ["--engine", str(manifest(folder)), "--engine", "reference"]
        more = ["--no-spark", "--report", "none", "--out"]
        assert cli.main(["run", *files, *engines, *more, str(folder / "out")]) in {0, 1}
        assert cli.main(
            ["run", "--generate", "2", "--seed", "5", *engines, *more, str(folder / "drawn")]
        ) in {0, 1}
    return spoken


@pytest.mark.heavy
def test_messages_of_real_runs_are_as_published(messages):
    """The first requests and replies of each op of two real runs are valid by the schema."""
    jsonschema = pytest.importorskip("jsonschema")
    validators = {
        name: jsonschema.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": DEFS}) for name in DEFS
    }
    ops = Counter()
    for line, reply in messages:
        request = json.loads(line)
        ops[request["op"]] += 1
        if ops[request["op"]] > MOST:
            continue
        validators[f"request.{request['op']}"].validate(request)
        validators[f"reply.{request['op']}"].validate(json.loads(reply))
    assert {"describe", "read", "query", "probes"} <= set(ops)
    for bad in ({"v": 3, "id": 1}, {"v": 2, "id": 1, "table": {"columns": [], "rows": 0, "values": []}}):
        with pytest.raises(jsonschema.ValidationError):
            validators["reply.read"].validate(bad)


PAIR = map_of(STRING, integer(8))
GOOD = [
    (integer(64), "-9223372036854775808"),
    (integer(8), "128"),
    (decimal(9, 2), "-5"),
    (timestamp("ns", utc=True), "0"),
    (list_of(INT96), ["1", None]),
    (struct_of([("a", STRING), ("b", tagged.BOOL)]), ["x", False]),
    (PAIR, [["a", "1"], ["b", None]]),
    (union_of([STRING, integer(8)]), ["1", "7"]),
    (tagged.INTERVAL, ["1", "2", "3"]),
    (tagged.floating(16), "3c00"),
    (tagged.BYTES, "00ff"),
]
BAD = [
    (integer(8), 7, "is a decimal string"),
    (integer(8), "+7", "is a decimal string"),
    (integer(8), "007", "is a decimal string"),
    (integer(8), "4294967296", "beyond the 32 bits"),
    (integer(32), "-2147483649", "beyond the 32 bits"),
    (integer(64), "99999999999999999999", "beyond the 64 bits"),
    (tagged.DATE, "18446744073709551616", "beyond the 64 bits"),
    (tagged.INT96, str(1 << 96), "beyond the 96 bits"),
    (decimal(9, 2), "1.5", "is a decimal string"),
    (tagged.floating(32), 1.5, "8 digits of lowercase hex"),
    (tagged.floating(32), "3FC00000", "8 digits of lowercase hex"),
    (tagged.BOOL, "true", "true or false"),
    (tagged.BYTES, "abc", "lowercase hex"),
    (STRING, 5, "text is a string"),
    (STRING, {"sha256": "00", "bytes": 3}, "text is a string"),
    (list_of(STRING), "x", "a list is a list"),
    (struct_of([("a", STRING)]), ["x", "y"], "a list of 1 values"),
    (PAIR, [["a"]], "an entry of a map"),
    (union_of([STRING]), ["1", "x"], "no tag 1"),
    (tagged.INTERVAL, ["1", "2"], "months, days, nanoseconds"),
    (Table.of([("n", tagged.NULL)], [[None]]).columns[0].type, "x", "a column of nulls"),
]


@pytest.mark.parametrize(("type_", "value"), GOOD, ids=str)
def test_good_values(type_, value):
    """A well-formed value of each kind passes as it is."""
    block = [[value, None]]
    check_block((tagged.Field("c", type_),), block, 0)
    assert block == [[value, None]]


@pytest.mark.parametrize(("type_", "value", "message"), BAD, ids=str)
def test_bad_values(type_, value, message):
    """A malformed value is refused, with its column and row."""
    with pytest.raises(tagged.TaggedError, match=message) as caught:
        check_block((tagged.Field("c", type_),), [[None, value]], 16_384)
    assert str(caught.value).startswith("column 'c', row 16385: ")


def test_long_values_become_digests():
    """Text and bytes of more than 1 MiB are replaced by their digests; at the limit they stay."""
    text, raw = "é" * (tagged.BIG // 2), b"\1" * (tagged.BIG + 1)
    block = [[text, text + "x"], [raw.hex(), raw[1:].hex()]]
    columns = (tagged.Field("t", STRING), tagged.Field("b", tagged.BYTES))
    check_block(columns, block, 0)
    assert block[0] == [text, tagged.text((text + "x").encode())]
    assert block[1] == [tagged.big(raw), raw[1:].hex()]


def test_the_schema_is_in_the_package():
    """The schema lies in a package, so that it is installed."""
    import harness.children

    (folder,) = harness.children.__path__
    assert list((Path(folder) / "schemas").glob("protocol-*.json"))
