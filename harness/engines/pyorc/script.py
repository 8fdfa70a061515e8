"""Scripts that query with pyorc: the source that its adapter executes."""

from __future__ import annotations

from typing import Any

from corpora.predicates import Compare, Computed, IsNull, NullSafe, Predicate, StartsWith, leaves
from corpora.queries import COUNT, Batches, CountRows, Filter, Project, RowGroup, Slice
from corpora.tagged import Type, Value
from harness.engines.errors import Unsupported
from harness.engines.pyorc import table as pyorc_table
from harness.engines.pyorc.query import NO_OPERATOR, search_source
from harness.engines.pyorc.rendering import PYORC, options_of
from harness.engines.pyorc.ways import QUERIES, WAYS, slice_of
from harness.engines.scripts.literals import number, pushed, python
from harness.engines.scripts.request import Code, ScriptRequest
from harness.engines.terms import constants_of, rescaled, text_of
from harness.engines.zones import zone_of

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
    """A column of a search argument; pyorc's operators change it, so each test has its own."""
    for name in path:
        schema = schema.fields[name]
    options = {"precision": schema.precision, "scale": schema.scale} if schema.name == "decimal" else {}
    return pyorc.PredicateColumn(schema.kind, {column}, **options)


def moment(schema, path, nanos):
    """A count of time as text; that of a wall clock, of the instant when the clocks of the zone show it."""
    for name in path:
        schema = schema.fields[name]
    if schema.name == "timestamp" and ZONE != "UTC":
        clock = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=nanos // 10**9)
        nanos -= int(clock.replace(tzinfo=ZoneInfo(ZONE)).utcoffset().total_seconds()) * 10**9
    return str(nanos)
'''


def code(request: ScriptRequest) -> Code:
    """Return the source of a query with pyorc, which filters the rows that a search argument leaves."""
    if request.read is not None:
        return pyorc_table.code(request, request.read)
    query = request.query
    zone = zone_of(dict(request.switches))
    imports = ["from zoneinfo import ZoneInfo"]
    before: list[str] = []
    if "zone" in request.switches:
        imports += ["import os", "import time"]
        before = [f'os.environ["TZ"] = {zone!a}', "time.tzset()"]
    ways = QUERIES if query else WAYS
    way = ways.get(request.switches.get("way", "default"), ways["default"])
    options = options_of(request, "None" if way.converted else "CONVERTERS")
    close = f"return told({way.rows}, reader.selected_schema{{}})"
    helpers, more, body, asks = "", "", list[str](), ""
    if isinstance(query, Filter):
        body = ["with open(FILE, 'rb') as file:", f"    schema = pyorc.Reader(file, {options}).schema"]
        body.append(f"keep = lambda row: {_condition(query.predicate)}")
        helpers = _VALUE_OF
        if request.pushdown != "off":
            body.append(f"wanted = {search_source(query.predicate)}")
            more, helpers = ", predicate=wanted", _VALUE_OF + _SEARCH.replace("{column}", way.column)
            imports.append("import datetime")
            before.append(f"ZONE = {zone!a}")
        asks = ", keep"
        if query.columns is not None:
            tested = {test.path[0] for test in leaves(query.predicate)}
            wanted = sorted({*query.columns, *tested})
            body.append(f"places = [list(schema.fields).index(name) for name in {wanted!a}]")
            more += ", column_indices=sorted(places)"
            place = "list(reader.selected_schema.fields).index(name)"
            asks += f", [{place} for name in {list(query.columns)!a}]"
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
    elif isinstance(query, CountRows):
        if query.predicate is not None:
            raise Unsupported("pyorc counts the rows of a file, not those of a filter")
        close = f"return [{ascii(COUNT)!a}], ['int64'], [str(len(reader))]"
    elif isinstance(query, Slice):
        if query.predicate is not None:
            raise Unsupported("pyorc does not filter rows, so that a limit would be one of other rows")
        if query.columns is not None:
            place = "list(reader.selected_schema.fields).index(name)"
            asks = f", columns=[{place} for name in {list(query.columns)!a}]"
        close = f"return told({slice_of(query)}, reader.selected_schema{{}})"
    elif query is None:
        if "schema" in way.options:
            body = ["with open(FILE, 'rb') as file:", f"    schema = pyorc.Reader(file, {options}).schema"]
    else:
        raise Unsupported(f"pyorc does not answer queries of kind {query.kind}")
    body += [
        "with open(FILE, 'rb') as file:",
        f"    reader = pyorc.Reader(file, {options}{more}{way.options})",
        f"    {close.format(asks)}",
    ]
    return Code(PYORC, body, imports, helpers, before)


def _condition(predicate: Predicate) -> str:
    """Return the condition in Python on a row, for the rows that a search argument leaves."""

    def leaf(test: Any, negated: bool) -> str:
        value = f"value_of(row, reader.selected_schema, {test.path!a})"
        if isinstance(test, IsNull):
            return f"{value} is {'not ' if negated else ''}None"
        if isinstance(test, (Computed, NullSafe)):
            raise Unsupported(NO_OPERATOR)
        no = "not " if negated else ""
        if isinstance(test, StartsWith):
            return f"{value} is not None and {no}{value}.startswith({text_of(test.prefix)!a})"
        if isinstance(test, Compare):
            op = "==" if test.op == "=" else test.op
            left, right = _sides(value, test.type, test.value)
            return f"{value} is not None and {no}({left} {op} {right})"
        pairs = [_sides(value, *pair) for pair in constants_of(test)]
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
