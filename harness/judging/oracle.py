"""The oracle's query results for the files of a sheet; results that files or engines share are computed once.

An engine writes a table in many layouts, and every engine runs the same queries, so that most results equal
those of the previous table. Large results are stored in files, so that memory does not grow with them; beyond
a limit they are computed whenever they are read, so that the disk does not fill with them.
"""

from __future__ import annotations

import tempfile
from itertools import count
from pathlib import Path

from corpora.answers import answer, places_of, selection, take, take_anew, take_spilled
from corpora.cases import Probe
from corpora.queries import Query
from corpora.tagged import Table, Type
from harness.judging.read_wrong import tested_columns

_CELLS = 1 << 20  # of a spilled table that is held in memory
_ANSWER_CELLS = 1 << 18  # of an answer that is held in memory
_STORED = 1 << 30  # bytes of a table's answers in files, beside the last of these


class Oracle:
    """Right answers. Those of one table are remembered, until there is a question about another one.

    An answer can be read as long as the oracle lives. Large ones are files in a folder in `scratch`, without
    that in the system's folder of temporary files.
    """

    def __init__(self, scratch: Path | None = None) -> None:
        self._scratch = scratch
        self._table: Table | None = None
        self._held: Table | None = None
        self._answers: dict[tuple[Probe, str], Table] = {}
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._numbers = count()
        self._stored = 0

    def held(self, table: Table) -> Table:
        """Return a table, in memory if it is spilled and not large."""
        if self._held is None or not self._is_same(table):
            self._table = table
            self._forget()
            is_small = table.num_rows * len(table.columns) <= _CELLS
            is_read = table.spill is not None and is_small
            self._held = Table(table.columns, table.num_rows, list(table.blocks())) if is_read else table
        return self._held

    def answer(self, probe: Probe, table: Table, float_order: str) -> Table:
        """Return the right answer to a query of a file with a table; raises QueryError as `answer` does."""
        held = self.held(table)
        order = float_order if _looks_at_floats(probe.query, table) else "ieee"
        key = probe, order
        if key not in self._answers:
            self._answers[key] = self._computed(probe, held, order)
        return self._answers[key]

    def _computed(self, probe: Probe, table: Table, float_order: str) -> Table:
        chosen = selection(probe.query, table, float_order, probe.rows)
        if chosen is None:
            return answer(probe.query, table, float_order, probe.rows)
        rows, columns = chosen
        if not table.columns or len(rows) * len(places_of(table, columns)) <= _ANSWER_CELLS:
            return take(table, rows, columns)
        if self._stored >= _STORED:
            return take_anew(table, rows, columns)
        self._folder = self._folder or tempfile.TemporaryDirectory(prefix="answers-", dir=self._scratch)
        file = Path(self._folder.name, f"{next(self._numbers)}.jsonl")
        stored = take_spilled(table, rows, columns, file)
        self._stored += file.stat().st_size
        return stored

    def _forget(self) -> None:
        """Forget the answers of the table before; their files go with them."""
        self._answers, self._stored = {}, 0
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def _is_same(self, table: Table) -> bool:
        if table is self._table or table is self._held:
            return True
        return table.spill is not None and self._table is not None and table.spill == self._table.spill


def _looks_at_floats(query: Query, table: Table) -> bool:
    """Return whether an answer can depend on the order of floats."""
    names = tested_columns(query)
    return any(_has_floats(column.type) for column in table.columns if column.name in names)


def _has_floats(type_: Type) -> bool:
    return type_.kind in {"float", "variant"} or any(_has_floats(child.type) for child in type_.children)
