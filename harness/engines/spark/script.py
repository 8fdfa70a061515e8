"""How Spark is asked: queries as its SQL, and of Variants as its functions."""

from __future__ import annotations

from corpora.queries import Query
from corpora.table_reads import TableRead
from harness.engines.scripts.rendering import ARROW
from harness.engines.scripts.request import Code, ScriptRequest
from harness.engines.spark import table as spark_table
from harness.engines.spark.formats import READING
from harness.engines.spark.formats import options as query_options
from harness.engines.spark.formats import settings as query_settings
from harness.engines.spark.query import ALL, OF_VALUES, rows, selected, values
from harness.engines.spark.session import settings_of
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

def type_of(frame, path):
    """Spark's type of a column, for constants that it is compared with."""
    column = ".".join("`" + name.replace("`", "``") + "`" for name in path)
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
    """Return the source of a query with Spark, with its options set as the switches say.

    FILE is a file or, of a request with a read, a folder that is read with a schema.
    """
    query, form, read = request.query, request.format, request.read
    usual, chosen = settings_of(form, {}), settings_of(form, dict(request.switches))
    settings = {name: text for name, text in chosen.items() if text is not None and usual[name] != text}
    way = way_of(dict(request.switches), of_query=query is not None)
    options = dict(way.options)
    if query is not None:
        settings.update(query_settings(form, request.pushdown, query))
        options = query_options(form, request.pushdown) | options
    settings |= way.settings | ({} if read is None else spark_table.settings(read))
    body = ["session = start()"]
    body += [f"session.conf.set({name!a}, {text!a})" for name, text in settings.items()]
    body += _in_zone(request)
    body += _of_file(form, options) if read is None else _of_folder(form, options, read)
    body += [f"frame = {way.frame}"] if way.frame != "frame" else []
    body += _asking(query, way) if query is not None else []
    body += [f"answer = frame; frame = {way.answer}"] if way.answer != "answer" else []
    body += _clocks_shown(request)
    body.append("return told_by(frame)")
    imports = ["from pyspark.sql import SparkSession", "from pyspark.sql import functions as F"]
    if read is not None:
        copying = ["import shutil", "import tempfile"] if read.removed else []
        imports = ["import json", *copying, *imports, "from pyspark.sql.types import StructType"]
    before = ['os.environ["TZ"] = "UTC"', 'os.environ["PYSPARK_PYTHON"] = sys.executable']
    return Code(ARROW, body, imports, _START + _TYPE_OF, before)


def _of_file(form: str, options: dict[str, str]) -> list[str]:
    given = f".options(**{options!a})" if options else ""
    return [f'frame = session.read.format("{form}"){given}.load("file:" + FILE)']


def _of_folder(form: str, options: dict[str, str], read: TableRead) -> list[str]:
    """Return the lines that open a folder, a copy of it where files are removed behind the listing."""
    opened = ['FOLDER = "file:" + FILE']
    if read.removed:
        opened = ['FOLDER = os.path.join(tempfile.mkdtemp(), "copy")', "shutil.copytree(FILE, FOLDER)"]
    removed = [f"os.remove(os.path.join(FOLDER, {path!a}))" for path in read.removed]
    return [*opened, f"frame = {spark_table.text(read, form, options)}", *removed]


def _asking(query: Query, way: Way) -> list[str]:
    """Return the lines that make `frame` the answer to a query of it."""
    lines = rows(query, way)
    if isinstance(query, OF_VALUES):
        return [*lines, *values(query, way)]
    columns = selected(query)
    return lines if columns == ALL else [*lines, f"frame = frame.select({columns})"]


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
