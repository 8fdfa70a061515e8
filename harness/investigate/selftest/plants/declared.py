"""Bugs in reading folders as tables: defaults and lengths of columns, corrupt files, removed files."""

from __future__ import annotations

from functools import partial

from harness.investigate.selftest.plant import TABLE, TABLE_QUERY, Plant

_table = partial(Plant, module="corpora.evolution", shows=TABLE)
_default = partial(_table, clause="Iceberg, Table Spec, Column Projection, initial-default; SPARK-38334")
_length = partial(_table, clause="Spark SQL, Data Types, CharType(length) and VarcharType(length)")
_left_out = partial(_table, clause="Spark SQL, Generic File Source Options")
_PADDED = "                return [None if value is None else str(value).ljust(length) for value in values]\n"
_CONVERTED = "            yield [None if value is None else convert(value) for value in table.column(at)]\n"

PLANTS = (
    _default(
        "default-ignored",
        "a column that a file lacks is null, though it has a default",
        "                yield [self.defaults.get(field.name)] * table.num_rows\n",
        "                yield [None] * table.num_rows\n",
    ),
    _default(
        "default-for-null",
        "where a file has the column, its nulls become the default",
        _CONVERTED,
        "            other = self.defaults.get(field.name)\n"
        "            yield [other if value is None else convert(value) for value in table.column(at)]\n",
    ),
    _default(
        "default-of-the-first",
        "all columns that a file lacks have the default of the first one",
        "                yield [self.defaults.get(field.name)] * table.num_rows\n",
        "                other = self.defaults.get(field.name)\n"
        "                alike = [each for each in fields if each.type == field.type]\n"
        "                first = self.defaults.get(alike[0].name, other)\n"
        "                yield [first if field.name in self.defaults else None] * table.num_rows\n",
    ),
    _default(
        "default-not-in-filters",
        "a file is skipped as if a column with a default, which it lacks, were null",
        "            constants.add(field.name)\n    return read_as([nulls], read).table, constants\n",
        "            constants.add(field.name)\n"
        "    return read_as([nulls], replace(read, defaults=())).table, constants\n",
        module="corpora.build.evolution.skipping",
        shows=TABLE_QUERY,
    ),
    _length("char-as-stored", "text is not padded", _PADDED, "                return values\n"),
    _length(
        "char-too-short",
        "text is padded to one character less",
        _PADDED,
        _PADDED.replace("length", "length - 1"),
    ),
    _length(
        "char-in-bytes",
        "text is padded to a length in bytes of UTF-8",
        _PADDED,
        "                rest = [length - len(str(value).encode()) for value in values]\n"
        "                pairs = zip(values, rest, strict=True)\n"
        '                return [None if text is None else str(text) + " " * more for text, more in pairs]\n',
    ),
    _length(
        "char-of-null",
        "null is padded, too",
        _PADDED,
        '                return [("" if value is None else str(value)).ljust(length) for value in values]\n',
    ),
    _length(
        "varchar-padded",
        "text of any declared length is padded",
        "            if word == CHAR:\n",
        "            if word:\n",
    ),
    _left_out(
        "corrupt-ends-the-table",
        "files behind one that cannot be opened are not read",
        "            if read.skips_corrupt:\n                continue\n",
        "            if read.skips_corrupt:\n                break\n",
        module="corpora.build.evolution.reading",
    ),
    _left_out(
        "removed-ends-the-table",
        "no file is read where one was removed",
        "    files = [file for file in files if file.path not in read.removed]\n",
        "    files = [] if read.removed else list(files)\n",
    ),
    _left_out(
        "removed-is-read",
        "a file that was removed has its rows",
        "    files = [file for file in files if file.path not in read.removed]\n",
        "    files = list(files)\n",
    ),
)
