"""Bugs in queries of folders that are read as tables: filters, and the files that they skip."""

from __future__ import annotations

from functools import partial

from harness.investigate.selftest.plant import TABLE_QUERY, Plant

_skipping = partial(
    Plant,
    module="corpora.build.evolution.skipping",
    shows=TABLE_QUERY,
    clause="a filter has the rows for which it is TRUE, whatever file they are in",
)
_reading = partial(_skipping, module="corpora.build.evolution.reading")
_limit = partial(_reading, clause="SQL: LIMIT n has n of the rows, or all of fewer")
_ANSWER = "    return answer(query, read_as(files, read).table, float_order)\n"

PLANTS = (
    _skipping(
        "missing-is-not-null",
        "a file that lacks the column of IS NULL is skipped",
        "        return is_true(predicate)\n",
        '        return is_true(predicate) and predicate.op != "is null"\n',
    ),
    _skipping(
        "present-taken-as-missing",
        "a column that a file has is taken for one that it lacks",
        "        if _CONSTANT & read_as([nulls], replace(read, columns=(field,))).conversions:\n",
        "        if read_as([nulls], replace(read, columns=(field,))).conversions:\n",
    ),
    _skipping(
        "or-skips-as-and",
        "a file is skipped if one side of an OR is false for all of it",
        "        return any(_may_match(part, constants, is_true) for part in predicate.of)\n",
        "        return all(_may_match(part, constants, is_true) for part in predicate.of)\n",
    ),
    _skipping(
        "not-of-a-constant",
        "a file is skipped by what NOT negates",
        "        return is_true(predicate)\n",
        '        return is_true(predicate.of if predicate.op == "not" else predicate)\n',
    ),
    _reading(
        "first-file-decides",
        "the partition and the columns of the first file decide for all files",
        "if may_match(file, read, predicate, float_order)]",
        "if may_match(files[0], read, predicate, float_order)]",
    ),
    _reading(
        "filter-skips-the-last",
        "where a filter skips a file, the last one that it must read is lost",
        "        files = [file for file in files if may_match(file, read, predicate, float_order)]\n",
        "        left = [file for file in files if may_match(file, read, predicate, float_order)]\n"
        "        files = left if len(left) == len(files) else left[:-1]\n",
    ),
    _skipping(
        "null-partition-skipped",
        "a file in the null partition is skipped by any filter",
        "    row, constants = _constants(file, read)\n",
        "    row, constants = _constants(file, read)\n"
        "    nulls = [row.column(at) == [None] for at in range(len(row.columns))]\n"
        "    if any(nulls[len(read.columns) : len(read.schema)]):\n"
        "        return False\n",
    ),
    _reading(
        "extremes-of-the-last-file",
        "minimum, maximum and counts are those of the last file",
        "    return answer(query, read_as(files, read).table, float_order)\n",
        '    files = files[-1:] if query.kind == "aggregate" else files\n'
        "    return answer(query, read_as(files, read).table, float_order)\n",
    ),
    _limit(
        "limit-of-each-file",
        "each file gives as many rows as the limit says",
        _ANSWER,
        '    if query.kind == "slice":\n'
        "        parts = [answer(query, read_as([file], read).table, float_order) for file in files]\n"
        "        fields = [(field.name, field.type) for field in read.schema]\n"
        "        places = range(len(fields))\n"
        "        columns = [[cell for part in parts for cell in part.column(at)] for at in places]\n"
        "        return Table.of(fields, columns, sum(part.num_rows for part in parts))\n" + _ANSWER,
    ),
    _limit(
        "limit-before-the-filter",
        "the limit counts rows before the filter",
        _ANSWER,
        '    if query.kind == "slice" and query.predicate is not None:\n'
        "        first = answer(Slice(query.offset, query.rows), read_as(files, read).table, float_order)\n"
        "        return answer(Filter(query.predicate), first, float_order)\n" + _ANSWER,
    ),
    _limit(
        "limit-reached-by-a-row-twice",
        "a limit that is beyond the rows is reached by the first row again and again",
        _ANSWER,
        "    result = answer(query, read_as(files, read).table, float_order)\n"
        '    if query.kind != "slice" or not 0 < result.num_rows < query.rows:\n'
        "        return result\n"
        "    more = query.rows - result.num_rows\n"
        "    fields = [(field.name, field.type) for field in read.schema]\n"
        "    columns = [result.column(at) for at in range(len(fields))]\n"
        "    return Table.of(fields, [[*cells, *cells[:1] * more] for cells in columns], query.rows)\n",
    ),
)
