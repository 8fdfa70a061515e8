"""Scripts that send a foreign engine the request of a finding, over the protocol of `docs/protocol.md`.

They need nothing but Python and the engine's program, whose command their arguments may replace.
"""

from __future__ import annotations

import json
from typing import Any

from harness.children.protocol import VERSION
from harness.engines.entry import Entry
from harness.engines.errors import Unsupported
from harness.engines.scripts.rendering import SHARED, Rendering
from harness.engines.scripts.request import Code, ScriptRequest

_TAGGED = Rendering(
    ("import decimal", "import json", "import os", "import re", "import struct"),
    SHARED
    + '''

UNITS = {"s": 10**9, "ms": 10**6, "us": 1000, "ns": 1}


def counted(text):
    """A number that a reader sends as text."""
    if not isinstance(text, str) or not re.fullmatch("-?(0|[1-9][0-9]*)", text):
        raise ValueError(f"{text!r:.80} is no number as text")
    return int(text)


def value_text(type_, value):
    """The text of a value of the protocol."""
    if value is None:
        return "null"
    kind, children = type_["kind"], [child["type"] for child in type_.get("children", [])]
    if isinstance(value, dict):
        return "sha256:" + value["sha256"]
    if kind == "bool":
        return {True: "true", False: "false"}[value]
    if kind == "int":
        return str(counted(value))
    if kind == "float":
        return repr(struct.unpack({16: ">e", 32: ">f", 64: ">d"}[type_["bits"]], bytes.fromhex(value))[0])
    if kind == "decimal":
        digits = tuple(map(int, str(abs(counted(value)))))
        number = decimal.Decimal((value.startswith("-"), digits, -type_["scale"]))
        return plain(format(number, "f"))
    if kind == "date":
        return seconds(counted(value) * 86_400 * 10**9)
    if kind in ("time", "timestamp", "duration", "int96"):
        return seconds(counted(value) * UNITS[type_.get("unit", "ns")])
    if kind in ("string", "json", "enum"):
        return octets(value.encode("utf-8", "surrogateescape"))
    if kind == "interval":
        return f"[{', '.join(str(counted(number)) for number in value)}]"
    if kind == "variant":
        return f"[{', '.join('null' if part is None else octets(bytes.fromhex(part)) for part in value)}]"
    if kind == "union":
        return f"[{value[0]}, {value_text(children[counted(value[0])], value[1])}]"
    if kind == "list":
        return f"[{', '.join(value_text(children[0], item) for item in value)}]"
    if kind == "map":
        return f"[{', '.join(cells(children, entry) for entry in value)}]"
    return cells(children, value) if kind == "struct" else octets(bytes.fromhex(value))


def cells(types, values):
    """The text of the fields of a struct, or of an entry of a map."""
    return f"[{', '.join(map(value_text, types, values))}]"


def named(type_):
    """A type by a name that Arrow has for it, too, if it has one."""
    kind = type_["kind"]
    if kind in ("int", "float"):
        return f"{'' if type_.get('signed', True) else 'u'}{kind}{type_['bits']}"
    if kind == "decimal":
        return f"decimal({type_['precision']}, {type_['scale']})"
    if kind in ("time", "timestamp", "duration"):
        zone = ", tz=UTC" if type_.get("utc") else ""
        return f"{'time64' if kind == 'time' else kind}[{type_['unit']}{zone if kind == 'timestamp' else ''}]"
    other = {"bytes": "binary", "geometry": "geometry (wkb)", "geography": "geography (wkb, edges)"}
    nested = ", ".join(f"{child['name']}: {named(child['type'])}" for child in type_.get("children", []))
    return other.get(kind, kind) + (f"<{nested}>" if nested else "")


def blocks_of(table):
    """The blocks of a table: lists of columns, in the reply or in a file of lines."""
    if "spill" in table:
        with open(table["spill"], encoding="utf-8") as lines:
            yield from map(json.loads, lines)
    else:
        yield from table["blocks"] if "blocks" in table else [table["values"]]


def table_text(table):
    """Names and types of columns, and a line per row."""
    types = [column["type"] for column in table["columns"]]
    lines = [] if types else [""] * table["rows"]
    for block in blocks_of(table):
        columns = [[value_text(type_, value) for value in values] for type_, values in zip(types, block)]
        if len(block) != len(types) or len(set(map(len, columns))) > 1:
            raise ValueError("a block has not as many values for each column")
        lines += map(" | ".join, zip(*columns))
    if len(lines) != table["rows"]:
        raise ValueError(f"{len(lines)} rows, not {table['rows']}")
    return [ascii(column["name"]) for column in table["columns"]], list(map(named, types)), lines
''',
)
_HELPERS = '''

class EngineError(Exception):
    """The engine replies with an error."""


def broken(*lines):
    """End the script, since the engine does not reply as the protocol says."""
    say(*lines)
    sys.exit(2)


def send(process, message):
    """Send a request, print it and the beginning of the reply, and return the reply."""
    line = json.dumps({"v": VERSION, **message})
    say(f"request: {line}")
    try:
        process.stdin.write(line.encode("ascii") + b"\\n")
        process.stdin.flush()
    except BrokenPipeError:
        pass  # there is no reply either
    reply = process.stdout.readline()
    if not reply.endswith(b"\\n"):
        broken(f"the engine ends without a reply, with exit status {process.wait()} (a signal if below 0)")
    text = reply.decode("utf-8", "backslashreplace").rstrip()
    say(f"reply: {text[:2000]}{' ...' if len(text) > 2000 else ''}")
    try:
        data = json.loads(reply)
        head = data["v"], data["id"]
    except (ValueError, KeyError, TypeError) as error:
        broken(f"this is no reply: {type(error).__name__}: {error}")
    if head != (VERSION, message["id"]):
        broken(f"the reply has another version or id: {head}")
    return data


def result(reply):
    """The table of a reply, rendered; an error of the engine is raised."""
    error = reply.get("error")
    if error:
        kind = MemoryError if error.get("kind") == "out_of_memory" else EngineError
        raise kind(": ".join(str(error[name]) for name in ("kind", "class", "message") if error.get(name)))
    try:
        return table_text(reply["table"] if "table" in reply else reply["tables"][0])
    except (LookupError, TypeError, ValueError, AttributeError, OSError, struct.error) as error:
        broken(f"the table is not one of the protocol: {type(error).__name__}: {error}")
'''
_COMMAND = "sys.argv[2 if sys.argv[1:2] == ['ask'] else 1 :] or COMMAND"
_BODY = """
with tempfile.TemporaryDirectory() as folder:
    env = {name: os.environ[name] for name in PASSED if name in os.environ}
    env.update(VARIABLES, TMPDIR=folder, COLCONF_CHILD="repro")
    spill = os.path.join(folder, "spill")
    os.mkdir(spill)
    command, pipe = {command}, subprocess.PIPE
    place = folder if command is COMMAND else None  # paths of another command begin where it was typed
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, cwd=place, env=env)
    try:
        send(process, {"id": 1, "op": "describe"})
        return result(send(process, {"id": 2, **REQUEST, "spill": spill}))
    finally:
        process.kill()
        process.wait()
        try:
            process.stdin.close()
        except BrokenPipeError:
            pass  # it was gone before it read the request
"""


def code(request: ScriptRequest, entry: Entry) -> Code:
    """Return the source of a request to the engine of a manifest."""
    if entry.foreign is None:
        raise Unsupported(f"{entry.name} has no manifest")
    before = [
        f"VERSION = {VERSION}",
        "# How the manifest starts the engine: its command (the arguments of this script replace it), the",
        "# variables that it gets from the environment, and those that are set.",
        f"COMMAND = {list(entry.command)!a}",
        f"PASSED = {list(entry.foreign.passed)!a}",
        f"VARIABLES = {dict(entry.variables)!a}",
        f"REQUEST = json.loads({json.dumps(_message(request, entry))!a})",
        f"REQUEST.update({'file=FILE' if request.query is None else 'files=[FILE]'})",
    ]
    body = _BODY.replace("{command}", _COMMAND).strip("\n").split("\n")
    imports = ["import subprocess", "import tempfile"]
    return Code(_TAGGED, body, imports, _HELPERS, before)


def _message(request: ScriptRequest, entry: Entry) -> dict[str, Any]:
    """Return the request without its file; every switch has a value."""
    config = {switch: values[0] for switch, values in entry.switches.items()} | dict(request.switches)
    message: dict[str, Any] = {"op": "read", "format": request.format, "config": config}
    if request.query is not None:
        message.update(op="query", query=request.query.to_json())
    elif request.read is not None:
        message["op"] = "read_table"
    if request.read is not None:
        message["read"] = request.read.to_json()
    if request.keys is not None:
        message["keys"] = request.keys.to_wire()
    return message
