"""The smallest file or folder of a group, beside a script that shows the difference without colconf.

The script is run once with each version; its docstring has the commands. It sends the engine the adapter's
request (`harness/investigate/findings/scripts.py`) and prints the answer in lines that can be compared.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

from corpora import folders
from corpora.build.formats import ORC, PARQUET
from corpora.files import copy_whole, write_whole
from corpora.queries import from_json as query_from_json
from corpora.table_reads import TableRead
from harness.engines.errors import Unsupported
from harness.engines.scripts.rendering import SAY
from harness.engines.scripts.request import release_of, switches
from harness.investigate.findings import heading, scripts
from harness.investigate.upgrade.groups import Group

SCRIPT = "reproduce.py"
_LARGEST = 16 << 20  # a larger file stays where it is
_SAYS = f"{SAY}\n\nsay(*ABOUT)\n"  # a script that asks no engine


def keep(folder: Path, group: Group, engines: list[dict[str, str]]) -> str | None:
    """Copy the file or the folder of a table, and write the script.

    Returns the folder's name in the report, None if the file is gone.
    """
    at = group.smallest
    file = Path(at["file"])
    if not file.is_file() and not file.is_dir():
        return None
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    source = str(file)
    if folders.size_of(file) <= _LARGEST:
        source = "files" if file.is_dir() else f"{'new' if 'other' in at else 'file'}.{at['format']}"
        folders.copy(file, folder / source)
        other = Path(at.get("other", ""))
        if other.is_file() and other != file:
            copy_whole(other, folder / f"old.{at['format']}")
    write_whole(folder / SCRIPT, script(at, source, engines))
    return f"{folder.parent.name}/{folder.name}"


def script(at: dict[str, Any], file: str, engines: list[dict[str, str]]) -> str:
    """Return the text of the script for a line of differences."""
    name = engines[0]["name"] if engines else ""
    doc = [f"{at['class']}: {at['path']}" if at["path"] else at["class"]]
    versions = [engine["version"] for engine in engines]
    for version, answer in zip(versions, (at["old"], at["new"]), strict=False):
        doc.append(f"  {name} {version}: {answer}")
    if scripts.has(name):
        doc += [command for version in versions for command in heading.run_with(name, version, SCRIPT)]
    if "other" in at:
        return scripts.started(doc, _inspects(at))
    if not scripts.has(name):
        return scripts.started(doc, _SAYS)
    config = switches(at["configs"][0]) if at["configs"] else {}
    read = TableRead.from_json(at["read"]) if at.get("read") else None
    query = query_from_json(at["query"]) if at["query"] else None
    if query is not None:
        doc.append(f"The query: {at['probe']}")
    # Both versions run the script, and a later one knows the words of an older one.
    older = min(versions, key=release_of)
    whole = scripts.ScriptRequest(at["format"], read=read, version=older)
    try:
        request = replace(whole, switches=config, query=query)
        return scripts.printing(name, request, file, doc)
    except Unsupported as error:
        reason = str(error)
    try:
        return scripts.printing(name, whole, file, [*doc, f"This script reads all of it: {reason}"])
    except Unsupported:
        return scripts.started([*doc, f"No script shows it: {reason}"], _SAYS)


# By format, the import of a library and the lines that print the metadata of two files.
_INSPECTING = {
    PARQUET.name: (
        "import pyarrow.parquet as pq",
        "for name in ('old.parquet', 'new.parquet'):",
        "    meta = pq.ParquetFile(name).metadata",
        "    say(name, *str(meta).splitlines(), *str(meta.schema).splitlines())",
        "    for column in range(meta.num_columns):",
        "        say(*str(meta.row_group(0).column(column)).splitlines())",
    ),
    ORC.name: (
        "import pyarrow.orc as orc",
        "for name in ('old.orc', 'new.orc'):",
        "    file = orc.ORCFile(name)",
        '    say(f"{name} {file.compression} {file.writer_version}", *str(file.schema).splitlines())',
    ),
}


def _inspects(at: dict[str, Any]) -> str:
    """Return a script that prints the metadata of two written files."""
    library, *lines = _INSPECTING[at["format"]]
    return "\n".join([f"{library}  # any version", SAY, "", "say(*ABOUT)", *lines]) + "\n"
