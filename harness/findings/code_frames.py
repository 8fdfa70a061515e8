"""How Polars, fastparquet and pyorc are asked: queries as their own code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from corpora.constants import TEXT
from corpora.predicates import And, Compare, In, IsNull, Or, StartsWith
from corpora.queries import AGGREGATES, Aggregate, Batches, Filter, Project, RowGroup
from corpora.tagged import STRING
from harness.engines.base import Unsupported
from harness.engines.polars_query import is_pattern, literal
from harness.engines.terms import bytes_of, rescaled, text_of
from harness.engines.zones import zone_of
from harness.findings.asked import Asked, Code
from harness.findings.literals import joined, nanos, number, pushed, python
from harness.findings.showing import ARROW, PANDAS, PYORC

if TYPE_CHECKING:
    from corpora.predicates import Predicate
    from corpora.tagged import Type, Value

_POLARS = '''
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


def polars(asked: Asked) -> Code:
    """Return the code that asks Polars."""
    query, lazy, on = asked.query, asked.switches.get("api") == "lazy", asked.pushdown != "off"
    path = "FILE, glob=False, hive_partitioning=False"
    if not lazy and (query is None or not on):
        body, close = [f"frame = pl.read_parquet({path})"], "frame"
    else:
        told = "" if query is None else f", use_statistics={on}"
        body = [f"frame = pl.scan_parquet({path}{told})"]
        close = f"collected(frame, streaming={lazy}, pushdown={on})"
    if isinstance(query, Filter):
        body.append(f"frame = frame.filter({_polars(query.predicate)})")
    if isinstance(query, (Filter, Project)) and query.columns is not None:
        body.append(f"frame = frame.select([{', '.join(_polars_column((name,)) for name in query.columns)}])")
    elif isinstance(query, Aggregate):
        column = _polars_column(query.path)
        counts = ("pl.len().cast(pl.Int64)", f"{column}.count().cast(pl.Int64)")
        parts = zip((*counts, f"{column}.min()", f"{column}.max()"), AGGREGATES, strict=True)
        body.append(f"frame = frame.select([{', '.join(f'{part}.alias({name!a})' for part, name in parts)}])")
    elif isinstance(query, (RowGroup, Batches)):
        raise Unsupported(f"Polars does not answer queries of kind {query.kind}")
    return Code(
        ARROW, [*body, f"return told({close}.to_arrow())"], ["import decimal", "import polars as pl"], _POLARS
    )


def _polars_column(path: tuple[str, ...]) -> str:
    if any(map(is_pattern, path[1:])):
        raise Unsupported("Polars takes the name of a field for a pattern")
    return f"pl.col({literal(path[0])!a})" + "".join(f".struct.field({name!a})" for name in path[1:])


def _polars(predicate: Predicate) -> str:
    def leaf(test: Any, _: bool) -> str:
        column = _polars_column(test.path)
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


def fastparquet(asked: Asked) -> Code:
    """Return the code that asks fastparquet."""
    query = asked.query
    body = ["file = fastparquet.ParquetFile(FILE)", "names = list(file.schema.root['children'])"]
    if query is None:
        body.append("frame = file.to_pandas(index=False)")
    elif isinstance(query, RowGroup):
        body.append(f"frame = file[{query.number}].to_pandas(index=False)")
    elif isinstance(query, (Project, Filter)):
        if query.columns is not None:
            body.append(f"names = {list(query.columns)!a}")
        if isinstance(query, Project):
            body.append("frame = file.to_pandas(columns=names, index=False)[names]")
        else:
            body += _fastparquet(query, asked.pushdown)
    else:
        raise Unsupported(f"fastparquet does not answer queries of kind {query.kind}")
    return Code(PANDAS, [*body, "return told(frame)"])


def _fastparquet(query: Filter, pushdown: str) -> list[str]:
    wanted = "[" + ", ".join(f"[{', '.join(group)}]" for group in _groups(query.predicate)) + "]"
    body = [f"wanted = {wanted}"]
    if pushdown == "rows":
        read = "file.to_pandas(columns=names, filters=wanted, row_filter=True, index=False)[names]"
        return [*body, f"frame = {read}"]
    groups = "[]" if pushdown == "off" else "wanted"
    return [
        *body,
        f"frame = file.to_pandas(filters={groups}, index=False)",
        "frame = frame[file._column_filter(frame, wanted)].reset_index(drop=True)[names]",
    ]


def _groups(predicate: Predicate) -> list[list[str]]:
    """Return tests joined by AND, joined by OR; what fastparquet has no words for is Unsupported."""
    if isinstance(predicate, Or):
        return [group for one in predicate.of for group in _groups(one)]
    if isinstance(predicate, And):
        joined_: list[list[str]] = [[]]
        for part in predicate.of:
            joined_ = [one + other for one in joined_ for other in _groups(part)]
        return joined_
    if not isinstance(predicate, (Compare, In)) or len(predicate.path) > 1:
        raise Unsupported(f"fastparquet has no filter for {predicate}")
    name = predicate.path[0]
    if isinstance(predicate, In):
        values = ", ".join(_pandas(predicate.type, value) for value in predicate.values)
        return [[f"({name!a}, 'in', [{values}])"]]
    op = "==" if predicate.op == "=" else predicate.op
    return [[f"({name!a}, {op!a}, {_pandas(predicate.type, predicate.value)})"]]


def _pandas(type_: Type, value: Value) -> str:
    kind, text = type_.kind, python(type_, value)
    if kind == "date":
        return f"np.datetime64({text}, 'D')"
    if kind in ("timestamp", "int96"):
        return f"np.datetime64({text}, {type_.unit or 'ns'!a})"
    if kind == "time":
        return f"np.timedelta64({text}, {type_.unit!a})"
    if kind in ("int", "float", "bool", "bytes", *TEXT):
        return text
    raise Unsupported(f"a constant of type {type_}, which pandas does not have")


_VALUE_OF = '''

def value_of(row, schema, path):
    """The value of a column, or of a field of a struct, of a row; None where the struct is null."""
    for name in path:
        row = None if row is None else row[list(schema.fields).index(name)]
        schema = schema.fields[name]
    return row
'''
_SEARCH = '''
def column(schema, path):
    """A column of a search argument, by its number; pyorc's operators change it, so each test has its own."""
    for name in path:
        schema = schema.fields[name]
    options = {"precision": schema.precision, "scale": schema.scale} if schema.name == "decimal" else {}
    return pyorc.PredicateColumn(schema.kind, index=schema.column_id, **options)
'''


def pyorc(asked: Asked) -> Code:
    """Return the code that asks pyorc; a search argument skips, so the rows that are left are filtered."""
    query = asked.query
    zone = zone_of(dict(asked.switches))
    imports = ["from zoneinfo import ZoneInfo"]
    before: list[str] = []
    if "zone" in asked.switches:
        imports += ["import os", "import time"]
        before = [f'os.environ["TZ"] = {zone!a}', "time.tzset()"]
    options = f"converters=CONVERTERS, timezone=ZoneInfo({zone!a})"
    close = "return told(reader, reader.selected_schema{})"
    helpers, more, body, asks = "", "", [], ""
    if isinstance(query, Filter):
        body = ["with open(FILE, 'rb') as file:", f"    schema = pyorc.Reader(file, {options}).schema"]
        body += ["places = list(schema.fields)", f"keep = lambda row: {_kept(query.predicate)}"]
        helpers = _VALUE_OF
        if asked.pushdown != "off":
            body.append(f"wanted = {_search(query.predicate)}")
            more, helpers = ", predicate=wanted", _VALUE_OF + _SEARCH
        asks = ", keep"
        if query.columns is not None:
            asks += f", [places.index(name) for name in {list(query.columns)!a}]"
    elif isinstance(query, Project):
        body = [
            "with open(FILE, 'rb') as file:",
            f"    places = list(pyorc.Reader(file, {options}).schema.fields)",
            f"names = {list(query.columns)!a}",
        ]
        more = ", column_indices=[places.index(name) for name in names]"
        asks = ", columns=[list(reader.selected_schema.fields).index(name) for name in names]"
    elif isinstance(query, Batches):
        more = f", batch_size={query.rows}"
    elif isinstance(query, RowGroup):
        close = f"return told(reader.read_stripe({query.number}), reader.selected_schema{{}})"
    elif query is not None:
        raise Unsupported(f"pyorc does not answer queries of kind {query.kind}")
    body += [
        "with open(FILE, 'rb') as file:",
        f"    reader = pyorc.Reader(file, {options}{more})",
        f"    {close.format(asks)}",
    ]
    return Code(PYORC, body, imports, helpers, before)


def _search(predicate: Predicate) -> str:
    def leaf(test: Any, _: bool) -> str:
        column = f"column(schema, {test.path!a})"
        if isinstance(test, IsNull):
            return f"{column} == None"
        if isinstance(test, StartsWith):
            prefix = bytes_of(STRING, test.prefix)
            head = prefix.rstrip(b"\xff")
            if not prefix:
                raise Unsupported("pyorc has no operator for prefixes")
            end = head[:-1] + bytes([head[-1] + 1]) if head else b""
            return f"({column} >= {prefix!a})" + (f" & ({column} < {end!a})" if head else "")
        if isinstance(test, Compare):
            return f"{column} {'==' if test.op == '=' else test.op} {_orc(test.type, test.value)}"
        return " | ".join(f"({column} == {_orc(test.type, value)})" for value in test.values)

    return joined(predicate, leaf)


def _orc(type_: Type, value: Value) -> str:
    """Return a constant of a search argument: decimals unscaled, times in nanoseconds, as text."""
    kind = type_.kind
    if kind in ("decimal", "date"):
        return ascii(str(value))
    if kind in ("timestamp", "int96"):
        return ascii(str(rescaled(type_, value, "ns")))
    return ascii(bytes_of(type_, value)) if kind in TEXT else python(type_, value)


def _kept(predicate: Predicate) -> str:
    """Return the condition in Python on a row, for the rows that a search argument leaves."""

    def leaf(test: Any, negated: bool) -> str:
        value = f"value_of(row, schema, {test.path!a})"
        if isinstance(test, IsNull):
            return f"{value} is {'not ' if negated else ''}None"
        no = "not " if negated else ""
        if isinstance(test, StartsWith):
            return f"{value} is not None and {no}{value}.startswith({text_of(test.prefix)!a})"
        if isinstance(test, Compare):
            op = "==" if test.op == "=" else test.op
            left, right = _sides(value, test.type, test.value)
            return f"{value} is not None and {no}({left} {op} {right})"
        pairs = [_sides(value, test.type, one) for one in test.values]
        return f"{value} is not None and {no}({' or '.join(f'{left} == {right}' for left, right in pairs)})"

    return pushed(predicate, leaf)


def _sides(value: str, type_: Type, constant: Value) -> tuple[str, str]:
    kind = type_.kind
    if kind == "decimal":
        return (
            f"__import__('fractions').Fraction({value})",
            f"__import__('fractions').Fraction({python(type_, constant)})",
        )
    if kind in ("timestamp", "int96"):
        return value, str(rescaled(type_, constant, "ns"))
    if kind == "float":
        return value, number(type_, constant)
    return value, python(type_, constant)
