"""How Polars is asked: queries as its own code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from corpora.constants import TEXT
from corpora.predicates import Compare, In, IsNull, StartsWith
from corpora.queries import AGGREGATES, Aggregate, Batches, Filter, Project, RowGroup
from corpora.tagged import STRING
from harness.engines.errors import Unsupported
from harness.engines.polars.query import is_pattern, literal
from harness.engines.scripts.literals import joined, nanos, python
from harness.engines.scripts.rendering import ARROW
from harness.engines.scripts.request import Code, ScriptRequest
from harness.engines.terms import bytes_of, text_of

if TYPE_CHECKING:
    from corpora.predicates import Predicate
    from corpora.tagged import Type, Value

_HELPERS = '''
def type_of(column):
    """The type of a column, or of a field of a struct."""
    scan = pl.scan_parquet(FILE, glob=False, hive_partitioning=False)
    chosen = scan.select(column.alias("one"))
    return chosen.collect_schema()["one"] if hasattr(chosen, "collect_schema") else chosen.schema["one"]


def moment(nanos, dtype):
    """A count of time as a literal of a column's type."""
    unit = {"ns": 1, "us": 1000, "ms": 10**6}[getattr(dtype, "time_unit", "ns")]
    return pl.lit(nanos // unit, dtype=pl.Int64).cast(dtype)


def collected(scan, streaming, pushdown):
    """The answer of a scan; options have other names before 1.30."""
    if not hasattr(pl, "QueryOptFlags"):
        return scan.collect(streaming=streaming, predicate_pushdown=pushdown)
    flags = pl.QueryOptFlags(predicate_pushdown=pushdown)
    return scan.collect(engine="streaming" if streaming else "in-memory", optimizations=flags)
'''


def code(request: ScriptRequest) -> Code:
    """Return the code that asks Polars."""
    query, lazy, on = request.query, request.switches.get("api") == "lazy", request.pushdown != "off"
    path = "FILE, glob=False, hive_partitioning=False"
    if not lazy and (query is None or not on):
        body, close = [f"frame = pl.read_parquet({path})"], "frame"
    else:
        told = "" if query is None else f", use_statistics={on}"
        body = [f"frame = pl.scan_parquet({path}{told})"]
        close = f"collected(frame, streaming={lazy}, pushdown={on})"
    if isinstance(query, Filter):
        body.append(f"frame = frame.filter({_condition(query.predicate)})")
    if isinstance(query, (Filter, Project)) and query.columns is not None:
        body.append(f"frame = frame.select([{', '.join(_column((name,)) for name in query.columns)}])")
    elif isinstance(query, Aggregate):
        column = _column(query.path)
        counts = ("pl.len().cast(pl.Int64)", f"{column}.count().cast(pl.Int64)")
        parts = zip((*counts, f"{column}.min()", f"{column}.max()"), AGGREGATES)
        body.append(f"frame = frame.select([{', '.join(f'{part}.alias({name!a})' for part, name in parts)}])")
    elif isinstance(query, (RowGroup, Batches)):
        raise Unsupported(f"Polars does not answer queries of kind {query.kind}")
    return Code(
        ARROW,
        [*body, f"return told({close}.to_arrow())"],
        ["import decimal", "import polars as pl"],
        _HELPERS,
    )


def _column(path: tuple[str, ...]) -> str:
    if any(map(is_pattern, path[1:])):
        raise Unsupported("Polars takes the name of a field for a pattern")
    return f"pl.col({literal(path[0])!a})" + "".join(f".struct.field({name!a})" for name in path[1:])


def _condition(predicate: Predicate) -> str:
    def leaf(test: Any, _: bool) -> str:
        column = _column(test.path)
        if isinstance(test, IsNull):
            return f"{column}.is_null()"
        if isinstance(test, StartsWith):
            text, raw = ascii(text_of(test.prefix)), bytes_of(STRING, test.prefix)
            binary = f"{column}.bin.starts_with({raw!a})"
            return f"{binary} if type_of({column}) == pl.Binary else {column}.str.starts_with({text})"
        if isinstance(test, Compare):
            return f"{column} {'==' if test.op == '=' else test.op} {_literal(test.type, test.value, column)}"
        assert isinstance(test, In)
        values = ", ".join(
            f"pl.select({_literal(test.type, one, column)}).to_series()" for one in test.values
        )
        return f"{column}.is_in(pl.concat([{values}]).implode())"

    return joined(predicate, leaf)


def _literal(type_: Type, value: Value, column: str) -> str:
    kind, text = type_.kind, python(type_, value)
    if kind == "bool":
        return f"pl.lit({text})"
    if kind == "date":
        return f"pl.lit({text}, dtype=pl.Int32).cast(pl.Date)"
    if kind in ("time", "timestamp", "int96", "duration"):
        return f"moment({nanos(type_, value)}, type_of({column}))"
    if kind == "decimal":
        return f"pl.lit(decimal.Decimal({text}), dtype=type_of({column}))"
    if kind in ("int", "float"):
        return f"pl.lit({text}, dtype=type_of({column}))"
    if kind in TEXT:
        raw = bytes_of(type_, value)
        return f"pl.lit({raw!a} if type_of({column}) == pl.Binary else {text})"
    return f"pl.lit({text})"
