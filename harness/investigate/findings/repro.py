"""`repro.py` of a finding: it asks the engine, prints what is expected and what is so, and compares them."""

from __future__ import annotations

import importlib
import re
from typing import TYPE_CHECKING, Any

from corpora import rules
from corpora.answers import answer, settled
from corpora.queries import Aggregate, QueryError
from harness.engines.errors import Unsupported
from harness.engines.naming import EngineName
from harness.engines.reference.adapter import Reference
from harness.engines.registry import ENGINES
from harness.engines.scripts.request import script_keys, switches
from harness.environments import store
from harness.environments.availability import installed, status_of
from harness.investigate.findings import expected, made, scripts, writing
from harness.investigate.findings.scripts import ScriptRequest
from harness.judging.probes import Traits
from harness.listings.text import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpora.tagged import Table, Type
    from harness.investigate.findings.gather import Found

NAME = "repro.py"
LINES = "expected.txt"
_INLINE = 8_000  # characters of expected lines that stand in the script
_ALONE = ("crashed", "hung", "out_of_memory", "amplified")
_TIMES = 8

_HEAD = """
EXPECTED_NAMES = {names}
EXPECTED = {lines}
"""
_COMPARE = """

def main():
    say(*ABOUT)
    say("expected:", *(f"  {line}" for line in (EXPECTED_NAMES, *EXPECTED)))
    try:
        names, kinds, lines = ask()
    except Exception as error:
        say("actual:", f"  {type(error).__name__}: {error}")
        {told}return {raised}
    say("actual:", *(f"  {line}" for line in (names, *lines)))
    say("types:", *(f"  {kind}" for kind in kinds))
    {aggregate}shows = {shows}
    print("the bug shows" if shows else "the bug does not show")
    return 1 if shows else 0


if __name__ == "__main__":
    sys.exit(main())
"""
_ACCEPTS = """

def main():
    say(*ABOUT)
    print("expected: an error that says what is wrong in the file")
    try:
        names, kinds, lines = ask()
    except Exception as error:
        say("actual:", f"  {type(error).__name__}: {error}", "the bug does not show")
        return 0
    say("actual:", *(f"  {line}" for line in (names, *lines)))
    print("the bug shows")
    return 1


if __name__ == "__main__":
    sys.exit(main())
"""
_ALONE_MAIN = """
SECONDS = {seconds}
MEGABYTES = {megabytes}  # of memory, from which on it is too much; 0: as much as there is


def main():
    say(*ABOUT)
    print("expected: an answer or an error, within {seconds} s and bounds of memory")
    child = subprocess.Popen([sys.executable, os.path.abspath(__file__), "ask"])
    try:
        status = child.wait(SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
        print(f"actual: no answer within {SECONDS} s\\nthe bug shows")
        return 1
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    print(f"actual: exit status {status} (a signal if below 0), {used} MB of memory")
    shows = status not in (0, CLEAN) or 0 < MEGABYTES < used
    print("the bug shows" if shows else "the bug does not show")
    return 1 if shows else 0


CLEAN = 3  # an error that was raised

if __name__ == "__main__":
    if sys.argv[1:] != ["ask"]:
        sys.exit(main())
    try:
        ask()
    except MemoryError:
        sys.exit(4)
    except Exception as error:
        say(f"{type(error).__name__}: {error}")
        sys.exit(CLEAN)
"""
_UNSTABLE = """

def once():
    try:
        return ask()
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def main():
    say(*ABOUT)
    print("expected: the same answer, whenever one asks")
    answers = [once() for _ in range({times})]
    different = [one for one in answers if one != answers[0]]
    say("actual:", *(f"  {answer}" for answer in (answers[0], *different[:1])))
    print("the bug shows" if different else "the bug does not show")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
"""


def script(found: Found, file: str) -> tuple[str, str | None]:
    """Return the text of the script, and the lines of `expected.txt` if they are many.

    Raises Unsupported for a finding that no script can show.
    """
    one = found.finding
    if not scripts.has(one.engine):
        raise Unsupported(f"there are no scripts for {one.engine}")
    if one.verdict == made.VERDICT:
        return _writing(found), None
    query = found.probe.query if found.probe else None
    asked = ScriptRequest(found.case.format, switches(one.config), query, script_keys(found.case.keys))
    text, lines = scripts.source(one.engine, asked, file), None
    if one.verdict in _ALONE:
        text = _with_imports(text, "resource", "subprocess") + _alone(found)
    elif one.verdict == "unstable":
        text += _UNSTABLE.replace("{times}", str(_TIMES))
    elif one.verdict == "accepted_invalid":
        text += _ACCEPTS
    else:
        text, lines = _compared(found, text)
    return scripts.started(head(found), text), lines


def _writing(found: Found) -> str:
    if found.made is None:
        raise Unsupported("the file cannot be written again: `colconf validate` says what is wrong with it")
    told = found.made
    written = writing.source(found.finding.engine, told.table, told.options)
    rule = told.rule, rules.load()[told.rule].text
    return scripts.started(head(found), writing.script(written, found.case.format, rule, told.broken))


def _compared(found: Found, text: str) -> tuple[str, str | None]:
    one, query = found.finding, found.probe.query if found.probe else None
    table = _table(found)
    names = expected.names(table)
    lines = list(expected.lines(table, query, _as_float(one.engine)))
    raised = 1 if one.verdict in {"refused_valid", "unsupported"} else 2
    aggregate = ""
    if isinstance(query, Aggregate):  # of -0.0 and 0.0, either may be the extreme
        aggregate = 'lines = [re.sub(r"(?<![^ ])-0[.]0(?![^ ])", "0.0", line) for line in lines]\n    '
    told = 'print("the bug shows")\n        ' if raised == 1 else ""
    main = _COMPARE.replace("{raised}", str(raised)).replace("{told}", told).replace("{aggregate}", aggregate)
    shows = _shows(one.difference, one.verdict)
    main = main.replace("{shows}", shows)
    text = _with_imports(text, "re") if "re." in shows + aggregate else text
    many = "\n".join(lines)
    told = "[\n" + "".join(f"    {line!a},\n" for line in lines) + "]" if lines else "[]"
    if len(many) > _INLINE:
        folder = "os.path.dirname(os.path.abspath(__file__))"
        told = f"open(os.path.join({folder}, {LINES!r}), encoding='ascii').read().splitlines()"
    before = _HEAD.format(names=ascii(names), lines=told)
    return text + before + main, many + "\n" if len(many) > _INLINE else None


def _shows(difference: dict[str, str] | None, verdict: str) -> str:
    """Return the condition under which an answer is the bug."""
    if verdict in {"refused_valid", "unsupported"}:
        return "False  # it answers"
    kind = (difference or {}).get("kind")
    if kind == "type":
        wrong = _kind(str((difference or {})["actual"]))
        return f"names != EXPECTED_NAMES or any(re.search({wrong!a}, kind) for kind in kinds)"
    if kind == "columns":
        return "names != EXPECTED_NAMES"
    return "(names, lines) != (EXPECTED_NAMES, EXPECTED)"


_KINDS = (
    (r"int\((\d+), signed\)", r"(?<!u)int\1\\b"),
    (r"int\((\d+), unsigned\)", r"uint\1\\b"),
    (r"float\(64\)", r"double|float64"),
    (r"float\(32\)", r"float(32)?$"),
    (r"decimal\((\d+), (-?\d+)\)", r"\1,\\s*\2\\)"),
    (r"timestamp\((\w+), utc\)", r"timestamp\\[\1, tz=|datetime64\\[\1, UTC"),
    (r"timestamp\((\w+), not utc\)", r"timestamp\\[\1\\]|datetime64\\[\1\\]"),
    (r"time\((\w+), .*\)", r"time\\d+\\[\1\\]"),
    (r"date", r"date"),
    (r"string", r"string|object|str"),
    (r"bytes", r"binary|object"),
    (r"bool", r"bool"),
    (r"null", r"null"),
    (r"geography", r"edges"),
    (r"geometry", r"wkb(?!.*edges)"),
)


def _kind(text: str) -> str:
    """Return a pattern of the engine's name of a type, for the short form of a tagged one."""
    for pattern, instead in _KINDS:
        if re.fullmatch(pattern, text):
            return re.sub(pattern, instead, text)
    return re.escape(text.partition("(")[0].partition("<")[0])


def _table(found: Found) -> Table:
    """Return what the engine must answer; raises Unsupported where nothing says it."""
    table = found.case.expectation.table
    if table is None:  # by vote: what the reference reads
        try:
            reference = Reference()
            reference.enter(found.case.keys)
            table = reference.read(str(found.case.file), found.case.format, {})
        except Exception as error:
            raise Unsupported(f"what the file means is not known: {error}") from error
    if found.probe is None:
        return table
    traits = traits_of(found.finding.engine)
    query = found.probe.query
    order = traits.aggregate_order if isinstance(query, Aggregate) else traits.float_order
    try:
        return settled(query, answer(query, table, order, found.probe.rows), order)
    except QueryError as error:
        raise Unsupported(str(error)) from error


def traits_of(engine: str) -> Traits:
    """Return what the adapter of an engine says of it, without the engine."""
    entry = ENGINES[engine]
    adapter = getattr(importlib.import_module(entry.module), entry.class_name)
    return Traits(adapter.equivalences, adapter.float_order, adapter.aggregate_order)


def _as_float(engine: str) -> Any:
    if "decimal-as-float64" not in traits_of(engine).claimed:
        return lambda _: False

    def is_wide(type_: Type) -> bool:
        return (type_.precision or 0) > ENGINES[engine].decimal_digits

    return is_wide


def _alone(found: Found) -> str:
    row = found.row
    peak = row.peak_rss_bytes >> 20 if row else 0
    seconds = max(10, min(600, round(row.seconds) if row and found.finding.verdict == "hung" else 120))
    most = peak // 2 if found.finding.verdict in {"amplified", "out_of_memory"} else 0
    return _ALONE_MAIN.replace("{seconds}", str(seconds)).replace("{megabytes}", str(most))


def _with_imports(text: str, *names: str) -> str:
    more = "".join(f"import {name}\n" for name in names if f"import {name}\n" not in text)
    return text.replace("import sys\n", f"{more}import sys\n", 1)


def head(found: Found) -> list[str]:
    """Return the first lines: what it is, by which clause, how to run it."""
    one, row = found.finding, found.row
    lines = [f"{title(found)}", ""]
    if found.clause:
        lines.append(f"Clause: {found.clause}")
    if found.probe:
        lines.append(f"Query: {found.probe.query}")
    if one.config:
        lines.append(f"Configuration: {one.config}")
    if one.difference:
        told = one.difference
        lines.append(f"Seen at {told['path']}: expected {told['expected']}, actual {told['actual']}")
    elif one.error:
        lines.append(f"Seen: {one.error}")
    elif row and row.detail["signal"] is not None:
        lines.append(f"Seen: ended by signal {row.detail['signal']}")
    return [
        *lines,
        "",
        *run_with(one.engine, one.version),
        "Exit status: 1 if it shows, 0 if it does not, 2 if it fails otherwise",
    ]


def title(found: Found) -> str:
    """Return what is wrong in one line."""
    one = found.finding
    if found.entry and found.entry.symptom:
        return f"{one.engine} {one.version}: {found.entry.symptom}"
    what = {
        "different": "reads other values than are in the file",
        "refused_valid": "refuses a valid file",
        "accepted_invalid": "reads a file that the specification forbids",
        "unsupported": "does not support a file",
        "crashed": "dies",
        "hung": "does not come to an end",
        "out_of_memory": "takes all memory",
        "amplified": "takes memory out of proportion to the file",
        "unstable": "answers one thing, then another",
        "wrote_invalid": "writes a file that the specification forbids",
    }.get(one.verdict, one.verdict)
    name = {"parquet": "Parquet", "orc": "ORC"}[found.case.format]
    asked = f" asked for {found.probe.query}" if found.probe else ""
    return f"{one.engine} {one.version} {what} ({name}: {found.case.id}){asked}"


def run_with(engine: str, version: str) -> list[str]:
    """Return how to run the script, with the versions of everything that is beside the engine here."""
    pins, python = environment(engine, version)
    pinned = (quoted(f"{name}=={number}" if number else name) for name, number in pins)
    given = " ".join(f"--with {pin}" for pin in pinned)
    wanted = f" --python {quoted(python)}" if python else ""
    return [f"uv run --no-project{wanted} {given} python {NAME}"]


def environment(engine: str, version: str) -> tuple[Sequence[tuple[str, str]], str]:
    """Return the packages that an engine needs, with versions as far as they are known, and its Python."""
    entry = ENGINES[engine]
    status = status_of(EngineName(engine, version))
    if status.launch.apart:
        held = store.find(entry, version)
        if held:
            python = ".".join(held.python.split(".")[:2])
            return [(name, held.packages.get(name, "")) for name in entry.packages], python
    first, *others = entry.packages
    return [(first, version), *((name, installed(name) if status.available else "") for name in others)], ""
