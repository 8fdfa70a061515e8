"""Members of a read of a folder that most engines have no option for. Standard library only, Python 3.9."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

from corpora.table_reads import TableRead
from corpora.tagged import Type, Value
from harness.engines.errors import Unsupported

# Fields of TableRead, and what they ask for.
_MEANINGS = {
    "defaults": "default values of columns",
    "lengths": "columns of text that are declared with a length",
    "skips_corrupt": "an option that leaves corrupt files out",
    "removed": "an option that passes over files which are removed after they were listed",
    "unified": "a schema that is made of those of all files",
    "recursive": "an option that reads the files of all folders, whatever their names",
    "name_pattern": "an option that chooses files by their names",
    "keyless": "folders whose names are values alone",
}


def check(read: TableRead, name: str, *served: str) -> None:
    """Raise Unsupported for a member that an engine, which is called `name`, does not serve."""
    for member, meaning in _MEANINGS.items():
        if getattr(read, member) and member not in served:
            raise Unsupported(f"the documentation of {name} does not describe {meaning}")


def default_text(value: Value, type_: Type) -> str:
    """Return the default of a column as the text that SQL casts to its type; raises Unsupported."""
    if isinstance(value, bool):
        return str(value).lower()
    text = str(value)
    if type_.kind in ("string", "int"):
        return text
    if type_.kind == "decimal":
        return f"{Decimal(text).scaleb(-(type_.scale or 0)):f}"
    if type_.kind == "date":
        return (date(1970, 1, 1) + timedelta(int(text))).isoformat()
    raise Unsupported(f"no default of type {type_} is stated in SQL")
