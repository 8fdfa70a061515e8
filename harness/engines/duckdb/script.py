"""Scripts that query with DuckDB: the SQL that its adapter executes."""

from __future__ import annotations

from corpora.keys import Keys
from corpora.queries import Query
from harness.engines.duckdb import table as duckdb_table
from harness.engines.duckdb.adapter import CRYPTO, SKIPPING, key_text
from harness.engines.duckdb.query import NUMBER, statement
from harness.engines.duckdb.ways import WAYS
from harness.engines.errors import Unsupported
from harness.engines.scripts.literals import dotted
from harness.engines.scripts.rendering import ARROW
from harness.engines.scripts.request import Code, ScriptRequest

_HELPERS = '''
def run(sql, values):
    """The answer of DuckDB as a table of pyarrow."""
    relation = CONNECTION.sql(sql, params={"file": FILE, **values})
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
    f"off = ','.join(name for (name,) in there if name in {SKIPPING!a})",
    """CONNECTION.execute(f"SET disabled_optimizers = '{off}'")""",
]


_KEY = ", encryption_config = {footer_key: 'colconf'}"


def code(request: ScriptRequest) -> Code:
    """Return the source of a query with DuckDB."""
    if request.read is not None:
        return duckdb_table.code(request, request.read)
    body = ["setting('TimeZone', \"'UTC'\")", "setting('arrow_lossless_conversion', 'true')"]
    body.append("setting('arrow_large_buffer_size', 'true')")
    body += _OFF if request.pushdown == "off" else []
    way = WAYS["default"] if request.query else WAYS[request.switches.get("way", "default")]
    body += [f"setting({name!a}, {value!a})" for name, value in way.settings]
    keyed = ""
    if request.keys is not None:
        body += _keys(request.keys)
        keyed = _KEY
    before = [
        "CONNECTION = duckdb.connect()",
        f'SOURCE = "read_parquet($file, hive_partitioning = false{way.options}{keyed})"',
        f'NUMBERED = "read_parquet($file, hive_partitioning = false, {NUMBER} = true{keyed})"',
    ]
    body += (
        _asking(request.query)
        if request.query
        else [f"sql, values = {way.sql!a}.format(source=SOURCE), {{}}"]
    )
    return Code(ARROW, [*body, "return told(run(sql, values))"], ["import duckdb"], _HELPERS, before)


def _asking(query: Query) -> list[str]:
    """Return the lines that make the SQL of a query, and the values of its parameters."""
    text, columns, parameters = statement(query)
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
