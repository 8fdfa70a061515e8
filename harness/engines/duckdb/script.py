"""Scripts that query with DuckDB: the SQL that its adapter executes."""

from __future__ import annotations

import inspect

from corpora.keys import Keys
from corpora.queries import Query
from corpora.table_reads import TableRead
from harness.engines.duckdb import table as duckdb_table
from harness.engines.duckdb.connected import CRYPTO, EXTENSION, SKIPPING, key_text
from harness.engines.duckdb.inlined import inlined, literal
from harness.engines.duckdb.lists import in_one_thread, in_way
from harness.engines.duckdb.query import sources, statement
from harness.engines.duckdb.versions import OPTIMIZERS, PARAMETERS, UNLISTED, of_version
from harness.engines.duckdb.ways import QUERIES, WAYS, Way
from harness.engines.errors import Unsupported
from harness.engines.scripts.literals import dotted
from harness.engines.scripts.rendering import ARROW
from harness.engines.scripts.request import Code, ScriptRequest

_RELATION = '''
def relation(sql, values):
    """The relation of a statement, with the name of the file where it is a parameter."""
    named = {"file": FILE} if "$file" in sql else {}
    if "$pattern" in sql:
        named["pattern"] = FILE + PATTERN
    return CONNECTION.sql(sql, params={**named, **values})
'''
_HELPERS = '''

def run(sql, values):
    """The answer of DuckDB as a table of pyarrow."""
    answer = relation(sql, values)
    return pa.table(answer) if hasattr(answer, "__arrow_c_stream__") else answer.fetch_arrow_table()


def type_of(column):
    """DuckDB's type of a column, for constants that it is compared with."""
    name = str(relation(f"SELECT {column} FROM {SOURCE}", {}).types[0])
    if not re.match("[A-Z_0-9 ]+([(][0-9, ]+[)])?$", name):
        raise TypeError("no constant is compared with " + name)
    return name


def setting(name, value):
    """Set what this version has."""
    if CONNECTION.execute("SELECT 1 FROM duckdb_settings() WHERE name = ?", [name]).fetchall():
        CONNECTION.execute(f"SET {name} = {value}")
'''

# Before 0.9, where `sql` takes no parameters
_INLINED = _RELATION.replace("(sql, params={**named, **values})", "(inlined(sql, {**named, **values}))")
_KEY = ", encryption_config = {footer_key: 'colconf'}"
_SETTINGS = (
    """setting('TimeZone', "'UTC'")""",
    "setting('arrow_lossless_conversion', 'true')",
    "setting('arrow_large_buffer_size', 'true')",
)


def code(request: ScriptRequest) -> Code:
    """Return the source of a query with DuckDB."""
    if request.read is not None:
        return _of_table(request, request.read)
    body = list(_SETTINGS)
    ways = QUERIES if request.query else WAYS
    way = ways.get(request.switches.get("way", "default"), ways["default"])
    way = in_one_thread(way, request.query) if request.query else way
    body += _without(way, request)
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
        _asking(request.query, way, request.version)
        if request.query
        else [f"sql, values = {way.sql!a}.format(source=SOURCE), {{}}"]
    )
    return _code(request, body, before)


def _code(request: ScriptRequest, body: list[str], before: list[str]) -> Code:
    """Return the code of statements that make `sql` and the `values` of its parameters."""
    imports, helpers = ["import duckdb"], _RELATION
    if request.is_before(*PARAMETERS):
        imports += ["import re", "from collections.abc import Mapping", "from typing import Any"]
        functions = (inspect.getsource(function) for function in (inlined, literal))
        helpers = "\n\n".join(["", *functions]) + "\n" + _INLINED
    return Code(ARROW, [*body, "return told(run(sql, values))"], imports, helpers + _HELPERS, before)


def _of_table(request: ScriptRequest, read: TableRead) -> Code:
    """Return the source of a script that reads the folder FILE."""
    source, numbered = duckdb_table.sources(read)
    before = ["CONNECTION = duckdb.connect()", f"PATTERN = {duckdb_table.files_of('', read)!a}"]
    if request.query is None:
        body = [*_SETTINGS, f"sql, values = {duckdb_table.text(read)!a}, {{}}"]
        return _code(request, body, before)
    way = QUERIES["default"]
    body = [*_SETTINGS, *_without(way, request), *_asking(request.query, way, request.version)]
    return _code(request, body, [*before, f"SOURCE = {source!a}", f"NUMBERED = {numbered!a}"])


def _without(way: Way, request: ScriptRequest) -> list[str]:
    """Return the lines that switch passes of the optimizer off."""
    names = (*(SKIPPING if request.pushdown == "off" else ()), *([way.disabled] if way.disabled else []))
    if not names:
        return []
    wanted = f"if name in {names!a}" if way.disabled != "*" else f"if name != {EXTENSION!a}"
    there = "CONNECTION.execute('SELECT name FROM duckdb_optimizers()').fetchall()"
    if request.is_before(*OPTIMIZERS):
        there = ascii([(name,) for name in UNLISTED])
    return [
        f"there = {there}",
        f"off = ','.join(name for (name,) in there {wanted})",
        """CONNECTION.execute(f"SET disabled_optimizers = '{off}'")""",
    ]


def _view(statement: str) -> str:
    before, after = (ascii(part) for part in statement.split("$file"))
    return f"""CONNECTION.execute({before} + "'" + FILE.replace("'", "''") + "'" + {after})"""


def _asking(query: Query, way: Way, version: str) -> list[str]:
    """Return the lines that make the SQL of a query, and the values of its parameters."""
    text, columns, parameters = statement(query, numbered=way.numbered)
    text = in_way(way, query, of_version(text, version))
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
