"""How DuckDB and Spark are asked: queries as their SQL."""

# ruff: noqa: S608 - names are quoted, and constants are written by us

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from corpora.constants import BINARY, TEXT
from corpora.predicates import Compare, In, IsNull, StartsWith, leaves
from corpora.queries import AGGREGATES, Aggregate, Batches, Extract, Filter, FilterHeld, Project, ToJson
from harness.engines import spark_query
from harness.engines.base import Unsupported
from harness.engines.duckdb import CRYPTO, key_text
from harness.engines.spark_session import settings_of
from harness.engines.terms import (
    bytes_of,
    decimal_text,
    float_of,
    integer_of,
    rescaled,
    text_of,
    where,
)
from harness.engines.zones import UTC, zone_of
from harness.findings import code_variants
from harness.findings.asked import Asked, Code
from harness.findings.literals import quoted
from harness.findings.showing import ARROW

if TYPE_CHECKING:
    from collections.abc import Callable

    from corpora.keys import Keys
    from corpora.queries import Query
    from corpora.tagged import Type, Value

_FLOATS = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
_SKIPPING = "filter_pushdown,statistics_propagation,row_group_pruner,partial_aggregate_pushdown"
_DUCKDB = '''
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


class _Columns:
    """Columns that a condition asks about: variables of the script for their text and type."""

    def __init__(self, quote: str) -> None:
        self.quote = quote
        self.lines: list[str] = []
        self.known: dict[tuple[str, ...], int] = {}

    def name(self, path: tuple[str, ...], *, typed: bool) -> tuple[str, str]:
        number = self.known.setdefault(path, len(self.known))
        text = ".".join(quoted(one, self.quote) for one in path)
        for line in (f"c{number} = {text!a}", f"t{number} = type_of(c{number})" if typed else ""):
            if line and line not in self.lines:
                self.lines.append(line)
        return f"{{c{number}}}", f"{{t{number}}}"

    def condition(self, query: Filter, constant: Callable[[Type, Value, str], str]) -> list[str]:
        """Return lines that end with `condition = …`."""

        def leaf(test: Any) -> str:
            typed = isinstance(test, (Compare, In))
            column, type_ = self.name(test.path, typed=typed)
            if isinstance(test, IsNull):
                return f"({column} IS NULL)"
            if isinstance(test, StartsWith):
                start = "starts_with" if self.quote == '"' else "startswith"
                return f"{start}({column}, {_braced(_text(test.prefix, self.quote))})"
            if isinstance(test, Compare):
                return f"({column} {test.op} {constant(test.type, test.value, type_)})"
            constants = [constant(test.type, value, type_) for value in test.values]
            return f"({column} IN ({', '.join(constants)}))"

        text = where(query.predicate, leaf)
        return [*self.lines, f"condition = f{text!a}"]


def _text(value: Value, quote: str) -> str:
    if quote == "`":
        return f"CAST(X'{text_of(value).encode('utf-8').hex()}' AS STRING)"
    return "'" + text_of(value).replace("'", "''") + "'"


def _braced(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _selected(query: Query | None, quote: str) -> str:
    columns = getattr(query, "columns", None)
    return "*" if columns is None else ", ".join(quoted(name, quote) for name in columns)


def duckdb(asked: Asked) -> Code:
    """Return the code that asks DuckDB."""
    query = asked.query
    body = ["setting('TimeZone', \"'UTC'\")", "setting('arrow_lossless_conversion', 'true')"]
    body.append("setting('arrow_large_buffer_size', 'true')")
    body += _OFF if asked.pushdown == "off" else []
    before = _DUCKDB_BEFORE
    if asked.keys is not None:
        body += _duckdb_keys(asked.keys)
        before = [before[0], before[1].replace("false", f"false, {_DUCKDB_KEY}")]
    selected, after = _selected(query, '"'), ""
    if isinstance(query, (Filter, FilterHeld)):
        if isinstance(query, Filter):
            body += _Columns('"').condition(query, _duckdb_constant)
        else:
            body.append(code_variants.duckdb_condition(query, _duckdb_constant))
        after = " WHERE {condition}"
        if any(isinstance(test, In) and len(test.values) > 1 for test in leaves(query.predicate)):
            return _duckdb_ordered(query, body, before)
    elif isinstance(query, Aggregate):
        selected = _aggregates(query, '"', "count(*)")
    elif isinstance(query, ToJson):
        selected = code_variants.duckdb_json(query)
    elif query is not None and not isinstance(query, Project):
        raise Unsupported(f"DuckDB does not answer queries of kind {query.kind}")
    body.append(f"return told(run(f{f'SELECT {_braced(selected)} FROM {{SOURCE}}{after}'!a}))")
    return Code(ARROW, body, ["import duckdb"], _DUCKDB, before)


def _duckdb_keys(keys: Keys) -> list[str]:
    """Return the statements that tell DuckDB the key of a footer, which is all that it takes."""
    if keys.columns or keys.master_keys or keys.aad_prefix is not None or keys.footer is None:
        raise Unsupported("DuckDB takes the key of a footer alone")
    key = f"PRAGMA add_parquet_key('colconf', '{key_text(keys.footer)}')"
    return [f"setting({CRYPTO!a}, \"'true'\")", f"CONNECTION.execute({key!a})"]


_DUCKDB_KEY = "encryption_config = {footer_key: 'colconf'}"
_DUCKDB_BEFORE = [
    "CONNECTION = duckdb.connect()",
    'SOURCE = "read_parquet($file, hive_partitioning = false)"',
]


def _duckdb_ordered(query: Filter | FilterHeld, body: list[str], before: list[str]) -> Code:
    """Return the code for a long IN, a join, whose rows have an order of their own."""
    every = query.columns is None
    selected = "* EXCLUDE (file_row_number)" if every else _selected(query, '"')
    sql = f"SELECT {_braced(selected)} FROM {{NUMBERED}} WHERE {{condition}} ORDER BY file_row_number"
    numbered = before[1].replace("SOURCE", "NUMBERED").replace("false", "false, file_row_number = true")
    body = [*body, f"return told(run(f{sql!a}))"]
    return Code(ARROW, body, ["import duckdb"], _DUCKDB, [*before, numbered])


def _aggregates(query: Aggregate, quote: str, every: str) -> str:
    column = ".".join(quoted(one, quote) for one in query.path)
    parts = (every, f"count({column})", f"min({column})", f"max({column})")
    named = zip(parts, AGGREGATES, strict=True)
    return ", ".join(f"{part} AS {quoted(name, quote)}" for part, name in named)


def _duckdb_constant(type_: Type, value: Value, target: str) -> str:
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
        return f"{_braced(_text(value, chr(34)))}::{target}"
    if kind == "uuid":
        return f"{_braced(_text(value, chr(34)))}::{target}"
    return "'" + "".join(f"\\x{byte:02X}" for byte in bytes_of(type_, value)) + f"'::{target}"


def _plain(type_: Type, value: Value) -> str:
    if type_.kind == "float":
        return ascii(float_of(type_, value))
    return str(value).lower() if type_.kind == "bool" else str(integer_of(type_, value))


_SPARK_START = '''
def start():
    """A local session in UTC; quiet."""
    java = "-Duser.timezone=UTC"
    builder = SparkSession.builder.master("local[1]").config("spark.driver.extraJavaOptions", java)
    for name, value in {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.variable.substitute": "false",
        "spark.ui.enabled": "false",
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def told_by(frame):
    """What Spark answers, as Arrow."""
    batches = frame._collect_as_arrow()
    if batches:
        return told(pa.Table.from_batches(batches))
    return list(map(ascii, frame.columns)), [field.dataType.simpleString() for field in frame.schema], []
'''


def spark(asked: Asked) -> Code:
    """Return the code that asks Spark, with its options set as the switches say."""
    query, form = asked.query, asked.format
    body = ["session = start()"]
    usual, chosen = settings_of(form, {}), settings_of(form, dict(asked.switches))
    settings = {name: text for name, text in chosen.items() if text is not None and usual[name] != text}
    if query is not None:
        settings.update(spark_query.settings(form, asked.pushdown, query))
    body += [f"session.conf.set({name!a}, {text!a})" for name, text in settings.items()]
    zone = zone_of(dict(asked.switches)) if form == "orc" else UTC
    if zone != UTC:  # ORC's reader goes by the zone of the JVM, SQL by that of the session
        body += [
            "zones = session.sparkContext._jvm.java.util.TimeZone",
            f"zones.setDefault(zones.getTimeZone({zone!a}))",
            f"session.conf.set('spark.sql.session.timeZone', {zone!a})",
        ]
    options = spark_query.options(form, asked.pushdown) if query is not None else {}
    given = f".options(**{options!a})" if options else ""
    body.append(f'frame = session.read.format("{form}"){given}.load("file:" + FILE)')
    if isinstance(query, Filter):
        body += [
            "def type_of(column):",
            "    name = frame.select(column).schema[0].dataType.simpleString()",
            "    if not re.match('[a-z_]+([(][0-9, ]+[)])?$', name):  # names of fields are not quoted in it",
            "        raise TypeError('no constant is compared with ' + name)",
            "    return name",
            "",
            *_Columns("`").condition(query, _spark_constant),
            "frame = frame.where(condition)",
        ]
    if isinstance(query, FilterHeld):
        body += code_variants.filtered(query, _spark_constant)
    if isinstance(query, (Filter, FilterHeld, Project)) and query.columns is not None:
        body.append(f"frame = frame.select({', '.join(ascii(quoted(one, '`')) for one in query.columns)})")
    elif isinstance(query, Aggregate):
        parts = _aggregates(query, "`", "count(1)")
        body.append('frame.createOrReplaceTempView("file")')
        body.append(f"frame = session.sql({f'SELECT {parts} FROM file'!a})")
    elif isinstance(query, (Extract, ToJson)):
        body += code_variants.selected(query)
    elif query is not None and not isinstance(query, (Filter, FilterHeld, Batches)):
        raise Unsupported(f"Spark does not answer queries of kind {query.kind}")
    if zone != UTC:
        body += [
            "clocks = [(one.name, one.dataType.simpleString()) for one in frame.schema]",
            "for name, type_ in clocks:  # a TIMESTAMP of ORC is a wall clock",
            "    if type_ == 'timestamp':",
            "        quoted = '`' + name.replace('`', '``') + '`'",
            "        frame = frame.withColumn(name, frame[quoted].cast('timestamp_ntz'))",
        ]
    body.append("return told_by(frame)")
    imports = ["from pyspark.sql import SparkSession"]
    before = ['os.environ["TZ"] = "UTC"', 'os.environ["PYSPARK_PYTHON"] = sys.executable']
    return Code(ARROW, body, imports, _SPARK_START, before)


def _spark_constant(type_: Type, value: Value, target: str) -> str:
    kind = type_.kind
    if kind == "date":
        return f"date_from_unix_date({integer_of(type_, value)})"
    if kind in ("timestamp", "int96"):
        count = rescaled(type_, value, "us")
        return f"CAST(timestamp_micros(CAST('{count}' AS BIGINT)) AS {target})"
    if kind == "float":
        text = ascii(float_of(type_, value))
        return f"CAST('{_FLOATS.get(text, text)}' AS {target})"
    if kind == "decimal":
        return f"CAST('{decimal_text(type_, value)}' AS {target})"
    if kind == "int":
        return f"CAST('{integer_of(type_, value)}' AS {target})"
    if kind == "bool":
        return str(value is True)
    if kind in TEXT:
        return _text(value, "`")
    if kind in BINARY:
        return f"X'{bytes_of(type_, value).hex()}'"
    raise Unsupported(f"a constant of type {type_}, which Spark has no literal for")
