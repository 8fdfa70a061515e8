"""Scripts that query with DuckDB: the SQL that its adapter executes."""

from __future__ import annotations

from corpora.keys import Keys
from corpora.queries import Query
from corpora.table_reads import TableRead
from harness.engines.duckdb import table as duckdb_table
from harness.engines.duckdb.connected import CRYPTO, EXTENSION, SKIPPING, key_text
from harness.engines.duckdb.lists import in_one_thread, in_way
from harness.engines.duckdb.query import sources, statement
from harness.engines.duckdb.ways import QUERIES, WAYS, Way
from harness.engines.errors import Unsupported
from harness.engines.scripts.literals import dotted
from harness.engines.scripts.rendering import ARROW
from harness.engines.scripts.request import Code, ScriptRequest

_HELPERS = '''
def run(sql, values):
    """The answer of DuckDB as a table of pyarrow."""
    relation = CONNECTION.sql(sql, params={**named(sql), **values})
    return pa.table(relation) if hasattr(relation, "__arrow_c_stream__") else relation.fetch_arrow_table()


def named(sql):
    """The parameter that names the file, where it is one."""
    named = {"file": FILE} if "$file" in sql else {}
    return {**named, "pattern": FILE + "/**/*.parquet"} if "$pattern" in sql else named


def type_of(column):
    """DuckDB's type of a column, for constants that it is compared with."""
    sql = f"SELECT {column} FROM {SOURCE}"
    name = str(CONNECTION.sql(sql, params=named(sql)).types[0])
    if not re.match("[A-Z_0-9 ]+([(][0-9, ]+[)])?$", name):
        raise TypeError("no constant is compared with " + name)
    return name


def setting(name, value):
    """Set what this version has."""
    if CONNECTION.execute("SELECT 1 FROM duckdb_settings() WHERE name = ?", [name]).fetchall():
        CONNECTION.execute(f"SET {name} = {value}")
'''

_KEY = ", encryption_config = {footer_key: 'colconf'}"


def code(request: ScriptRequest) -> Code:
    """Return the source of a query with DuckDB."""
    if request.read is not None:
        return _of_table(request, request.read)
    body = ["setting('TimeZone', \"'UTC'\")", "setting('arrow_lossless_conversion', 'true')"]
    body.append("setting('arrow_large_buffer_size', 'true')")
    ways = QUERIES if request.query else WAYS
    way = ways.get(request.switches.get("way", "default"), ways["default"])
    way = in_one_thread(way, request.query) if request.query else way
    body += _without(way, request.pushdown)
    body += [f"setting({name!a}, {value!a})" for name, value in way.settings]
    keyed = ""
    if request.keys is not None:
        body += _keys(request.keys)
        keyed = _KEY
    plain, numbered = sources("$file", way if request.query else way._replace(source="{source}"), keyed)
    before = ["CONNECTION = duckdb.connect()", f"SOURCE = {plain.text!a}", f"NUMBERED = {numbered.text!a}"]
    if request.query and "{view}" in way.source:
        body += [_view(view.statement) for view in (plain, numbered)]
    body += (
        _asking(request.query, way)
        if request.query
        else [f"sql, values = {way.sql!a}.format(source=SOURCE), {{}}"]
    )
    return Code(ARROW, [*body, "return told(run(sql, values))"], ["import duckdb"], _HELPERS, before)


def _of_table(request: ScriptRequest, read: TableRead) -> Code:
    """Return the source of a script that reads the folder FILE."""
    if request.query is None:
        return duckdb_table.code(read)
    source, numbered = duckdb_table.sources(read)
    before = ["CONNECTION = duckdb.connect()", f"SOURCE = {source!a}", f"NUMBERED = {numbered!a}"]
    body = ["setting('TimeZone', \"'UTC'\")", "setting('arrow_lossless_conversion', 'true')"]
    way = QUERIES["default"]
    body += [*_without(way, request.pushdown), *_asking(request.query, way)]
    return Code(ARROW, [*body, "return told(run(sql, values))"], ["import duckdb"], _HELPERS, before)


def _without(way: Way, pushdown: str) -> list[str]:
    """Return the lines that switch passes of the optimizer off."""
    names = (*(SKIPPING if pushdown == "off" else ()), *([way.disabled] if way.disabled else []))
    if not names:
        return []
    wanted = f"if name in {names!a}" if way.disabled != "*" else f"if name != {EXTENSION!a}"
    return [
        "there = CONNECTION.execute('SELECT name FROM duckdb_optimizers()').fetchall()",
        f"off = ','.join(name for (name,) in there {wanted})",
        """CONNECTION.execute(f"SET disabled_optimizers = '{off}'")""",
    ]


def _view(statement: str) -> str:
    before, after = (ascii(part) for part in statement.split("$file"))
    return f"""CONNECTION.execute({before} + "'" + FILE.replace("'", "''") + "'" + {after})"""


def _asking(query: Query, way: Way) -> list[str]:
    """Return the lines that make the SQL of a query, and the values of its parameters."""
    text, columns, parameters = statement(query, numbered=way.numbered)
    text = in_way(way, query, text)
    lines = [f"t{at} = type_of({dotted(path, chr(34))!a})" for at, path in enumerate(columns)]
    types = "".join(f", t{at}=t{at}" for at in range(len(columns)))
    values = ", ".join(f"{name!a}: {value}" for name, value in parameters.items())
    sql = f"sql = {text!a}.format(source=SOURCE, numbered=NUMBERED{types})"
    return [*lines, sql, f"values = {{{values}}}"]


def _keys(keys: Keys) -> list[str]:
    """Return the statements that tell DuckDB the key of a footer, which is all that it takes."""
    if keys.columns or keys.master_keys or keys.aad_prefix is not None or keys.footer is None:
        raise Unsupported("DuckDB takes the key of a footer alone")
    key = f"PRAGMA add_parquet_key('colconf', '{key_text(keys.footer)}')"
    return [f"setting({CRYPTO!a}, \"'true'\")", f"CONNECTION.execute({key!a})"]
