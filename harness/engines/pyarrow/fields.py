"""Fields of structs with pyarrow: of a data set, of a file, or of a table that was read and filtered."""

from __future__ import annotations

from typing import Any

from corpora.queries import Fields, Filter
from harness.engines.errors import Unsupported
from harness.engines.pyarrow.query import check_fields, condition, expression, filter_table
from harness.engines.scripts.literals import evaluate
from harness.engines.terms import arrow_type

# https://arrow.apache.org/docs/python/generated/pyarrow.dataset.Dataset.html, to_table: a dictionary of names
# and expressions is a projection.
_OF_DATA_SET = "data.to_table(columns={columns}, filter=wanted, {options})"


def of_data_set(pa: Any, data_set: Any, query: Fields, options: str) -> Any:
    """Return fields of the rows of a data set that a filter takes; raises Unsupported."""
    _check(pa, data_set.schema, query)
    wanted = None if query.predicate is None else expression(pa, query.predicate, data_set.schema)
    names = {"pa": pa, "pc": pa.compute, "data": data_set, "wanted": wanted}
    return evaluate(_text_of_data_set(query, options), names)


def of_table(pa: Any, table: Any, query: Fields) -> Any:
    """Return fields of a table in memory, after its filter; raises Unsupported."""
    _check(pa, table.schema, query)
    rows = table if query.predicate is None else filter_table(pa, table, Filter(query.predicate))
    return evaluate(_text_of_table(query), {"pa": pa, "pc": pa.compute, "table": rows})


def of_file(pa: Any, opened: Any, schema: Any, query: Fields, options: str = "") -> Any:
    """Return fields of all rows of an open file, which decodes these alone; raises Unsupported."""
    _check(pa, schema, query)
    table = evaluate(_text_of_file(query, options), {"file": opened})
    return evaluate(_text_of_table(query), {"pa": pa, "pc": pa.compute, "table": table})


def code_of_data_set(query: Fields, options: str) -> list[str]:
    """Return the statements of fields of `data`; `options` are those of reading it."""
    wanted = None if query.predicate is None else condition(query.predicate)
    return [f"wanted = {wanted}", f"table = {_text_of_data_set(query, options)}"]


def code_of_table(query: Fields) -> str:
    """Return the statement of fields of a filtered `table`."""
    return f"table = {_text_of_table(query)}"


def code_of_file(query: Fields, options: str = "") -> list[str]:
    """Return the statements of fields of all rows of `file`."""
    return [f"table = {_text_of_file(query, options)}", code_of_table(query)]


def _check(pa: Any, schema: Any, query: Fields) -> None:
    for path in query.paths:
        arrow_type(pa, schema, path)
    check_fields(pa, query.paths)


def _text_of_data_set(query: Fields, options: str) -> str:
    fields = (f"{name!a}: pc.field({', '.join(map(ascii, path))})" for name, path in query.named.items())
    return _OF_DATA_SET.format(columns=f"{{{', '.join(fields)}}}", options=options)


def _text_of_table(query: Fields) -> str:
    fields = []
    for name, (column, *inside) in query.named.items():
        of_column = f"table.column({column!a})"
        fields.append(f"{name!a}: {f'pc.struct_field({of_column}, {inside!a})' if inside else of_column}")
    return f"pa.table({{{', '.join(fields)}}})"


def _text_of_file(query: Fields, options: str) -> str:
    """Return the expression of a table of the columns and fields alone.

    https://arrow.apache.org/docs/python/generated/pyarrow.parquet.ParquetFile.html, read; it is the same of
    ORCFile: a name may be a prefix of a nested field, with dots. Raises Unsupported for a name that has one.
    """
    if any("." in name for path in query.paths for name in path):
        raise Unsupported("pyarrow takes a name with a dot for a path")
    given = f", {options}" if options else ""
    return f"file.read(columns={['.'.join(path) for path in query.paths]!a}{given})"
