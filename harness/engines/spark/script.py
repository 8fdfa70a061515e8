"""How Spark is asked: queries as its SQL, and of Variants as its functions."""

from __future__ import annotations

from corpora.queries import (
    Aggregate,
    Batches,
    CountRows,
    Distinct,
    Extract,
    Fields,
    Filter,
    FilterHeld,
    Groups,
    Join,
    Project,
    Query,
    Slice,
    ToJson,
    Top,
    TopRows,
    predicate_of,
)
from corpora.table_reads import TableRead
from harness.engines.errors import Unsupported
from harness.engines.scripts.literals import dotted, fields_list
from harness.engines.scripts.rendering import ARROW
from harness.engines.scripts.request import Code, ScriptRequest
from harness.engines.spark import table as spark_table
from harness.engines.spark.formats import READING
from harness.engines.spark.formats import options as query_options
from harness.engines.spark.formats import settings as query_settings
from harness.engines.spark.query import (
    NUMBER_OF_ROWS,
    aggregates,
    condition,
    first_of,
    join,
    of_column,
    select_list,
    slice_of,
    small_table,
)
from harness.engines.spark.session import settings_of
from harness.engines.spark.variants import column_source, held_condition, held_source, of_variants
from harness.engines.spark.ways import Way, way_of
from harness.engines.zones import UTC, zone_of

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
    """Spark's answer, as Arrow."""
    batches = frame._collect_as_arrow()
    if batches:
        return told(pa.Table.from_batches(batches))
    return list(map(ascii, frame.columns)), [field.dataType.simpleString() for field in frame.schema], []
'''


_TYPE_OF = '''

def type_of(frame, column):
    """Spark's type of a column, for constants that it is compared with."""
    name = frame.select(column).schema[0].dataType.simpleString()
    if not re.match("[a-z_]+([(][0-9, ]+[)])?$", name):  # names of fields are not quoted in it
        raise TypeError("no constant is compared with " + name)
    return name


def moment(type_, micros):
    """Microseconds of a wall clock, or of the instant when the session's zone shows it."""
    session = SparkSession.builder.getOrCreate()
    zone, java = session.conf.get("spark.sql.session.timeZone"), session.sparkContext._jvm.java.time
    if not type_.startswith("timestamp") or zone == "UTC":
        return micros
    clock = java.LocalDateTime.ofEpochSecond(micros // 10**6, 0, java.ZoneOffset.UTC)
    return micros - java.ZoneId.of(zone).getRules().getOffset(clock).getTotalSeconds() * 10**6
'''


def code(request: ScriptRequest) -> Code:
    """Return the source of a query with Spark, with its options set as the switches say."""
    if request.read is not None:
        return _of_table(request, request.read)
    query, form = request.query, request.format
    body = ["session = start()"]
    usual, chosen = settings_of(form, {}), settings_of(form, dict(request.switches))
    settings = {name: text for name, text in chosen.items() if text is not None and usual[name] != text}
    way = way_of(dict(request.switches), of_query=query is not None)
    if query is not None:
        settings.update(query_settings(form, request.pushdown, query))
    settings.update(way.settings)
    body += [f"session.conf.set({name!a}, {text!a})" for name, text in settings.items()]
    body += _in_zone(request)
    options = (query_options(form, request.pushdown) if query is not None else {}) | dict(way.options)
    given = f".options(**{options!a})" if options else ""
    body.append(f'frame = session.read.format("{form}"){given}.load("file:" + FILE)')
    body += [f"frame = {way.frame}"] if way.frame != "frame" else []
    body += _asking(query, way) if query is not None else []
    body += [f"answer = frame; frame = {way.answer}"] if way.answer != "answer" else []
    body += _clocks_shown(request)
    body.append("return told_by(frame)")
    imports = ["from pyspark.sql import SparkSession", "from pyspark.sql import functions as F"]
    before = ['os.environ["TZ"] = "UTC"', 'os.environ["PYSPARK_PYTHON"] = sys.executable']
    return Code(ARROW, body, imports, _START + _TYPE_OF, before)


def _in_zone(request: ScriptRequest) -> list[str]:
    """Return the lines that set the zone: ORC's reader goes by the JVM's, SQL by the session's."""
    zone = zone_of(dict(request.switches))
    if zone == UTC:
        return []
    return [
        "zones = session.sparkContext._jvm.java.util.TimeZone",
        f"zones.setDefault(zones.getTimeZone({zone!a}))",
        f"session.conf.set('spark.sql.session.timeZone', {zone!a})",
    ]


def _clocks_shown(request: ScriptRequest) -> list[str]:
    """Return the lines that make wall clocks of TIMESTAMPs of ORC, which Spark reads as instants."""
    if READING[request.format].zone(dict(request.switches)) == UTC:
        return []
    return [
        "clocks = [(one.name, one.dataType.simpleString()) for one in frame.schema]",
        "for name, type_ in clocks:  # a TIMESTAMP of ORC is a wall clock",
        "    if type_ == 'timestamp':",
        "        quoted = '`' + name.replace('`', '``') + '`'",
        "        frame = frame.withColumn(name, frame[quoted].cast('timestamp_ntz'))",
    ]


def _of_table(request: ScriptRequest, read: TableRead) -> Code:
    """Return the source of a script that reads the folder FILE with a schema."""
    usual = settings_of(request.format, {})
    chosen = settings_of(request.format, dict(request.switches))
    settings = {name: text for name, text in chosen.items() if text is not None and usual[name] != text}
    query = request.query
    way = way_of(dict(request.switches), of_query=query is not None)
    settings |= {} if query is None else query_settings(request.format, request.pushdown, query)
    settings |= way.settings | spark_table.settings(read)
    options = ({} if query is None else query_options(request.format, request.pushdown)) | dict(way.options)
    body = ["session = start()", 'FOLDER = "file:" + FILE']
    body += [f"session.conf.set({name!a}, {text!a})" for name, text in settings.items()]
    body += _in_zone(request)
    if read.removed:
        body[1:2] = ['FOLDER = os.path.join(tempfile.mkdtemp(), "copy")', "shutil.copytree(FILE, FOLDER)"]
    body.append(f"frame = {spark_table.text(read, request.format, options)}")
    body += [f"os.remove(os.path.join(FOLDER, {path!a}))" for path in read.removed]
    body += [f"frame = {way.frame}"] if way.frame != "frame" else []
    body += _asking(query, way) if query is not None else []
    body += [f"answer = frame; frame = {way.answer}"] if way.answer != "answer" else []
    body += _clocks_shown(request)
    body.append("return told_by(frame)")
    imports = [
        "import json",
        *(["import shutil", "import tempfile"] if read.removed else []),
        "from pyspark.sql import SparkSession",
        "from pyspark.sql import functions as F",
        "from pyspark.sql.types import StructType",
    ]
    before = ['os.environ["TZ"] = "UTC"', 'os.environ["PYSPARK_PYTHON"] = sys.executable']
    return Code(ARROW, body, imports, _START + _TYPE_OF, before)


def _asking(query: Query, way: Way) -> list[str]:
    """Return the lines that make `frame` the answer to a query of it."""
    lines = []
    predicate = predicate_of(query)
    if predicate is not None:
        text, columns, values = condition(predicate)
        lines += [f"t{at} = type_of(frame, {dotted(path, '`')!a})" for at, path in enumerate(columns)]
        names = [*(f"t{at}=t{at}" for at in range(len(columns))), *map("=".join, values.items())]
        lines.append(f"frame = frame.where({text!a}.format({', '.join(names)}))")
    if isinstance(query, Slice):
        lines.append(f"frame = {slice_of(query)}")
    elif isinstance(query, FilterHeld):
        lines += [f"held = {held_source(query)}", f"frame = frame.where({held_condition(query)})"]
    elif isinstance(query, Join):
        text, values = small_table(query)
        names = ["t0=t0", *map("=".join, values.items())]
        lines.append(f"t0 = type_of(frame, {dotted(query.path, '`')!a})")
        lines.append(f"small = session.sql({text!a}.format({', '.join(names)}))")
        lines += [f"small = {way.small}"] if way.small != "small" else []
        lines.append(f"frame = {join(query)}")
    elif isinstance(query, TopRows):
        lines.append(f"frame = {first_of(query)}")
    if isinstance(query, (Filter, FilterHeld, Join, Slice, Project, TopRows)):
        return (
            lines
            if query.columns is None
            else [*lines, f"frame = frame.select({select_list(query.columns)})"]
        )
    if isinstance(query, Fields):
        return [*lines, f"frame = frame.select({fields_list(query, column_source)})"]
    if isinstance(query, CountRows):
        return [*lines, f"frame = {NUMBER_OF_ROWS}"]
    if isinstance(query, (Distinct, Groups, Top)):
        return [f"frame = {of_column(query)}"]
    if isinstance(query, Aggregate):
        return [*lines, f"cells = [{aggregates(query)}]", f"frame = {way.aggregate}"]
    if isinstance(query, (Extract, ToJson)):
        return [f"frame = frame.select({of_variants(query)})"]
    if isinstance(query, Batches):
        return []
    raise Unsupported(f"Spark does not answer queries of kind {query.kind}")
