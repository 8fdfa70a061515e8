"""How DuckDB is asked: queries as its SQL."""

# ruff: noqa: S608 - names are quoted, and constants are written by us

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from corpora.constants import TEXT
from corpora.predicates import Compare, In, IsNull, StartsWith, leaves
from corpora.queries import EXTRACTED, Aggregate, Filter, FilterHeld, Project, ToJson
from corpora.tagged import STRING
from harness.engines.duckdb import query as duckdb_query
from harness.engines.duckdb.adapter import CRYPTO, key_text
from harness.engines.errors import Unsupported
from harness.engines.scripts.literals import quoted
from harness.engines.scripts.rendering import ARROW
from harness.engines.scripts.request import Code, ScriptRequest
from harness.engines.scripts.sql import Columns, aggregates, braced, select_list, text_source
from harness.engines.terms import bytes_of, decimal_text, float_of, integer_of, rescaled, where

if TYPE_CHECKING:
    from collections.abc import Callable

    from corpora.keys import Keys
    from corpora.tagged import Type, Value

_SKIPPING = "filter_pushdown,statistics_propagation,row_group_pruner,partial_aggregate_pushdown"

_HELPERS = '''
def run(sql):
    """The answer of DuckDB as a table of pyarrow."""
    relation = CONNECTION.sql(sql, params={"file": FILE})
    return pa.table(relation) if hasattr(relation, "__arrow_c_stream__") else relation.fetch_arrow_table()


def type_of(column):
    """DuckDB's type of a column, for constants that it is compared with."""
    name = str(CONNECTION.sql(f"SELECT {column} FROM {SOURCE}", params={"file": FILE}).types[0])
    if not re.match("[A-Z_0-9 ]+([(][0-9, ]+[)])?$", name):
        raise TypeError("no constant is compared with " + name)
    return name


def setting(name, value):
    """Set what this version has."""
    if CONNECTION.execute("SELECT 1 FROM duckdb_settings() WHERE name = ?", [name]).fetchall():
        CONNECTION.execute(f"SET {name} = {value}")
'''

_OFF = [
    "there = CONNECTION.execute('SELECT name FROM duckdb_optimizers()').fetchall()",
    f"off = ','.join(name for (name,) in there if name in {_SKIPPING!a}.split(','))",
    """CONNECTION.execute(f"SET disabled_optimizers = '{off}'")""",
]


def code(request: ScriptRequest) -> Code:
    """Return the code that asks DuckDB."""
    query = request.query
    body = ["setting('TimeZone', \"'UTC'\")", "setting('arrow_lossless_conversion', 'true')"]
    body.append("setting('arrow_large_buffer_size', 'true')")
    body += _OFF if request.pushdown == "off" else []
    before = _BEFORE
    if request.keys is not None:
        body += _keys(request.keys)
        before = [before[0], before[1].replace("false", f"false, {_KEY}")]
    selected, after = select_list(query, '"'), ""
    if isinstance(query, (Filter, FilterHeld)):
        if isinstance(query, Filter):
            body += Columns('"').condition(query, _constant)
        else:
            body.append(_held_condition(query, _constant))
        after = " WHERE {condition}"
        if any(isinstance(test, In) and len(test.values) > 1 for test in leaves(query.predicate)):
            return _ordered(query, body, before)
    elif isinstance(query, Aggregate):
        selected = aggregates(query, '"', "count(*)")
    elif isinstance(query, ToJson):
        selected = _json(query)
    elif query is not None and not isinstance(query, Project):
        raise Unsupported(f"DuckDB does not answer queries of kind {query.kind}")
    body.append(f"return told(run(f{f'SELECT {braced(selected)} FROM {{SOURCE}}{after}'!a}))")
    return Code(ARROW, body, ["import duckdb"], _HELPERS, before)


def _keys(keys: Keys) -> list[str]:
    """Return the statements that tell DuckDB the key of a footer, which is all that it takes."""
    if keys.columns or keys.master_keys or keys.aad_prefix is not None or keys.footer is None:
        raise Unsupported("DuckDB takes the key of a footer alone")
    key = f"PRAGMA add_parquet_key('colconf', '{key_text(keys.footer)}')"
    return [f"setting({CRYPTO!a}, \"'true'\")", f"CONNECTION.execute({key!a})"]


_KEY = "encryption_config = {footer_key: 'colconf'}"

_BEFORE = [
    "CONNECTION = duckdb.connect()",
    'SOURCE = "read_parquet($file, hive_partitioning = false)"',
]


def _ordered(query: Filter | FilterHeld, body: list[str], before: list[str]) -> Code:
    """Return the code for a long IN, a join, whose rows have an order of their own."""
    every = query.columns is None
    selected = "* EXCLUDE (file_row_number)" if every else select_list(query, '"')
    sql = f"SELECT {braced(selected)} FROM {{NUMBERED}} WHERE {{condition}} ORDER BY file_row_number"
    numbered = before[1].replace("SOURCE", "NUMBERED").replace("false", "false, file_row_number = true")
    body = [*body, f"return told(run(f{sql!a}))"]
    return Code(ARROW, body, ["import duckdb"], _HELPERS, [*before, numbered])


def _constant(type_: Type, value: Value, target: str) -> str:
    kind = type_.kind
    if kind == "date":
        return f"make_date({integer_of(type_, value)})::{target}"
    if kind in ("timestamp", "int96"):
        try:
            made = f"make_timestamp({rescaled(type_, value, 'us')}::BIGINT)"
        except Unsupported:
            made = f"make_timestamp_ns({rescaled(type_, value, 'ns')}::BIGINT)"
        return f"{made}::{target}"
    if kind == "time":
        seconds, fraction = divmod(rescaled(type_, value, "ns"), 10**9)
        digits = f"{fraction:09}" if fraction % 1000 else f"{fraction // 1000:06}"
        clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{digits}"
        return f"'{clock}'::{target}"
    if kind in ("int", "float", "decimal", "bool"):
        text = decimal_text(type_, value) if kind == "decimal" else _plain(type_, value)
        return f"'{text}'::{target}"
    if kind in TEXT:
        return f"{braced(text_source(value, chr(34)))}::{target}"
    if kind == "uuid":
        return f"{braced(text_source(value, chr(34)))}::{target}"
    return "'" + "".join(f"\\x{byte:02X}" for byte in bytes_of(type_, value)) + f"'::{target}"


def _plain(type_: Type, value: Value) -> str:
    if type_.kind == "float":
        return ascii(float_of(type_, value))
    return str(value).lower() if type_.kind == "bool" else str(integer_of(type_, value))


def _held_condition(query: FilterHeld, constant: Callable[[Type, Value, str], str]) -> str:
    """Return the line `condition = …` of that filter in DuckDB; `constant` answers text of an f-string."""
    target = duckdb_query.held_type(query.type)
    held = braced(_dotted(query.path, '"'))
    for step in query.steps:
        at = f"{step + 1}::UINTEGER" if isinstance(step, int) else constant(STRING, step, "VARCHAR")
        held = f"variant_extract({held}, {at})"
    held = f"TRY_CAST({held} AS {target})"

    def leaf(test: Any) -> str:
        if isinstance(test, IsNull):
            return f"({held} IS NULL)"
        if isinstance(test, StartsWith):
            return f"starts_with({held}, {constant(STRING, test.prefix, target)})"
        if isinstance(test, Compare):
            return f"({held} {test.op} {constant(test.type, test.value, target)})"
        values = [constant(test.type, value, target) for value in test.values]
        return f"({held} IN ({', '.join(values)}))"

    return f"condition = f{where(query.predicate, leaf)!a}"


def _json(query: ToJson) -> str:
    """Return what DuckDB is to select: the JSON of each Variant."""
    return f'{_dotted(query.path, chr(34))}::JSON::VARCHAR AS "{EXTRACTED}"'


def _dotted(path: tuple[str, ...], quote: str) -> str:
    return ".".join(quoted(one, quote) for one in path)
