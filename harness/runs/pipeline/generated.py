"""Generated files: sheets by number, as cases with their expected tables and queries.

A sheet depends only on the seed, its number and its format. Its files lie in
`generated/<seed>/<sheet>/<n>.<format>`, the plan of each beside it; its part, which is written after the
files, holds the cases (`sheets.commit_sheets`), so that no process has all of them in memory. Sheets differ
in their number of files: sheets are generated until there are enough files, and the last sheet is cut.

Some numbers (`is_table`) stand for a folder that is read as a table, `generated/<seed>/<sheet>/files`: its
cases, one for each read, count as files. Where all sheets are tables, a sheet has several folders of one
history and with the same reads, which a query engine reads at once.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING
from zlib import crc32

from corpora.build.evolution.cases import alike
from corpora.build.evolution.cases import generated as generated_tables
from corpora.cases import Case, CaseError, Expectation, Probe, case_id
from corpora.features import TABLES
from corpora.files import naming
from corpora.queries import Filter, Query, RowGroup, leaves
from corpora.tagged import Table
from harness.judging.places import Sheet
from harness.runs.pipeline.context import Context, Generate, resolved
from harness.runs.pipeline.errors import PipelineError
from harness.runs.pipeline.plan import SheetAt, Task
from harness.runs.pipeline.sheets import commit_sheets, places_in, read_sheet, sheets, write_plan
from harness.runs.pipeline.ungenerated import failure, noted, part_of, refusal
from properties.focus import focus_of

if TYPE_CHECKING:  # Hypothesis is optional, and takes long to import: who generates resolves the generator
    from properties.generate import GeneratedFile, GeneratedSheet

SOURCE = "generator"
_SHEETS_PER_TASK = 8  # at least, and so many tasks at most
_TASKS = 256
_FILES_GUESSED = 10  # of a sheet, before the first is generated
_READS_GUESSED = 14  # of a table
_ROWS_IN_CASE = 1_000  # more lie in a file of their own
_ALIKE = 8  # tables of a sheet, with the focus on tables
_PARTS = 4  # of the id of a generated case


def tasks(context: Context, request: Generate) -> Iterator[list[Task]]:
    """Yield `generate` tasks, a list at a time, each to be done before the next is requested.

    The number of files is known only after generation: each list has as many sheets as are missing, estimated
    from the sheets so far. Raises PipelineError if no sheet of a list can be generated.
    """
    done = files = 0
    while files < request.files:
        each = files / done if files else _guessed(context, request)
        more = max(1, round((request.files - files) / each))
        last = done + more
        size = max(_SHEETS_PER_TASK, math.ceil(more / _TASKS))
        yield [
            Task("generate", numbers=(first, min(first + size, last))) for first in range(done, last, size)
        ]
        for number in range(done, last):
            files += sum(place.files for place in places_in(context, part_of(context, number)))
        if all(mistakes := [failure(context, number) for number in range(done, last)]):
            raise refusal(mistakes[0])
        done = last


def _guessed(context: Context, request: Generate) -> int:
    formats = request.formats or (context.format,)
    is_of_tables = all(focus_of(request.seed) == TABLES[format_] for format_ in formats)
    return _ALIKE * _READS_GUESSED if is_of_tables else _FILES_GUESSED


def places(context: Context, request: Generate) -> list[SheetAt]:
    """Return the places of the sheets, with as many files as requested."""
    whole, cut = divided(context, request)
    return [*whole, *(write_plan(context, cut) if cut else ())]


def divided(context: Context, request: Generate) -> tuple[list[SheetAt], list[Sheet]]:
    """Return the places of the sheets that are read whole, and the last sheet, cut to the remaining files."""
    whole: list[SheetAt] = []
    left, number = request.files, 0
    while left:
        for place in places_in(context, part_of(context, number)):
            if not left:  # a part may hold several sheets
                break
            if place.files > left:
                return whole, sheets(read_sheet(context, place).cases[:left])
            whole.append(place)
            left -= place.files
        number += 1
    return whole, []


def cases(context: Context, request: Generate) -> Iterator[Case]:
    """Yield the cases of the sheets, as many as requested."""
    for place in places(context, request):
        yield from read_sheet(context, place).cases


def make(context: Context, task: Task) -> Iterator[int]:
    """Do a `generate` task: write the files of each sheet, then commit its part.

    A sheet in whose generation colconf makes a mistake has a part without cases, which names the mistake.
    """
    request = context.generate
    assert request is not None
    start, stop = task.numbers
    todo = [number for number in range(start, stop) if not context.has(part_of(context, number))]
    yield stop - start - len(todo)
    formats = request.formats or (context.format,)
    for turn, format_ in enumerate(formats):
        wanted = [number for number in todo if number % len(formats) == turn]
        tables = [number for number in wanted if is_table(request, number, format_)]
        for number in tables:
            with noted(context, request.seed, number, format_):
                table_cases = _table(context, request.seed, number, format_)
                commit_sheets(context, part_of(context, number), sheets(table_cases))
            yield 1
        of_files = [number for number in wanted if number not in tables]
        try:
            for numbers in _runs(of_files, len(formats)):
                yield from _files(context, request.seed, numbers, format_, len(formats))
        except (OSError, PipelineError):
            raise
        except Exception:  # noqa: BLE001 - which sheet it is shows when each of the others is generated alone
            yield from _alone(context, request.seed, of_files, format_)


def _files(
    context: Context, seed: int, numbers: Sequence[int], format_: str, apart: int = 1
) -> Iterator[int]:
    """Generate sheets of files, whose numbers are so far apart, and commit them."""
    request = context.generate
    assert request is not None
    step = {"step": apart} if apart > 1 else {}
    for sheet in resolved(request.generator)(seed, numbers[0], numbers[-1] + 1, format_, **step):
        sheet_cases = list(_cases(context, seed, sheet, format_))
        commit_sheets(context, part_of(context, sheet.number), sheets(sheet_cases))
        yield 1


def _alone(context: Context, seed: int, numbers: Sequence[int], format_: str) -> Iterator[int]:
    """Generate each of the sheets that are missing, and commit it."""
    for number in numbers:
        if not context.has(part_of(context, number)):
            with noted(context, seed, number, format_):
                list(_files(context, seed, [number], format_))
            yield 1


def _runs(numbers: Sequence[int], step: int) -> Iterator[list[int]]:
    """Yield the runs of numbers that are `step` apart."""
    for _, run in groupby(enumerate(numbers), key=lambda numbered: numbered[1] - step * numbered[0]):
        yield [number for _, number in run]


def is_table(request: Generate, number: int, format_: str) -> bool:
    """Return whether a sheet is a table: one in `request.tables` if the seed has no focus.

    With the focus on tables all sheets are tables, with another focus none are.
    """
    if not request.tables:
        return False
    if focus := focus_of(request.seed):
        return focus == TABLES[format_]
    return number % request.tables == request.tables // 2


def remade(context: Context, seed: int, number: int, format_: str) -> list[Case]:
    """Generate one sheet of files again below the context's folder, and return its cases."""
    (sheet,) = resolved(Generate(0, 0).generator)(seed, number, number + 1, format_)
    return list(_cases(context, seed, sheet, format_))


def case_of(context: Context, identity: str, format_: str) -> Case:
    """Generate the case of an id again below the context's folder; raises CaseError for another id.

    The last part of the id is the number of a file, or the name of a read of a table.
    """
    parts = identity.split("/")
    if len(parts) != _PARTS or parts[0] != "generated" or not all(part.isdecimal() for part in parts[1:3]):
        raise CaseError(f"{identity}: a generated case is called generated/SEED/SHEET/NUMBER")
    seed, sheet, name = int(parts[1]), int(parts[2]), parts[3]
    if not name.isdecimal():
        reads = {case.id: case for case in _table(context, seed, sheet, format_)}
        if identity not in reads:
            names = ", ".join(each.rpartition("/")[2] for each in reads)
            raise CaseError(f"{identity}: the table has no read of that name, but {names}")
        return reads[identity]
    there = remade(context, seed, sheet, format_)
    if int(name) >= len(there):
        raise CaseError(f"{identity}: the sheet has {len(there)} files")
    return there[int(name)]


def _cases(context: Context, seed: int, sheet: GeneratedSheet, format_: str) -> Iterator[Case]:
    folder = context.generated / str(seed) / str(sheet.number)
    folder.mkdir(parents=True, exist_ok=True)
    queries = _queries(sheet)
    for number, generated in enumerate(sheet.files):
        file = folder / f"{number}.{format_}"
        with naming(file):
            file.write_bytes(generated.data)
        context.storage.publish(file)
        with naming(plan := file.with_suffix(".plan.txt")):
            plan.write_text(generated.text + "\n", "utf-8", "backslashreplace")
        yield Case(
            case_id("generated", str(seed), str(sheet.number), str(number)),
            format_,
            file,
            hashlib.sha256(generated.data).hexdigest(),
            _expectation(generated, _shared(context, seed, sheet.number, number, generated.table)),
            source=SOURCE,
            probes=tuple(Probe(query, _rows(query, generated)) for query in queries),
            keys=generated.keys,
        )


def _table(context: Context, seed: int, number: int, format_: str) -> list[Case]:
    """Write the files of the tables of a sheet, and return their cases, one for each read."""
    folder = context.generated / str(seed) / str(number)
    name = case_id("generated", str(seed), str(number))
    own = f"{seed}/{number}"
    if focus_of(seed) == TABLES[format_]:
        there = list(alike(format_, own, name, folder, _ALIKE))
    else:  # half of them have unusual values, for some of which no specification says what a read returns
        far = bool(crc32(own.encode()) % 2)
        there = list(generated_tables(format_, own, name, folder, far=far))
    for files in {case.file for case in there}:
        context.storage.publish(files)
    return there


def _expectation(generated: GeneratedFile, table: Table) -> Expectation:
    """Return the expectation of a generated file; a reader may refuse it if the specification is silent."""
    if not generated.silence:
        return Expectation.accept(table, SOURCE)
    return Expectation.either(generated.silence, table=table, source=SOURCE)


def _queries(sheet: GeneratedSheet) -> list[Query]:
    """Return the sheet's queries, simplest first, so that a failure is reported with the simplest.

    The queries of a sheet apply to all its files: a row group that a file lacks is left out.
    """
    least = min((len(file.groups) for file in sheet.files), default=0)
    fitting = [query for query in sheet.queries if not isinstance(query, RowGroup) or query.number < least]
    return sorted(fitting, key=_size)


def _size(query: Query) -> int:
    return len(list(leaves(query.predicate))) if isinstance(query, Filter) else 1


def _rows(query: Query, file: GeneratedFile) -> tuple[int, ...] | None:
    """Return the rows of a row group, None for other queries: their answers follow from the table."""
    if not isinstance(query, RowGroup):
        return None
    return tuple(file.groups[query.number])


def _shared(context: Context, seed: int, sheet: int, number: int, table: Table) -> Table:
    if table.num_rows <= _ROWS_IN_CASE:
        return table
    context.spill.mkdir(exist_ok=True)
    path = context.spill / f"generated-{seed}-{sheet}-{number}.jsonl"
    with naming(path):
        return context.publish(table.spilled(path))
