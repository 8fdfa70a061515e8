"""The cases of entries `writers/…`: the fixed tables, written anew by the engines beside colconf.

Tables that were drawn (`run --write-generated`) are not among them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import product
from pathlib import Path

from corpora.cases import Case
from corpora.known_failures import WRITTEN, Entry
from harness.children.connection import Limits
from harness.engines.registry import ENGINES
from harness.judging.bench import Bench, BenchError
from harness.judging.places import Process
from harness.judging.verdicts import OF_WRITERS
from harness.runs.pipeline import matrix, written
from harness.runs.pipeline.context import Context
from harness.runs.pipeline.selection import SelectionError, select

_DRAWN = "drawn-"


def globs_of(entries: Sequence[Entry]) -> list[str]:
    """Return the globs `ENGINE/TABLE` of the fixed tables that the entries say are read wrongly."""
    places = (entry.case.removeprefix(WRITTEN) for entry in entries if _is_of_readers(entry))
    globs = {"/".join([*place.split("/"), "*"][:2]) for place in places}
    return sorted(glob for glob in globs if not glob.split("/")[1].startswith(_DRAWN))


def written_cases(
    globs: Sequence[str],
    formats: Sequence[str],
    limits: Limits,
    folder: Path,
    say: Callable[[str], object],
) -> Iterator[Case]:
    """Have the engines beside colconf write the tables of `globs_of`, and yield a case for each file.

    Files and large tables lie in a folder of their own below `folder`: a Bench removes what it spilled.
    """
    own = folder / "written-tables"
    own.mkdir(exist_ok=True)
    engines = [name for name in ENGINES if any(fnmatchcase(name, glob.partition("/")[0]) for glob in globs)]
    for format_, name in product(formats, engines):
        try:
            process = _process(name, format_)
            if process is None:
                continue
            context = Context(own, (process,), limits, own, format=format_, matrix=(format_,))
            tables = [
                table
                for table in matrix.tables(context)
                if any(fnmatchcase(f"{name}/{table}", glob) for glob in globs)
            ]
            say(f"{process.key}: writing {len(tables)} tables in {format_}")
            with Bench((process,), limits, folder) as bench:
                for table in tables:
                    yield from written.cases_of(context, process, bench.connection(process), table)
        except (SelectionError, BenchError) as error:
            say(f"{name}: writes nothing: {error}")


def _is_of_readers(entry: Entry) -> bool:
    return entry.case.startswith(WRITTEN) and entry.verdict not in OF_WRITERS


def _process(name: str, format_: str) -> Process | None:
    """Return the process of an engine, None if it does not write the format."""
    if format_ not in ENGINES[name].formats:
        return None
    processes = select([name], [format_], every_switch=False).processes
    return next((each for each in processes if each.name == name and each.writes), None)
