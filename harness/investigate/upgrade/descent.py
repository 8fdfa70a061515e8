"""From digests that differ to the first row that does: only the blocks that differ are read again.

What is read again may be alike: then the engine does not read the file the same way twice, and that is what
is told.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from corpora.tagged import Field, Table
from harness.investigate.upgrade.classes import ORDERED_ROWS, Class, Unlike, by_values, of_cell, same_rows
from harness.judging.compare import TablePath, column_names, compare

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from harness.children.outcomes import Outcome

    Reader = Callable[[range], Outcome]  # reads rows once more

_NAMED = 5  # columns that differ alike, beside the first


class Digested(NamedTuple):
    """What one version made of a file: its columns, how many rows, and of each column digests by block."""

    columns: tuple[Field, ...]
    rows: int
    digests: tuple[tuple[str, ...], ...]

    @staticmethod
    def from_json(data: dict[str, Any]) -> Digested:
        """Read the member `digests` of a reply."""
        columns = data["columns"]
        fields = (Field.from_json({name: one[name] for name in ("name", "type")}) for one in columns)
        return Digested(tuple(fields), data["rows"], tuple(tuple(one["digests"]) for one in columns))

    @property
    def shape(self) -> Table:
        """Return a table of these columns, without rows."""
        return Table(self.columns, 0)


class Found(NamedTuple):
    """A difference: how, in which type of column ("": not in one), in how many blocks, and if it stayed."""

    unlike: Unlike
    type: str = ""
    blocks: int = 0
    unstable: bool = False


@dataclass
class Descent:
    """One file under two versions; `old` and `new` read rows of it."""

    before: Digested
    after: Digested
    block_rows: int
    old: Reader
    new: Reader
    held: dict[int, tuple[Table, Table] | str] = field(default_factory=dict)

    def differences(self) -> Iterator[Found]:
        """Yield what differs: shape, number or order of rows, or the first row for each type of column."""
        shape = by_values(self.before.shape, self.after.shape)
        if shape:
            yield Found(shape)
            return
        places = {index: self._blocks(index) for index in range(len(self.before.columns))}
        differing = {index: blocks for index, blocks in places.items() if blocks}
        if self.before.rows != self.after.rows:
            yield self._other_rows(differing)
        elif differing:
            blocks = sorted(set(chain.from_iterable(differing.values())))
            if self._is_order(blocks):
                index = min(differing, key=lambda one: (differing[one][0], one))
                first = self._first([index], differing)
                told = Unlike(Class.ORDER, first.unlike.path, first.unlike.old, first.unlike.new, "", "value")
                yield Found(told, blocks=len(blocks))
            else:
                yield from self._by_type(differing)

    def _blocks(self, index: int) -> list[int]:
        """Return the blocks in which a column differs, those included that one version lacks."""
        old, new = self.before.digests[index], self.after.digests[index]
        shared = [at for at, (left, right) in enumerate(zip(old, new, strict=False)) if left != right]
        return shared + list(range(min(len(old), len(new)), max(len(old), len(new))))

    def _by_type(self, differing: dict[int, list[int]]) -> Iterator[Found]:
        by_type: dict[str, list[int]] = {}
        for index in differing:
            by_type.setdefault(str(self.before.columns[index].type), []).append(index)
        for indices in by_type.values():
            yield self._first(indices, differing)

    def _first(self, indices: Sequence[int], differing: dict[int, list[int]]) -> Found:
        """Return the first row in which one of some columns, all of one type, differs."""
        block = min(differing[index][0] for index in indices)
        blocks = len(set(chain.from_iterable(differing[index] for index in indices)))
        here = [index for index in indices if differing[index][0] == block]
        both = self._read(block)
        found = [] if isinstance(both, str) else [self._cell(index, both, block) for index in here]
        cells = [cell for cell in found if cell]
        kind = str(self.before.columns[indices[0]].type)
        if not cells:
            return self._gone(here[0], block, blocks, kind, both if isinstance(both, str) else "")
        _, first = min(cells, key=lambda one: one[0])
        more = [index for index in indices if index != first.path.column]
        return Found(first._replace(path=first.path._replace(note=self._beside(more))), kind, blocks)

    def _cell(self, index: int, both: tuple[Table, Table], block: int) -> tuple[int, Unlike] | None:
        """Return row and difference of one column of a block."""
        left, right = (_column(table, index) for table in both)
        found = compare(left, right, ()).difference
        if found is None:
            return None
        if found.kind != "value":
            path = TablePath("", index, self._name(index))
            return 0, Unlike(Class.ROWS, path, found.expected, found.actual, "", found.kind)
        row = block * self.block_rows + (found.path.row or 0)
        path = found.path._replace(column=index, label=self._name(index), row=row)
        return row, of_cell(found._replace(path=path))

    def _gone(self, index: int, block: int, blocks: int, kind: str, why: str) -> Found:
        """Tell of a block that was read again, and was alike, or could not be."""
        first = block * self.block_rows
        last = min(first + self.block_rows, self.before.rows, self.after.rows) - 1
        note = f", rows {first} to {last}" + (f": {why}" if why else "")
        old, new = (f"digest {one.digests[index][block]}" for one in (self.before, self.after))
        told = "that cannot be read again" if why else "that was alike when it was read again"
        path = TablePath("", index, self._name(index), note=note)
        found = Unlike(Class.VALUE, path, old, new, told, "value")
        return Found(found, kind, blocks, unstable=True)

    def _other_rows(self, differing: dict[int, list[int]]) -> Found:
        """Tell of another number of rows, and where the first row is that is another one."""
        texts = f"{self.before.rows} rows", f"{self.after.rows} rows"
        told = "more" if self.after.rows > self.before.rows else "fewer"
        blocks = len(set(chain.from_iterable(differing.values())))
        path = TablePath("rows")
        if differing:
            block = min(blocks[0] for blocks in differing.values())
            both = self._read(block)
            if not isinstance(both, str):
                path = path._replace(note=f", from row {self._parting(block, both)} on")
        return Found(Unlike(Class.ROWS, path, *texts, told, "rows"), blocks=blocks)

    def _parting(self, block: int, both: tuple[Table, Table]) -> int:
        shared = min(table.num_rows for table in both)
        heads = _head(both[0], shared), _head(both[1], shared)
        cells = [self._cell(index, heads, block) for index in range(len(heads[0].columns))]
        return min([block * self.block_rows + shared, *(cell[0] for cell in cells if cell)])

    def _is_order(self, blocks: Sequence[int]) -> bool:
        """Whether the rows are the same in another order: whole blocks, or all that a few blocks hold."""
        old, new = (zip(*one.digests, strict=True) for one in (self.before, self.after))
        if sorted(old) == sorted(new):
            return True
        if len(blocks) * self.block_rows > ORDERED_ROWS:
            return False
        read = [self._read(block) for block in blocks]
        both = [one for one in read if not isinstance(one, str)]
        if len(both) < len(read) or all(compare(*one, ()).equal for one in both):
            return False
        return same_rows(_joined(old for old, _ in both), _joined(new for _, new in both))

    def _read(self, block: int) -> tuple[Table, Table] | str:
        """Return a block as both read it once more, or why it cannot be read."""
        if block not in self.held:
            rows = range(block * self.block_rows, (block + 1) * self.block_rows)
            old, new = self.old(rows), self.new(rows)
            if old.table is not None and new.table is not None:
                self.held[block] = old.table, new.table
            else:
                failed = new if old.table is not None else old
                self.held[block] = f"{failed.kind}: {failed.detail.message[:200]}"
        return self.held[block]

    def _name(self, index: int) -> str:
        return column_names(self.before.shape)[index]

    def _beside(self, indices: Sequence[int]) -> str:
        if not indices:
            return ""
        names = ", ".join(self._name(index) for index in indices[:_NAMED])
        more = f" and {len(indices) - _NAMED:,} more" if len(indices) > _NAMED else ""
        return f"; also {names}{more}"


def _column(table: Table, index: int) -> Table:
    column = table.columns[index]
    return Table((column,), table.num_rows, [[block[index]] for block in table.blocks()])


def _head(table: Table, rows: int) -> Table:
    if rows == table.num_rows:
        return table
    values = [table.column(index)[:rows] for index in range(len(table.columns))]
    return Table.of(((one.name, one.type) for one in table.columns), values, rows)


def _joined(tables: Iterable[Table]) -> Table:
    held = list(tables)
    columns = [(one.name, one.type) for one in held[0].columns]
    values = [list(chain.from_iterable(one.column(at) for one in held)) for at in range(len(columns))]
    return Table.of(columns, values, sum(one.num_rows for one in held))
