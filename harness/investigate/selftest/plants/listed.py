"""Bugs in reading folders as tables: which files are read, what names of folders mean, unified schemas."""

from __future__ import annotations

from functools import partial

from harness.investigate.selftest.plant import TABLE, Plant

_table = partial(Plant, module="corpora.evolution", shows=TABLE)
_file = partial(_table, clause="Spark SQL, Generic File Source Options")
_folder = partial(
    _table, module="corpora.table_files", clause="PyArrow, pyarrow.dataset.DirectoryPartitioning"
)
_NAMED = "    files = [file for file in files if _is_named(file.path, read.name_pattern)]\n"
_VALUES = "unquote(text) for field, text in zip(read.partitions, folders, strict=False)}\n"

PLANTS = (
    _file("pattern-ignored", "files of other names are read, too", _NAMED, "    files = list(files)\n"),
    _file(
        "pattern-of-the-path",
        "a pattern of names must match the folders of a file as well",
        '    return not pattern or fnmatchcase(path.rpartition("/")[2], pattern)\n',
        "    return not pattern or fnmatchcase(path, pattern)\n",
    ),
    _file(
        "pattern-from-the-start",
        "a name need only begin as the pattern does",
        '    return not pattern or fnmatchcase(path.rpartition("/")[2], pattern)\n',
        '    return not pattern or path.rpartition("/")[2].startswith(pattern.split("?")[0])\n',
    ),
    _file(
        "recursive-at-the-top",
        "files in folders are not read",
        _NAMED,
        _NAMED + '    files = [file for file in files if not read.recursive or "/" not in file.path]\n',
    ),
    _folder(
        "folders-from-the-last",
        "values of folders are taken from the innermost one on",
        _VALUES,
        _VALUES.replace("folders", "folders[::-1]"),
    ),
    _folder(
        "folders-encoded",
        "names of folders are values as they stand",
        _VALUES,
        _VALUES.replace("unquote(text)", "text"),
    ),
    _table(
        "column-wins-over-folder",
        "where a file has a column of the name of a partition column, its values are taken",
        "        yield [value] * file.table.num_rows\n",
        "        names = [column.name for column in file.table.columns]\n"
        "        is_held = field.name in names\n"
        "        given = file.table.column(names.index(field.name)) if is_held else ()\n"
        "        yield given or [value] * file.table.num_rows\n",
        clause="Spark SQL, Migration Guide, Upgrading from Spark SQL 2.1 to 2.2",
    ),
    _table(
        "unified-as-the-first",
        "columns that the first file lacks are null in all files",
        "        check_unified(files, read)\n",
        "        names = {each.name for each in files[0].table.columns}\n"
        "        tables = [file.table for file in files]\n"
        "        there = [\n"
        "            [at for at, each in enumerate(table.columns) if each.name in names]\n"
        "            for table in tables\n"
        "        ]\n"
        "        fields = [\n"
        "            [(table.columns[at].name, table.columns[at].type) for at in places]\n"
        "            for table, places in zip(tables, there, strict=True)\n"
        "        ]\n"
        "        files = [\n"
        "            file._replace(\n"
        "                table=Table.of(\n"
        "                    named, [file.table.column(at) for at in places], file.table.num_rows\n"
        "                )\n"
        "            )\n"
        "            for file, named, places in zip(files, fields, there, strict=True)\n"
        "        ]\n",
        clause="Spark SQL, Parquet Files, Schema Merging",
    ),
)
