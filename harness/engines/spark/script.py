"""How Spark is asked: queries as its SQL, and of Variants as its functions."""

# ruff: noqa: S608 - names are quoted, and constants are written by us

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from corpora.constants import BINARY, TEXT
from corpora.predicates import Compare, IsNull, StartsWith
from corpora.queries import (
    EXTRACTED,
    Aggregate,
    Batches,
    Extract,
    Filter,
    FilterHeld,
    Project,
    SchemaOf,
    ToJson,
)
from corpora.tagged import STRING
from harness.engines.errors import Unsupported
from harness.engines.scripts.literals import quoted
from harness.engines.scripts.rendering import ARROW
from harness.engines.scripts.request import Code, ScriptRequest
from harness.engines.scripts.sql import Columns, aggregates, text_source
from harness.engines.spark import query as spark_query
from harness.engines.spark.session import settings_of
from harness.engines.terms import bytes_of, combine, decimal_text, float_of, integer_of, rescaled
from harness.engines.zones import UTC, zone_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from corpora.tagged import Type, Value

_FLOATS = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}

_START = '''
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


def code(request: ScriptRequest) -> Code:
    """Return the code that asks Spark, with its options set as the switches say."""
    query, form = request.query, request.format
    body = ["session = start()"]
    usual, chosen = settings_of(form, {}), settings_of(form, dict(request.switches))
    settings = {name: text for name, text in chosen.items() if text is not None and usual[name] != text}
    if query is not None:
        settings.update(spark_query.settings(form, request.pushdown, query))
    body += [f"session.conf.set({name!a}, {text!a})" for name, text in settings.items()]
    zone = zone_of(dict(request.switches)) if form == "orc" else UTC
    if zone != UTC:  # ORC's reader goes by the zone of the JVM, SQL by that of the session
        body += [
            "zones = session.sparkContext._jvm.java.util.TimeZone",
            f"zones.setDefault(zones.getTimeZone({zone!a}))",
            f"session.conf.set('spark.sql.session.timeZone', {zone!a})",
        ]
    options = spark_query.options(form, request.pushdown) if query is not None else {}
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
            *Columns("`").condition(query, _constant),
            "frame = frame.where(condition)",
        ]
    if isinstance(query, FilterHeld):
        body += _of_held(query, _constant)
    if isinstance(query, (Filter, FilterHeld, Project)) and query.columns is not None:
        body.append(f"frame = frame.select({', '.join(ascii(quoted(one, '`')) for one in query.columns)})")
    elif isinstance(query, Aggregate):
        parts = aggregates(query, "`", "count(1)")
        body.append('frame.createOrReplaceTempView("file")')
        body.append(f"frame = session.sql({f'SELECT {parts} FROM file'!a})")
    elif isinstance(query, (Extract, ToJson)):
        body += _of_variants(query)
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
    return Code(ARROW, body, imports, _START, before)


def _constant(type_: Type, value: Value, target: str) -> str:
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
        return text_source(value, "`")
    if kind in BINARY:
        return f"X'{bytes_of(type_, value).hex()}'"
    raise Unsupported(f"a constant of type {type_}, which Spark has no literal for")


_IMPORT = "from pyspark.sql import functions as F"


def _of_variants(query: Extract | ToJson) -> list[str]:
    """Return the lines that select the one column of the answer."""
    column = _column(query.path)
    if isinstance(query, Extract):
        made = f"F.variant_get({column}, {spark_query.path_of(query.steps)!a}, 'variant')"
    else:
        made = f"F.{'schema_of_variant' if isinstance(query, SchemaOf) else 'to_json'}({column})"
    return [_IMPORT, f"frame = frame.select({made}.alias({EXTRACTED!a}))"]


def _of_held(query: FilterHeld, constant: Callable[[Type, Value, str], str]) -> list[str]:
    """Return the lines of a filter of what Variants hold, null where it is of another type."""
    target = spark_query.held_type(query.type)

    def leaf(test: Any, plain: bool) -> str:  # noqa: ARG001 - NULL is as FALSE to a filter
        if isinstance(test, IsNull):
            return "held.isNull()"
        if isinstance(test, StartsWith):
            return f"F.startswith(held, F.expr({constant(STRING, test.prefix, target)!a}))"
        if isinstance(test, Compare):
            op = "==" if test.op == "=" else test.op
            return f"(held {op} F.expr({constant(test.type, test.value, target)!a}))"
        values = [constant(test.type, value, target) for value in test.values]
        return f"held.isin({', '.join(f'F.expr({one!a})' for one in values)})"

    condition = combine(
        query.predicate,
        leaf,
        invert=lambda one: f"~{one}",
        both=lambda one, other: f"({one} & {other})",
        either=lambda one, other: f"({one} | {other})",
    )
    path = spark_query.path_of(query.steps)
    return [
        _IMPORT,
        f"held = F.try_variant_get({_column(query.path)}, {path!a}, {target!a})",
        f"frame = frame.where({condition})",
    ]


def _column(path: tuple[str, ...]) -> str:
    return ascii(_dotted(path, "`"))


def _dotted(path: tuple[str, ...], quote: str) -> str:
    return ".".join(quoted(one, quote) for one in path)
