"""The oracle's answers for the files of a sheet: what files and engines share is computed once.

An engine writes a table in many layouts, and every engine is asked the same queries, so that most answers are
those of the table before.
"""

from __future__ import annotations

from corpora.answers import answer
from corpora.cases import Probe
from corpora.tagged import Table

_CELLS = 1 << 20  # of a spilled table that is held in memory


class Oracle:
    """Right answers. Those of one table are remembered, until there is a question about another one."""

    def __init__(self) -> None:
        self._table: Table | None = None
        self._held: Table | None = None
        self._answers: dict[tuple[Probe, str], Table] = {}

    def held(self, table: Table) -> Table:
        """Return a table, in memory if it is spilled and not large."""
        if self._held is None or not self._is_same(table):
            self._table, self._answers = table, {}
            is_small = table.num_rows * len(table.columns) <= _CELLS
            is_read = table.spill is not None and is_small
            self._held = Table(table.columns, table.num_rows, list(table.blocks())) if is_read else table
        return self._held

    def answer(self, probe: Probe, table: Table, float_order: str) -> Table:
        """Return the right answer to a query of a file with a table; raises QueryError as `answer` does."""
        held = self.held(table)
        key = probe, float_order
        if key not in self._answers:
            self._answers[key] = answer(probe.query, held, float_order, probe.rows)
        return self._answers[key]

    def _is_same(self, table: Table) -> bool:
        if table is self._table or table is self._held:
            return True
        return table.spill is not None and self._table is not None and table.spill == self._table.spill
