"""Generated files: sheets by number, as cases with what they must mean and what is asked of each.

A sheet depends on the seed, its number and its format alone. Its files lie in
`generated/<seed>/<sheet>/<n>.<format>`, the plan of each beside it; its part, which is there once they are,
holds the cases as they will be asked (`sheets.commit_sheets`), so that nobody has all of them in memory. How
many files a sheet has is its own affair: sheets are made until there are enough files, and the last is cut.
"""

from __future__ import annotations

import hashlib
import math
from typing import TYPE_CHECKING

from corpora.cases import Case, Expectation, Probe, case_id
from corpora.queries import Filter, Query, RowGroup, leaves
from harness.runs.pipeline.context import Generate, resolved
from harness.runs.pipeline.plan import Task
from harness.runs.pipeline.sheets import commit_sheets, places_in, read_sheet, sheets, write_plan

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from corpora.tagged import Table
    from harness.runs.pipeline.context import Context
    from harness.runs.pipeline.plan import SheetAt
    from properties.generate import GeneratedFile, GeneratedSheet

SOURCE = "generator"
_SHEETS_PER_TASK = 8  # at least, and so many tasks at most
_TASKS = 256
_FILES_GUESSED = 10  # of a sheet, before the first has been made
_ROWS_IN_CASE = 1_000  # more lie in a file of their own


def tasks(context: Context, asked: Generate) -> Iterator[list[Task]]:
    """Yield `generate` tasks, a list at a time, to be done before the next list is asked for.

    The number of files is known only when they are there: each list asks for as many sheets as are missing,
    by what the sheets so far had.
    """
    done = files = 0
    while files < asked.files:
        each = files / done if files else _FILES_GUESSED
        more = max(1, round((asked.files - files) / each))
        last = done + more
        size = max(_SHEETS_PER_TASK, math.ceil(more / _TASKS))
        yield [Task("generate", numbers=(one, min(one + size, last))) for one in range(done, last, size)]
        for number in range(done, last):
            files += sum(place.files for place in places_in(context, _part(context, number)))
        done = last


def places(context: Context, asked: Generate) -> list[SheetAt]:
    """Return where the sheets stand, of as many files as were asked for."""
    found: list[SheetAt] = []
    left, number = asked.files, 0
    while left:
        for place in places_in(context, _part(context, number)):
            if place.files > left:
                cut = read_sheet(context, place).cases[:left]
                found += write_plan(context, sheets(cut))
            elif left:
                found.append(place)
            left = max(0, left - place.files)
        number += 1
    return found


def cases(context: Context, asked: Generate) -> Iterator[Case]:
    """Yield the cases of the sheets, as many as were asked for."""
    for place in places(context, asked):
        yield from read_sheet(context, place).cases


def make(context: Context, task: Task) -> Iterator[int]:
    """Do a `generate` task: write the files of each sheet, then commit its part."""
    asked = context.generate
    assert asked is not None
    start, stop = task.numbers
    todo = [number for number in range(start, stop) if not context.has(_part(context, number))]
    yield stop - start - len(todo)
    generate = resolved(asked.generator)
    formats = asked.formats or (context.format,)
    for turn, format_ in enumerate(formats):
        wanted = [number for number in todo if number % len(formats) == turn]
        if wanted:
            step = {"step": len(formats)} if len(formats) > 1 else {}
            for sheet in generate(asked.seed, wanted[0], wanted[-1] + 1, format_, **step):
                made = list(_cases(context, asked.seed, sheet, format_))
                commit_sheets(context, _part(context, sheet.number), sheets(made))
                yield 1


def remade(context: Context, seed: int, number: int, format_: str) -> list[Case]:
    """Return the cases of one sheet again, its files written below the context's folder."""
    (sheet,) = resolved(Generate(0, 0).generator)(seed, number, number + 1, format_)
    return list(_cases(context, seed, sheet, format_))


def _part(context: Context, number: int) -> Path:
    return context.part("generate", f"{number:06}")


def _cases(context: Context, seed: int, sheet: GeneratedSheet, format_: str) -> Iterator[Case]:
    folder = context.generated / str(seed) / str(sheet.number)
    folder.mkdir(parents=True, exist_ok=True)
    queries = _queries(sheet)
    for number, made in enumerate(sheet.files):
        file = folder / f"{number}.{format_}"
        file.write_bytes(made.data)
        context.storage.publish(file)
        file.with_suffix(".plan.txt").write_text(made.text + "\n", "utf-8", "backslashreplace")
        yield Case(
            case_id("generated", str(seed), str(sheet.number), str(number)),
            format_,
            file,
            hashlib.sha256(made.data).hexdigest(),
            Expectation.accept(_shared(context, seed, sheet.number, number, made.table), SOURCE),
            source=SOURCE,
            probes=tuple(Probe(query, _rows(query, made)) for query in queries),
        )


def _queries(sheet: GeneratedSheet) -> list[Query]:
    """Return the sheet's queries, those of one test first: what fails is then told by the simplest.

    A sheet is asked as a whole: a row group that one of its files lacks is left out.
    """
    least = min((len(file.groups) for file in sheet.files), default=0)
    fitting = [one for one in sheet.queries if not isinstance(one, RowGroup) or one.number < least]
    return sorted(fitting, key=_size)


def _size(query: Query) -> int:
    return len(list(leaves(query.predicate))) if isinstance(query, Filter) else 1


def _rows(query: Query, file: GeneratedFile) -> tuple[int, ...] | None:
    """Return the rows of a row group; what other queries answer follows from the table."""
    if not isinstance(query, RowGroup):
        return None
    return tuple(file.groups[query.number])


def _shared(context: Context, seed: int, sheet: int, number: int, table: Table) -> Table:
    if table.num_rows <= _ROWS_IN_CASE:
        return table
    context.spill.mkdir(exist_ok=True)
    return context.publish(table.spilled(context.spill / f"generated-{seed}-{sheet}-{number}.jsonl"))
