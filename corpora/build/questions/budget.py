"""The budget: which queries of a file are asked.

Columns take turns, those with the heaviest marks first. A column has as many queries before the columns
without marks have any as its marks weigh, so that a telling column is asked enough among many others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from heapq import merge
from itertools import islice

from corpora.build.questions import marks
from corpora.build.questions.columns import ColumnFacts
from corpora.cases import Probe
from corpora.queries import Query

ALL = 1_000  # of a file, where all are asked for
_FIRST_OF_FILE = 3.0  # turns before the queries of more than one column


def chosen(
    columns: Sequence[tuple[ColumnFacts, Sequence[Query]]],
    of_file: Iterable[Probe],
    most: int | None,
    askable: Callable[[Probe], Probe | None] = lambda probe: probe,
) -> list[Probe]:
    """Return at most `most` probes, the most telling first; None for all. Each is what `askable` returns."""
    ranked = sorted(columns, key=lambda item: -marks.weight(item[0].marks))
    lists = []
    for place, (column, queries) in enumerate(ranked):
        heaviness = marks.weight(column.marks)
        first = 0.0 if heaviness else 1.0
        lists.append(
            [(first + at / (1 + heaviness), place, at, Probe(query)) for at, query in enumerate(queries)]
        )
    lists.append([(_FIRST_OF_FILE + at / 2, -1, at, probe) for at, probe in enumerate(of_file)])
    merged = (probe for *_, probe in merge(*lists, key=lambda item: item[:3]))
    unique: dict[Probe, None] = {}
    probes = (probe for probe in map(askable, merged) if probe is not None)
    new = (probe for probe in probes if probe not in unique and not unique.update({probe: None}))
    return list(islice(new, ALL if most is None else min(most, ALL)))
