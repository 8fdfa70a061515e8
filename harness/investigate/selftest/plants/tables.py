"""Bugs in reading folders as tables: schemas of readers, partitions, field ids, splits."""

from __future__ import annotations

from functools import partial

from harness.investigate.selftest.plant import ORC, TABLE, Plant

_table = partial(Plant, module="corpora.evolution", shows=TABLE)
_missing = partial(_table, clause="Iceberg, Table Spec, Column Projection")
_promotion = partial(_table, clause="Iceberg, Table Spec, Schema Evolution; SPARK-40876")
_partition = partial(_table, clause="Spark SQL, Parquet Files, Partition Discovery")
_rows = partial(_table, clause="the rows of all files, each once")
_origin = partial(_table, clause="SPARK-37273; DuckDB, file_row_number")
_SAME_ORDER = "[None if value is None else convert(value) for value in table.column(at)]"

PLANTS = (
    _missing(
        "missing-as-zero",
        "an integer column that a file lacks is 0",
        "                yield [self.defaults.get(field.name)] * table.num_rows\n",
        '                yield [self.defaults.get(field.name, "0" if field.type.kind == "int" else None)]'
        " * table.num_rows\n",
    ),
    _missing(
        "missing-as-empty",
        "a string column that a file lacks is empty",
        "                yield [self.defaults.get(field.name)] * table.num_rows\n",
        '                yield [self.defaults.get(field.name, "" if field.type.kind == "string" else None)]'
        " * table.num_rows\n",
    ),
    _missing(
        "missing-loses-rows",
        "a file that lacks a column has no rows",
        "    for file in files:\n        matcher",
        "    for file in files:\n"
        "        if {field.name for field in read.columns} - {field.name for field in file.table.columns}:\n"
        "            continue\n"
        "        matcher",
    ),
    _missing(
        "columns-by-position",
        "columns are found by their position, not by name",
        "        places = [self._place(there, field, below, path) for field in fields]\n",
        "        places = [self._place(there, field, below, path) for field in fields]\n"
        "        if not path:\n"
        "            places = [at if at < len(there) else None for at in range(len(fields))]\n",
    ),
    _missing(
        "fields-by-position",
        "fields of structs are found by their position, not by name",
        "        places = [self._place(there, field, below, path) for field in fields]\n",
        "        places = [self._place(there, field, below, path) for field in fields]\n"
        "        if path:\n"
        "            places = [at if at < len(there) else None for at in range(len(fields))]\n",
    ),
    _missing(
        "pruned-field-shifts",
        "where a field of a struct is not read, the fields behind it have their neighbour's values",
        "            parts.append((at, convert))",
        "            parts.append((len(parts), convert))",
    ),
    _missing(
        "missing-fields-null-struct",
        "a struct of which a file has no field that is read is null",
        "            return [None if part is None else _or_null(part[1], value[part[0]]) for part in parts]",
        "            if not any(parts):\n"
        "                return None\n"
        "            return [None if part is None else _or_null(part[1], value[part[0]]) for part in parts]",
    ),
    _missing(
        "missing-field-null-struct",
        "a struct of which a file lacks one field is null",
        "            return [None if part is None else _or_null(part[1], value[part[0]]) for part in parts]",
        "            if not all(parts):\n"
        "                return None\n"
        "            return [None if part is None else _or_null(part[1], value[part[0]]) for part in parts]",
    ),
    _missing(
        "missing-field-of-neighbour",
        "a field that a struct of a file lacks has the values of the struct's first field",
        "                parts.append(None)\n",
        "                parts.append((0, _same))\n",
    ),
    _missing(
        "null-struct-of-nulls",
        "a struct that is null becomes one of null fields",
        _SAME_ORDER,
        "[[None] * len(field.type.children) if value is None and field.type.kind == 'struct' else "
        "None if value is None else convert(value) for value in table.column(at)]",
    ),
    _missing(
        "null-elements-lost",
        "lists lose their null elements where elements are converted",
        "            return [_or_null(parts[0], element) for element in value]",
        "            return [_or_null(parts[0], element) for element in value if element is not None]",
    ),
    _missing(
        "map-values-as-stored",
        "values of maps are not converted",
        "        return [[_or_null(part, side) for part, side in zip(parts, entry, strict=True)]"
        " for entry in value]",
        "        return [[_or_null(parts[0], entry[0]), entry[1]] for entry in value]",
    ),
    _missing(
        "names-in-any-case",
        "names are matched without regard to case where case decides",
        "if other.name == field.name]",
        "if other.name.lower() == field.name.lower()]",
    ),
    _missing(
        "case-ignored-too-little",
        "without regard to case, only the case of the first letter that is a capital is ignored",
        "if other.name.lower() == name]",
        "if other.name == name]",
    ),
    _missing(
        "ids-ignored",
        "fields are found by name where the schema has field ids",
        "        if self.matching == BY_ID:\n",
        '        if self.matching == "no id":\n',
    ),
    _missing(
        "ids-of-names",
        "field ids of the file are looked up by the names of the schema",
        "self.there.get((*below, other.name)) == number]",
        "self.there.get((*path, other.name)) == number]",
    ),
    _missing(
        "ids-inside-ignored",
        "field ids inside of columns are not read",
        "        yield from _among(node.children, path)\n        return\n",
        "        return\n",
        module="corpora.build.field_ids",
    ),
    _missing(
        "ids-of-maps-swapped",
        "key and value of a map have each other's field ids",
        '"MAP": ("key", "value")',
        '"MAP": ("value", "key")',
        module="corpora.build.field_ids",
    ),
    _promotion(
        "widened-without-sign",
        "integers are widened as if they were unsigned",
        "            ), _same\n",
        "            ), lambda value: str(int(str(value)) % (1 << (before.bits or 0)))\n",
    ),
    _promotion(
        "widened-by-text",
        "floats are widened by their decimal text",
        "lambda value: _double(_single(str(value)))",
        'lambda value: _double(float(f"{_single(str(value)):.7g}"))',
    ),
    _promotion(
        "integers-through-float",
        "integers become doubles by way of 32-bit floats",
        "lambda value: _double(float(int(str(value))))",
        'lambda value: _double(struct.unpack(">f", struct.pack(">f", float(int(str(value)))))[0])',
    ),
    _promotion(
        "decimal-not-rescaled",
        "the unscaled integer of a decimal is kept where the scale grows",
        "lambda value: str(int(str(value)) * 10**more)",
        "lambda value: str(int(str(value)))",
    ),
    _promotion(
        "integer-as-unscaled",
        "an integer becomes a decimal as its unscaled integer",
        "lambda value: str(int(str(value)) * 10 ** (after.scale or 0))",
        "lambda value: str(int(str(value)))",
    ),
    _promotion(
        "date-in-milliseconds",
        "a date becomes a timestamp in milliseconds, whatever its unit",
        'days * 86_400 * PER_SECOND[after.unit or "us"]',
        "days * 86_400_000",
    ),
    _promotion(
        "date-before-epoch",
        "a date before 1970 becomes the midnight that is as far behind it",
        "_moment(int(str(value)), after)",
        "_moment(abs(int(str(value))), after)",
    ),
    _partition(
        "partition-not-decoded",
        "escaped characters in the names of folders stay escaped",
        "else unquote(text) for key",
        "else text for key",
        module="corpora.table_files",
    ),
    _partition(
        "null-partition-as-text",
        "the null partition is its name",
        "None if text == NULL_PARTITION else unquote(text)",
        "unquote(text)",
        module="corpora.table_files",
    ),
    _partition(
        "partition-without-sign",
        "negative numbers in the names of folders lose their sign",
        "            return str(int(text))\n",
        "            return str(abs(int(text)))\n",
    ),
    _partition(
        "partition-a-day-late",
        "dates in the names of folders are a day late",
        "date(1970, 1, 1)).days)",
        "date(1969, 12, 31)).days)",
    ),
    _rows(
        "last-file-lost",
        "the last file of a folder is not read",
        "    return read_as(files, read).table\n",
        "    return read_as(files[:-1] or files, read).table\n",
        module="corpora.build.evolution.reading",
    ),
    _rows(
        "folders-not-entered",
        "of a folder with folders in it, the first alone is read",
        "    for path in files_of(folder):\n",
        "    paths = list(files_of(folder))\n"
        "    for path in [path for path in paths if path.parent == paths[0].parent]:\n",
        module="corpora.build.evolution.reading",
    ),
    _rows(
        "no-columns-no-rows",
        "a read of no columns has no rows",
        "    count = sum(file.table.num_rows for file in files)\n",
        "    count = sum(file.table.num_rows for file in files) if read.schema else 0\n",
    ),
    _rows(
        "split-read-twice",
        "the first file is read twice where files are read in splits",
        "    for file in files:\n        matcher",
        "    for file in [*files, *files[:1]] if read.split_bytes else files:\n        matcher",
    ),
    _rows(
        "split-never-read",
        "the last file is not read where files are read in small splits",
        "    for file in files:\n        matcher",
        "    for file in files[:-1] if read.split_bytes == 1 else files:\n        matcher",
    ),
    _origin(
        "row-index-of-the-table",
        "rows are numbered through all files",
        "        values += _metadata(file, read, used)\n",
        "        values += _metadata(file, read, used)\n"
        '        at = len(read.schema) + list((*read.metadata, "row_index")).index("row_index")\n'
        "        if at < len(values) and columns[at]:\n"
        "            values[at] = [str(int(row) + len(columns[at])) for row in values[at]]\n",
    ),
    _origin(
        "row-index-from-one",
        "rows are numbered from one",
        "            yield [str(row) for row in range(count)]\n",
        "            yield [str(row + 1) for row in range(count)]\n",
    ),
    _origin(
        "name-of-the-first-file",
        "all rows come from the file that is read first",
        '            "file_name": file.path.rpartition("/")[2],\n',
        '            "file_name": "part-0-0." + file.path.rpartition(".")[2],\n',
    ),
    _origin(
        "position-ignored",
        "columns are found by name where position decides",
        "        if self.matching == BY_POSITION and not path:\n",
        '        if self.matching == "no position":\n',
        clause="ORC Java, OrcConf, orc.force.positional.evolution",
        format=ORC,
    ),
)
