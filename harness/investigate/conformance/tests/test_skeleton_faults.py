"""Faults of the protocol in the skeleton in JavaScript: each fails its check with a message of its own."""

import shutil

import pytest
from click.testing import CliRunner

from harness.children.limits import Limits
from harness.commands.engines import engines
from harness.engines.naming import parse
from harness.environments.availability import status
from harness.investigate.conformance import checks
from harness.investigate.conformance.subject import Subject
from harness.investigate.conformance.talk import Failure
from harness.tests.events import PATIENCE
from harness.tests.foreign_manifests import forget

LIBRARY, READER = "colconf.mjs", "reader.mjs"
_GOOD = 'return `{"v":${VERSION},"id":${id},${member}}`'
_REPLY = "    writeAll(1, `${reply}\\n`)"
_TABLE = "  return new Table(leaves"
_EMPTY = '"table":{"columns":[],"rows":0,"values":[]}'
_NO_FILE = "throw new Error('no file of Parquet')"
# A fault, the check that finds it, what is said, and where: what stands in a file, what is put in its place.
FAULTS = {
    "banner": (
        "handshake",
        "before the reply to describe, standard output has 'my reader 1.0'",
        LIBRARY,
        "  for await (const line",
        "  writeAll(1, 'my reader 1.0\\n')\n  for await (const line",
    ),
    "name": ("handshake", "`name` is 'somebody'", READER, "name: 'my_reader'", "name: 'somebody'"),
    "old": ("handshake", "describe has the version 2", LIBRARY, _GOOD, _GOOD.replace("${VERSION}", "2")),
    "ids": ("framing", "read has the id 1, not 2", LIBRARY, _GOOD, _GOOD.replace("${id}", "1")),
    "noise": (
        "framing",
        "before the reply to read, standard output has 'debug'",
        LIBRARY,
        _REPLY,
        f"    if (reply.includes('\"table\"')) writeAll(1, 'debug\\n')\n{_REPLY}",
    ),
    "forgets": (
        "order",
        "has another reply when it is read again",
        READER,
        _TABLE,
        (
            "  globalThis.reads = (globalThis.reads ?? 0) + 1\n"
            f"  if (globalThis.reads > 3) columns[0] = columns[0].map(() => '9')\n{_TABLE}"
        ),
    ),
    "dies": (
        "garbage",
        "a line that is no request: the process ended: exit status 3",
        LIBRARY,
        "    return { reply: failure(-1,",
        "    process.exit(3)\n    return { reply: failure(-1,",
    ),
    "blames": (
        "garbage",
        "a line that is no request is answered with refused",
        LIBRARY,
        "failure(-1, 'misspoke'",
        "failure(-1, 'refused'",
    ),
    "unknown-op": (
        "unknown_op",
        "the op no_such_op is answered with refused",
        LIBRARY,
        "throw new Unsupported(`this engine does not answer",
        "throw new Error(`this engine does not answer",
    ),
    "any-version": ("versions", "version 999 is served", LIBRARY, "request.v !== VERSION", "false"),
    "strict": (
        "members",
        "an unknown member of a request changes the reply: refused",
        LIBRARY,
        "    if (request.keys)",
        "    if (request.later) throw new Error('later')\n    if (request.keys)",
    ),
    "clips": (
        "long_request",
        "the reply to read has the id -1",
        LIBRARY,
        "parse(line)",
        "parse(line.slice(0, 65536))",
    ),
    "missing": (
        "errors",
        "a file that is not there is answered with a table",
        LIBRARY,
        "    const table = await",
        (
            f"    if (request.file.includes('missing')) return {{ reply: good(id, '{_EMPTY}') }}\n"
            "    const table = await"
        ),
    ),
    "lacks": (
        "errors",
        "an empty file is answered with unsupported",
        READER,
        _NO_FILE,
        _NO_FILE.replace("Error", "Unsupported"),
    ),
    "aborts": (
        "errors",
        r"read: the process ended: signal 6 \(SIGABRT\)",
        READER,
        _NO_FILE,
        "process.abort()",
    ),
    "short": (
        "big_table",
        "a file of 100,000 rows was read as 16,384 rows",
        LIBRARY,
        "    Object.assign(this, { fields, columns, rows })",
        (
            "    columns = columns.map(column => column.slice(0, 16384))\n"
            "    Object.assign(this, { fields, columns, rows: Math.min(rows, 16384) })"
        ),
    ),
    "numbers": (
        "big_table",
        'is a decimal string such as "-7", not 0',
        LIBRARY,
        "return number.toString()",
        "return Number(number)",
    ),
    "lingers": (
        "end",
        "it still runs 0.5 s after its input ended",
        LIBRARY,
        "  process.exit(0)",
        "  setTimeout(() => {}, 600000)",
    ),
}


@pytest.fixture(autouse=True)
def own_registry(monkeypatch):
    """Forget what a test registers."""
    forget(monkeypatch)


def subject(folder, name, before, after):
    """Return the skeleton with one of its lines changed, as the checks take it."""
    if not shutil.which("node"):
        pytest.skip("node not installed: the skeleton in js is not run here")
    reader = folder / "reader"
    result = CliRunner().invoke(engines, ["new", "--language", "js", "--name", "my_reader", str(reader)])
    assert result.exit_code == 0, result.output
    text = (reader / name).read_text("utf-8")
    assert text.count(before) == 1, (name, before)
    (reader / name).write_text(text.replace(before, after), "utf-8")
    entry = parse(str(reader / "my-reader.toml")).entry
    limits = Limits(seconds=PATIENCE, close_seconds=0.5)
    return Subject(status(entry).launch, limits, "parquet", {}, folder)


@pytest.fixture(scope="module")
def messages():
    """Return what was said about each fault, to be compared."""
    return {}


@pytest.mark.sweep(6)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_the_skeleton_is_named(tmp_path, messages, fault):
    """It fails its check with a message that no other fault has, and a remedy of one line."""
    check, message, *change = FAULTS[fault]
    with pytest.raises(Failure, match=message) as caught:
        getattr(checks, check)(subject(tmp_path, *change))
    assert caught.value.mend
    assert "\n" not in caught.value.mend
    assert caught.value.message not in messages.values()
    messages[fault] = caught.value.message
