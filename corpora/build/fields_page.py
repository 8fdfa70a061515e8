"""`FORMAT_COVERAGE.md` as Markdown, from the lines of `fields`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from corpora.build.fields import Interface, Line

_HEAD = """# Format coverage

Every struct, field and enum member of three revisions of parquet.thrift and two of orc_proto.proto, and
whether this project reads and writes it. `colconf corpus fields --write FORMAT_COVERAGE.md` renders this page
from `corpora/build/interfaces`, the schema tables of `reference_impl` and the files of `corpora/parquet` and
`corpora/orc`; do not edit it.

* **read**: the reference's schema tables have the field under this name and number.
* **written**: a case whose file has the field; the reference's writer wrote the file from a plan.
* **case**: where no such file exists, a case whose file has the field because a tamper changed the file, and
  the reason why the field is not needed or not written.
"""
_YES, _NO = "yes", "**no**"


def render(formats: Sequence[tuple[Interface, Mapping[str, Sequence[Line]]]]) -> str:
    """Return the page, from the declarations of each format and their lines by struct."""
    parts = [_HEAD, *_heads("format", "revision", "", "declared", "read", "written", "has a case")]
    for declared, structs in formats:
        parts += _totals(declared, structs)
    missing = list(_missing(formats))
    parts += ["", "## Not covered", "", *(missing or ["Nothing."])]
    for declared, structs in formats:
        for name, lines in structs.items():
            parts += ["", f"## {_NAMED[declared.form]}: {name}", "", *_table(declared, lines)]
    return "\n".join(parts) + "\n"


def _totals(declared: Interface, structs: Mapping[str, Sequence[Line]]) -> Iterator[str]:
    for revision, what in declared.revisions.items():
        lines = [line for group in structs.values() for line in group if revision in line.revisions]
        counts = (
            len(lines),
            sum(line.read for line in lines),
            sum(bool(line.written) for line in lines),
            sum(bool(line.case) for line in lines),
        )
        yield f"| {_NAMED[declared.form]} | {revision} | {what} | {' | '.join(map(str, counts))} |"


def _missing(formats: Sequence[tuple[Interface, Mapping[str, Sequence[Line]]]]) -> Iterator[str]:
    for declared, structs in formats:
        for name, lines in structs.items():
            for line in lines:
                lacks = [word for word, there in _states(line) if not there]
                if lacks:
                    why = f": {line.reason}" if line.reason else ""
                    yield f"* {_NAMED[declared.form]} `{_full(name, line)}`: {', '.join(lacks)}{why}"


def _states(line: Line) -> tuple[tuple[str, bool], ...]:
    return ("not read", line.read), ("not written", bool(line.written)), ("no case", bool(line.case))


def _full(name: str, line: Line) -> str:
    return f"{name}.{line.name}" if line.name else name


def _table(declared: Interface, lines: Sequence[Line]) -> Iterator[str]:
    yield from _heads("", "name", "type", "revisions", "read", "written", "case")
    for line in lines:
        number = str(line.id) if line.name else ""
        name = f"`{line.name}`" if line.name else "(no fields)"
        kind = f"`{line.type}`" if line.type else ""
        revisions = "all" if set(line.revisions) == set(declared.revisions) else ", ".join(line.revisions)
        written = f"`{line.written}`" if line.written else _NO
        read = _YES if line.read else _NO
        case = "" if line.written else _case(line)
        yield f"| {number} | {name} | {kind} | {revisions} | {read} | {written} | {case} |"


def _case(line: Line) -> str:
    parts = [f"`{line.case}`"] if line.case else []
    return "; ".join([*parts, line.reason] if line.reason else parts) or _NO


def _heads(*names: str) -> tuple[str, str]:
    return f"| {' | '.join(names)} |", "|---" * len(names) + "|"


_NAMED = {"parquet": "parquet.thrift", "orc": "orc_proto.proto"}
