"""`repro.py` of a finding: a script that asks the engine and compares its answer with the expected one."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable
from dataclasses import replace

from corpora import rules
from corpora.answers import UNORDERED, answer, in_order, settled
from corpora.column_answers import FirstRows, first_rows
from corpora.queries import QueryError, Slice, TopRows
from corpora.tagged import Table, Type, floating
from harness.children.outcomes import OutcomeKind
from harness.engines.errors import Unsupported
from harness.engines.reference.adapter import Reference
from harness.engines.registry import ENGINES
from harness.engines.scripts.request import script_keys, switches
from harness.investigate.findings import broken_files, expected, heading, ordered, scripts, writing
from harness.investigate.findings.collect import Evidence
from harness.investigate.findings.scripts import ScriptRequest
from harness.investigate.findings.templates import ACCEPTS, ALONE_MAIN, COMPARE, HEAD, PANICS, UNSTABLE
from harness.judging.compare import column_names
from harness.judging.equivalences import EQUIVALENCES
from harness.judging.rows import ORDER
from harness.judging.slices import has_any_rows
from harness.judging.traits import Traits
from harness.judging.verdicts import TIME

LINES = "expected.txt"
_COUNTED = "collections.Counter(lines)"
_INLINE = 8_000  # characters of expected lines that stand in the script
_ALONE = ("crashed", "hung", "out_of_memory", "amplified")
_TIMES = 8
_LEAST_SECONDS = 10  # to answer, of an engine that hung


def script(evidence: Evidence, file: str, named: str = "") -> tuple[str, str | None]:
    """Return the text of the script, and the lines of `expected.txt` if the script does not hold them.

    Raises Unsupported for a finding that no script can show. `named`: see `folders.write`.
    """
    finding = evidence.finding
    if finding.verdict in broken_files.VERDICTS:
        return _writing(evidence), None
    _check(evidence, named)
    query = evidence.probe.query if evidence.probe else None
    request = ScriptRequest(
        evidence.case.format,
        switches(finding.config),
        query,
        script_keys(evidence.case.keys),
        evidence.case.read,
        finding.version,
    )
    text, lines = scripts.source(finding.engine, request, file), None
    if finding.verdict in _ALONE:
        text = _with_imports(text, "resource", "signal", "subprocess") + _alone(evidence)
    elif evidence.order:
        names = ascii([f"before_{number}.py" for number in range(1, len(evidence.order.sequence) + 1)])
        text = _with_imports(text, "importlib.util", "subprocess") + ordered.MAIN.replace("{modules}", names)
    elif finding.verdict == "unstable":
        text += UNSTABLE.replace("{times}", str(max(_TIMES, finding.share.tries)))
    elif finding.verdict == "panicked":
        name = finding.error.partition(":")[0].rpartition(".")[2]
        text += PANICS.replace("{name}", ascii(name))
    elif finding.verdict == "accepted_invalid":
        text += ACCEPTS
    else:
        text, lines = _compared(evidence, text)
    return scripts.started(heading.head(evidence), text), lines


def _check(evidence: Evidence, named: str) -> None:
    """Raise Unsupported for an engine that no script asks, or a request that none can repeat."""
    engine = evidence.finding.engine
    if engine not in ENGINES or (ENGINES[engine].foreign is not None and engine != named):
        raise Unsupported(
            f"it would start the program of {engine}: name its manifest with --engine FILE.toml"
        )
    if not scripts.has(engine):
        raise Unsupported(f"there are no scripts for {engine}")
    if evidence.order and ENGINES[engine].foreign is not None:
        raise Unsupported("the answer depends on what the process had read before; `colconf replay` shows it")


def _writing(evidence: Evidence) -> str:
    if evidence.broken_file is None:
        raise Unsupported("the file cannot be written again: see `colconf validate`")
    broken_file, format_ = evidence.broken_file, evidence.case.format
    written = writing.source(evidence.finding.engine, broken_file.table, broken_file.options, format_)
    is_other = broken_file.rule == broken_files.OTHER
    rule = ("", "") if is_other else (broken_file.rule, rules.load()[broken_file.rule].text)
    is_folder = evidence.case.read is not None
    script = writing.script(written, format_, rule, broken_file.broken, is_folder=is_folder)
    return scripts.started(heading.head(evidence), script)


def _compared(evidence: Evidence, text: str) -> tuple[str, str | None]:
    finding, query = evidence.finding, evidence.probe.query if evidence.probe else None
    table = _table(evidence)
    names = expected.names(table)
    lines = list(expected.lines(table, query, _changed(finding.engine)))
    is_refused = (finding.difference or {}).get("actual") == OutcomeKind.REFUSED
    raised = 1 if finding.verdict in {"refused_valid", "unsupported"} or is_refused else 2
    aggregate = ""
    if isinstance(query, expected.SIGNLESS):  # of -0.0 and 0.0, either is right
        aggregate = 'lines = [re.sub(r"(?<![^ ])-0[.]0(?![^ ])", "0.0", line) for line in lines]\n    '
    if isinstance(query, UNORDERED):
        lines.sort()
        aggregate += "lines = sorted(lines)\n    "
    verdict = 'print("the bug shows")\n        ' if raised == 1 else ""
    main = (
        COMPARE.replace("{raised}", str(raised))
        .replace("{verdict}", verdict)
        .replace("{aggregate}", aggregate)
    )
    shows = _shows(finding.difference, finding.verdict, table)
    file_order = traits_of(finding.engine).file_order
    by_rows = shows.startswith("(names") and (finding.difference or {}).get("path") != ORDER
    if isinstance(query, Slice | TopRows) and has_any_rows(query, file_order=file_order) and by_rows:
        lines, shows = _of_any_rows(evidence, query, table.num_rows)
    if evidence.case.read is not None or not traits_of(finding.engine).row_order:  # rows without an order
        shows = shows.replace("(names, lines)", "(names, sorted(lines))").replace(
            "EXPECTED)", "sorted(EXPECTED))"
        )
    main = main.replace("{shows}", shows)
    text = _with_imports(text, "re") if "re." in shows + aggregate else text
    text = _with_imports(text, "collections") if "collections." in shows else text
    many = "\n".join(lines)
    literal = "[\n" + "".join(f"    {line!a},\n" for line in lines) + "]" if lines else "[]"
    if len(many) > _INLINE:
        folder = "os.path.dirname(os.path.abspath(__file__))"
        literal = f"open(os.path.join({folder}, {LINES!r}), encoding='ascii').read().splitlines()"
    before = HEAD.format(names=ascii(names), lines=literal)
    return text + before + main, many + "\n" if len(many) > _INLINE else None


def _of_any_rows(evidence: Evidence, query: Slice | TopRows, count: int) -> tuple[list[str], str]:
    """Return the lines that an answer chooses from, and the condition under which it shows the bug.

    Of first rows, those that no other row is equal to are certain. Those that are equal to a row of an offset
    come before them: with the lines that no other row has, they are not too many, and with all, not too few.
    """
    assert evidence.probe is not None
    first = FirstRows([], 0, [], [], 0)
    if isinstance(query, TopRows):
        order = traits_of(evidence.finding.engine).order(query)
        file = _table(replace(evidence, probe=None))
        first = first_rows(query, file, order)
        table = in_order(file, first.candidates, query.columns)
    else:
        whole = Slice(0, sys.maxsize, query.predicate, query.columns)
        table = _table(replace(evidence, probe=replace(evidence.probe, query=whole)))
    lines = list(expected.lines(table, query, _changed(evidence.finding.engine)))
    start, end = len(first.before), len(first.before) + len(first.certain)
    shows = f"names != EXPECTED_NAMES or len(lines) != {count} or {_COUNTED} - {_counter('')}"
    if first.certain:
        shows += f" or {_counter(f'{start}:{end}')} - {_COUNTED}"
    if first.before:
        most = f"sum((rest & {_counter(f':{start}')}).values())"
        least = f"sum((rest - {_counter(f'{end}:')}).values())"
        rest = f"{_COUNTED} - {_counter(f'{start}:{end}')}"
        shows += f" or (lambda rest: not {least} <= {first.of_before} <= {most})({rest})"
    return lines, shows


def _counter(part: str) -> str:
    """Return the source of the counts of the expected lines, or of a part of them."""
    return f"collections.Counter(EXPECTED{f'[{part}]' if part else ''})"


def _shows(difference: dict[str, str] | None, verdict: str, table: Table) -> str:
    """Return the condition, as source text, under which an answer shows the bug."""
    if verdict in {"refused_valid", "unsupported"}:
        return "False  # an answer is right"
    kind = (difference or {}).get("kind")
    if kind == "type":
        wrong, at = _kind(str((difference or {})["actual"])), _column(difference or {}, table)
        return f"names != EXPECTED_NAMES or bool(re.search({wrong!a}, kinds[{at}]))"
    if kind == "columns":
        return "names != EXPECTED_NAMES"
    return "(names, lines) != (EXPECTED_NAMES, EXPECTED)"


def _column(difference: dict[str, str], table: Table) -> int:
    """Return the index of the column that a difference is about."""
    labels = column_names(table)
    fitting = [at for at, label in enumerate(labels) if difference["path"].startswith(label)]
    return max(fitting, key=lambda at: len(labels[at]), default=0)


_KINDS = (
    (r"int\((\d+), signed\)", r"(?<![A-Za-z])[Ii]nt\1\\b"),
    (r"int\((\d+), unsigned\)", r"[Uu][Ii]nt\1\\b"),
    (r"float\(64\)", r"double|float64"),
    (r"float\(32\)", r"float(32)?$"),
    (r"float\(16\)", r"float16|halffloat"),
    (r"decimal\((\d+), (-?\d+)\)", r"\1,\\s*\2\\)"),
    (r"timestamp\((\w+), utc\)", r"timestamp\\[\1, tz=|datetime64\\[\1, UTC"),
    (r"timestamp\((\w+), not utc\)", r"timestamp\\[\1\\]|datetime64\\[\1\\]"),
    (r"time\((\w+), .*\)", r"time\\d+\\[\1\\]"),
    (r"duration\((\w+)\)", r"(duration|timedelta64)\\[\1\\]"),
    (r"date", r"date"),
    (r"string", r"string|object|str"),
    (r"bytes", r"binary|object"),
    (r"bool", r"bool"),
    (r"null", r"null"),
    (r"geography", r"edges"),
    (r"geometry", r"wkb(?!.*edges)"),
)


def _kind(text: str) -> str:
    """Return a pattern for an engine's name of a type; `text` is the short form of the tagged type."""
    for pattern, instead in _KINDS:
        if re.fullmatch(pattern, text):
            return re.sub(pattern, instead, text)
    return re.escape(text.partition("(")[0].partition("<")[0])


def _table(evidence: Evidence) -> Table:
    """Return the table that the engine must answer; raises Unsupported if it is not known."""
    table = evidence.case.expectation.table
    if table is None:  # by vote: what the reference reads
        try:
            reference = Reference()
            reference.enter(evidence.case.keys)
            file, read = str(evidence.case.file), evidence.case.read
            if read is None:
                table = reference.read(file, evidence.case.format, {})
            else:
                table = reference.read_table(file, evidence.case.format, {}, read)
        except Exception as error:
            raise Unsupported(f"the meaning of the file is not known: {error}") from error
    if evidence.probe is None:
        return table
    traits = traits_of(evidence.finding.engine)
    query = evidence.probe.query
    order = traits.order(query)
    try:
        return settled(query, answer(query, table, order, evidence.probe.rows), order)
    except QueryError as error:
        raise Unsupported(str(error)) from error


def traits_of(engine: str) -> Traits:
    """Return the traits that an adapter or a manifest declares; the engine need not be installed."""
    entry = ENGINES[engine]
    if entry.foreign is not None:
        return Traits.of(entry.foreign.described({}))
    adapter = getattr(importlib.import_module(entry.module), entry.class_name)
    orders = adapter.float_order, adapter.aggregate_order
    return Traits(adapter.equivalences, *orders, adapter.file_order)


def _changed(engine: str) -> Callable[[Type], expected.Change | None]:
    """Return a function that returns how an engine shows the cells of a type, as its pages document."""
    claimed, double = traits_of(engine).claimed, floating(64)
    decimals = [EQUIVALENCES[name] for name in claimed if name.endswith("decimal-as-float64")]
    is_nan_for_null = "null-as-nan" in claimed

    def changed(type_: Type) -> expected.Change | None:
        if any(each.apply(type_, double) for each in decimals):
            after = expected.with_nan if is_nan_for_null else str
            return lambda cell: after(expected.as_float(cell))
        return expected.with_nan if is_nan_for_null and type_.kind == "float" and type_.bits != 16 else None

    return changed


def _alone(evidence: Evidence) -> str:
    row = evidence.row
    peak = row.peak_rss_bytes >> 20 if row else 0
    seconds = max(
        _LEAST_SECONDS, min(600, round(row.seconds) if row and evidence.finding.verdict == "hung" else 120)
    )
    cost = row.detail.cost if row else None
    is_slow = cost is not None and cost.of == TIME
    most = peak // 2 if evidence.finding.verdict in {"amplified", "out_of_memory"} and not is_slow else 0
    cpu = round(cost.used / 2, 1) if cost and is_slow else 0
    main = ALONE_MAIN.replace("{seconds}", str(seconds)).replace("{megabytes}", str(most))
    return main.replace("{cpu}", str(cpu))


def _with_imports(text: str, *names: str) -> str:
    more = "".join(f"import {name}\n" for name in names if f"import {name}\n" not in text)
    return text.replace("import sys\n", f"{more}import sys\n", 1)
