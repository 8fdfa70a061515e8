"""What a table becomes when chDB writes it, and which tables it is not given."""

import pytest

from corpora.tagged import BYTES, STRING, Table, list_of, struct_of, timestamp
from harness.engines import errors
from harness.engines.chdb import write_options as chdb_options
from harness.engines.chdb import write_script as chdb_script


def test_what_chdb_holds_of_a_table():
    """Instants without a zone are of UTC, null lists are empty, and texts beside bytes are bytes."""
    fields = [("", STRING), ("text", STRING), ("at", timestamp("s", utc=False)), ("list", list_of(STRING))]
    columns = [["lost"], ["\u00e9"], ["-2"], [None]]
    plain = chdb_options.OPTIONS["parquet"].stored(Table.of(fields, columns), {})
    assert [(field.name, str(field.type)) for field in plain.columns] == [
        ("text", "string"),
        ("at", "timestamp(ms, utc)"),
        ("list", "list<element: string>"),
    ]
    assert [plain.column(at) for at in range(3)] == [["\u00e9"], ["-2000"], [[]]]
    table = Table.of([*fields, ("bytes", BYTES)], [*columns, ["ff"]])
    stored = chdb_options.OPTIONS["parquet"].stored(table, {})
    assert (stored.columns[0].type, stored.column(0)) == (BYTES, ["c3a9"])
    zone = {"output_format_orc_writer_time_zone_name": "Asia/Kolkata"}
    orc = chdb_options.OPTIONS["orc"].stored(table, zone)
    alone = Table.of([("x", struct_of([("a", STRING), ("b", list_of(STRING))]))], [[None]])
    parquet = chdb_options.OPTIONS["parquet"]
    assert parquet.stored(alone, {}).column(0) == [None]
    assert parquet.stored(alone, {chdb_options.FIELDS_OF_NULL: True}).column(0) == [[None, []]]
    assert (orc.columns[1].type, orc.column(1)) == (timestamp("ns", utc=False), ["19798000000000"])


@pytest.mark.parametrize("value", [["x"], [], None])
def test_chdb_refuses_layouts_of_tables_that_it_would_change(value):
    """A null list is no list of ClickHouse, and a null struct none of some releases."""
    lists = Table.of([("x", list_of(STRING))], [[value]])
    structs = Table.of([("x", struct_of([("a", STRING)]))], [[value or None]])
    assert chdb_script.settings(structs, {}, "parquet", {})
    if value is None:
        with pytest.raises(errors.Unsupported):
            chdb_script.settings(lists, {}, "parquet")
    else:
        assert chdb_script.settings(lists, {}, "parquet")
    if not value:
        with pytest.raises(errors.Unsupported):
            chdb_script.settings(structs, {}, "orc", {chdb_options.FIELDS_OF_NULL: True})
