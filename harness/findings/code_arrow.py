"""How pyarrow (Parquet and ORC) and DataFusion are asked: queries as their own code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from corpora.predicates import Compare, In, IsNull, StartsWith
from corpora.queries import AGGREGATES, Aggregate, Batches, Filter, Project, RowGroup
from corpora.tagged import STRING
from harness.engines import datafusion_query
from harness.engines.base import Unsupported
from harness.engines.terms import bytes_of, text_of
from harness.findings.asked import Asked, Code
from harness.findings.literals import arrow, joined
from harness.findings.showing import ARROW

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpora.keys import Keys
    from corpora.predicates import Predicate
    from corpora.queries import Query

_TYPE_OF = '''
def type_of(schema, path):
    """The Arrow type at a path of a schema."""
    found = schema.field(path[0]).type
    for name in path[1:]:
        found = found.field(name).type
    return found
'''


def pyarrow(asked: Asked) -> Code:
    """Return the code that asks pyarrow for a Parquet file."""
    threads = asked.switches.get("threads") != "off"
    memory_map = asked.switches.get("mmap") == "on"
    before, keyed = _keys(asked.keys)
    imports = ["import pyarrow.parquet as pq", *_more(asked.query, asked.switches.get("api"))]
    imports += ["from pyarrow.parquet import encryption"] if before else []
    body = []
    options = f"use_threads={threads}"
    opened = f"pq.ParquetFile(FILE, memory_map={memory_map}{keyed})"
    query = asked.query
    if asked.switches.get("api") == "dataset":
        scanned = "default_fragment_scan_options=ds.ParquetFragmentScanOptions(decryption_properties=KEYS)"
        of_keys = scanned if keyed else ""
        body += [f"files = fs.LocalFileSystem(use_mmap={memory_map})", *_data_set("Parquet", of_keys)]
        if not isinstance(query, Filter) or asked.pushdown == "on":
            return _code([*body, *_of_data_set(query, options)], imports, before)
        return _code([*body, f"table = data.to_table({options})", *_of_table(query)], imports, before)
    if isinstance(query, Filter) and asked.pushdown == "on":
        body = [
            f"schema = pq.read_schema(FILE{keyed})",
            f"wanted = {_expression(query.predicate)}",
            f"files = fs.LocalFileSystem(use_mmap={memory_map})",
            f"options = dict(columns={_names(query)}, filesystem=files, partitioning=None, {options}{keyed})",
            "table = pq.read_table(FILE, filters=wanted, **options)",
        ]
    elif query is None or isinstance(query, Filter):
        body = [f"table = {opened}.read({options})", *(_of_table(query) if query else [])]
    elif isinstance(query, Project):
        names = list(query.columns)
        body = [f"table = {opened}.read(columns={names!a}, {options}).select({names!a})"]
    elif isinstance(query, RowGroup):
        body = [f"table = {opened}.read_row_group({query.number}, {options})"]
    elif isinstance(query, Batches):
        body = [
            f"file = {opened}",
            f"batches = file.iter_batches(batch_size={query.rows}, {options})",
            "table = pa.Table.from_batches(batches, file.schema_arrow)",
        ]
    else:
        raise Unsupported(f"pyarrow does not answer queries of kind {query.kind}")
    return _code(body, imports, before)


def _keys(keys: Keys | None) -> tuple[list[str], str]:
    """Return the statement that makes `KEYS`, and the argument that hands them over, as the adapter does."""
    if keys is None:
        return [], ""
    if keys.master_keys or keys.footer is None:
        raise Unsupported("the script has no KMS for pyarrow: `colconf replay` of the folder asks it again")
    prefix = "" if keys.aad_prefix is None else f", aad_prefix={keys.aad_prefix!a}"
    made = f"encryption.create_decryption_properties({keys.footer!a}{prefix})"
    return [f"KEYS = {made}"], ", decryption_properties=KEYS"


def pyarrow_orc(asked: Asked) -> Code:
    """Return the code that asks pyarrow for an ORC file."""
    query = asked.query
    imports = ["from pyarrow import orc", *_more(query, asked.switches.get("api"))]
    if asked.switches.get("api") == "dataset":
        body = ["files = fs.LocalFileSystem()", *_data_set("Orc")]
        if isinstance(query, RowGroup):
            raise Unsupported("pyarrow.dataset cannot be asked for a stripe")
        if isinstance(query, Filter) and asked.pushdown == "off":
            return _code([*body, "table = data.to_table()", *_of_table(query)], imports)
        return _code([*body, *_of_data_set(query, "use_threads=True")], imports)
    if query is None:
        body = ["table = orc.ORCFile(FILE).read()"]
    elif isinstance(query, Filter):
        body = ["table = orc.ORCFile(FILE).read()", *_of_table(query)]
    elif isinstance(query, Project):
        names = list(query.columns)
        body = [f"table = orc.ORCFile(FILE).read(columns={names!a}).select({names!a})"]
    elif isinstance(query, RowGroup):
        body = [f"table = pa.Table.from_batches([orc.ORCFile(FILE).read_stripe({query.number})])"]
    else:
        raise Unsupported(f"pyarrow.orc does not answer queries of kind {query.kind}")
    return _code(body, imports)


def _more(query: Query | None, api: str | None) -> list[str]:
    found = ["import decimal", "import pyarrow.compute as pc"] if isinstance(query, Filter) else []
    needs_files = api == "dataset" or isinstance(query, Filter)
    return [*found, *(["import pyarrow.dataset as ds", "from pyarrow import fs"] if needs_files else [])]


def _data_set(name: str, options: str = "") -> list[str]:
    return [
        f"form = ds.{name}FileFormat({options})",
        "schema = form.inspect(FILE, files)",
        "data = ds.FileSystemDataset.from_paths([FILE], schema=schema, format=form, filesystem=files)",
    ]


def _of_data_set(query: Query | None, options: str) -> list[str]:
    if query is None:
        return [f"table = data.to_table({options})"]
    if isinstance(query, Filter):
        names = _names(query)
        return [
            f"wanted = {_expression(query.predicate)}",
            f"table = data.to_table(columns={names}, filter=wanted, {options})",
        ]
    if isinstance(query, Project):
        return [f"table = data.to_table(columns={list(query.columns)!a}, {options})"]
    if isinstance(query, RowGroup):
        return [
            "(fragment,) = data.get_fragments()",
            f"table = fragment.subset(row_group_ids=[{query.number}]).to_table({options})",
        ]
    if isinstance(query, Batches):
        return [
            f"batches = data.to_batches(batch_size={query.rows}, {options})",
            "table = pa.Table.from_batches(batches, data.schema)",
        ]
    raise Unsupported(f"pyarrow does not answer queries of kind {query.kind}")


def _of_table(query: Query) -> list[str]:
    """Filter a table in memory: what pushdown must not change."""
    assert isinstance(query, Filter)
    body = [
        "schema = table.schema",
        f"wanted = {_expression(query.predicate)}",
        "table = table.filter(wanted)",
    ]
    return body if query.columns is None else [*body, f"table = table.select({list(query.columns)!a})"]


def _names(query: Filter) -> str:
    return ascii(None if query.columns is None else list(query.columns))


def _code(body: list[str], imports: list[str], before: Sequence[str] = ()) -> Code:
    helpers = _TYPE_OF if _asks(body) else ""
    return Code(ARROW, [*body, "return told(table)"], imports, helpers, [*before])


def _asks(body: list[str]) -> bool:
    return any("type_of(" in line for line in body)


def _expression(predicate: Predicate) -> str:
    def leaf(test: Any, plain: bool) -> str:
        field = f"pc.field({', '.join(map(ascii, test.path))})"
        target = f"type_of(schema, {test.path!a})"
        if isinstance(test, IsNull):
            return f"{field}.is_null()"
        if isinstance(test, StartsWith):
            return f"pc.starts_with({field}, pattern={bytes_of(STRING, test.prefix)!a})"
        if isinstance(test, Compare):
            return f"{field} {_operator(test.op)} {arrow(test.type, test.value, target)}"
        assert isinstance(test, In)
        constants = [arrow(test.type, value, target) for value in test.values]
        if plain and test.type.kind != "float":  # looked up, a null is in no list, and all NaN are one
            return f"{field}.isin([{', '.join(constants)}])"
        return " | ".join(f"({field} == {one})" for one in constants)

    return joined(predicate, leaf)


def _operator(op: str) -> str:
    return "==" if op == "=" else op


def datafusion(asked: Asked) -> Code:
    """Return the code that asks DataFusion."""
    query, given = asked.query, datafusion_query.settings(asked.pushdown)
    config = f"datafusion.SessionConfig({given or ''}).with_target_partitions(1)"
    if isinstance(query, Batches):
        config += f".with_batch_size({query.rows})"
    pruning = f", parquet_pruning={asked.pushdown != 'off'}" if query else ""
    body = [f"session = datafusion.SessionContext({config})", f"frame = session.read_parquet(FILE{pruning})"]
    if isinstance(query, Filter):
        body += ["schema = frame.schema()", f"frame = frame.filter({_datafusion(query.predicate)})"]
    if isinstance(query, (Filter, Project)) and query.columns is not None:
        body.append(f"frame = frame.select({', '.join(_column((name,)) for name in query.columns)})")
    elif isinstance(query, Aggregate):
        column = _column(query.path)
        calls = ("count_star()", f"count({column})", f"min({column})", f"max({column})")
        pairs = zip(calls, AGGREGATES, strict=True)
        named = ", ".join(f"datafusion.functions.{call}.alias({name!a})" for call, name in pairs)
        body.append(f"frame = frame.aggregate([], [{named}])")
    elif isinstance(query, RowGroup):
        raise Unsupported("DataFusion cannot be asked for a row group")
    imports = ["import datafusion", *(["import decimal"] if isinstance(query, Filter) else [])]
    helpers = _TYPE_OF if _asks(body) else ""
    return Code(ARROW, [*body, "return told(frame.to_arrow_table())"], imports, helpers)


def _datafusion(predicate: Predicate) -> str:
    def leaf(test: Any, _: bool) -> str:
        column, target = _column(test.path), f"type_of(schema, {test.path!a})"
        if isinstance(test, IsNull):
            return f"{column}.is_null()"
        if isinstance(test, StartsWith):
            prefix = ascii(text_of(test.prefix))
            return f"datafusion.functions.starts_with({column}, datafusion.lit({prefix}))"
        if isinstance(test, Compare):
            constant = arrow(test.type, test.value, target)
            return f"{column} {_operator(test.op)} datafusion.lit({constant})"
        assert isinstance(test, In)
        constants = [f"datafusion.lit({arrow(test.type, value, target)})" for value in test.values]
        return f"datafusion.functions.in_list({column}, [{', '.join(constants)}])"

    return joined(predicate, leaf)


def _column(path: tuple[str, ...]) -> str:
    name = '"' + path[0].replace('"', '""') + '"'
    return f"datafusion.col({name!a})" + "".join(f"[{one!a}]" for one in path[1:])
