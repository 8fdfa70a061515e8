"""From digests that differ to the first row that differs: only the differing blocks are read again.

If the rows of such a block are alike, the engine does not read the file the same way twice: the difference is
reported as unstable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple

from corpora.tagged import Field, Table
from harness.children.outcomes import Outcome
from harness.investigate.upgrade.classes import ORDERED_ROWS, Class, Unlike, by_values, of_cell, same_rows
from harness.judging.compare import TablePath, column_names, compare

Reader = Callable[[range], Outcome]  # reads rows once more

_NAMED = 5  # other columns that differ alike, by name


class Digested(NamedTuple):
    """A file as one version read it: its columns, the number of rows, and each column's digests by block."""

    columns: tuple[Field, ...]
    rows: int
    digests: tuple[tuple[str, ...], ...]

    @staticmethod
    def from_json(data: dict[str, Any]) -> Digested:
        """Read the member `digests` of a reply."""
        columns = data["columns"]
        fields = (Field.from_json({name: column[name] for name in ("name", "type")}) for column in columns)
        digests = tuple(tuple(column["digests"]) for column in columns)
        return Digested(tuple(fields), data["rows"], digests)

    @property
    def shape(self) -> Table:
        """Return a table of these columns, without rows."""
        return Table(self.columns, 0)


class Divergence(NamedTuple):
    """A difference, the type of its column ("" for none), the number of blocks, whether it is unstable."""

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

    def differences(self) -> Iterator[Divergence]:
        """Yield the differences: shape, number or order of rows, or the first row for each type of column.

        Columns of another type are not compared further, the others are.
        """
        shape = by_values(self.before.shape, self.after.shape)
        yield from map(Divergence, shape)
        if any(each.kind != "type" for each in shape):
            return
        places = {index: self._blocks(index) for index in self._of_one_type()}
        differing = {index: blocks for index, blocks in places.items() if blocks}
        if self.before.rows != self.after.rows:
            yield self._other_rows(differing)
        elif differing:
            blocks = sorted(set(chain.from_iterable(differing.values())))
            if self._is_order(blocks):
                index = min(differing, key=lambda column: (differing[column][0], column))
                first = self._first([index], differing).unlike
                order = first._replace(cls=Class.ORDER, cause="", kind="value")
                yield Divergence(order, blocks=len(blocks))
            else:
                yield from self._by_type(differing)

    def _of_one_type(self) -> list[int]:
        """Return the columns that both versions read as one type."""
        both = zip(self.before.columns, self.after.columns, strict=True)
        return [index for index, (old, new) in enumerate(both) if old.type == new.type]

    def _blocks(self, index: int) -> list[int]:
        """Return the blocks in which a column differs, including those that one version lacks."""
        old, new = self.before.digests[index], self.after.digests[index]
        shared = [at for at, (left, right) in enumerate(zip(old, new, strict=False)) if left != right]
        return shared + list(range(min(len(old), len(new)), max(len(old), len(new))))

    def _by_type(self, differing: dict[int, list[int]]) -> Iterator[Divergence]:
        by_type: dict[str, list[int]] = {}
        for index in differing:
            by_type.setdefault(str(self.before.columns[index].type), []).append(index)
        for indices in by_type.values():
            yield self._first(indices, differing)

    def _first(self, indices: Sequence[int], differing: dict[int, list[int]]) -> Divergence:
        """Return the first differing row of columns of one type."""
        block = min(differing[index][0] for index in indices)
        blocks = len(set(chain.from_iterable(differing[index] for index in indices)))
        here = [index for index in indices if differing[index][0] == block]
        both = self._read(block)
        cells = [] if isinstance(both, str) else [self._cell(index, both, block) for index in here]
        differences = [cell for cell in cells if cell]
        kind = str(self.before.columns[indices[0]].type)
        if not differences:
            return self._gone(here[0], block, blocks, kind, both if isinstance(both, str) else "")
        _, first = min(differences, key=itemgetter(0))
        more = [index for index in indices if index != first.path.column]
        return Divergence(first._replace(path=first.path._replace(note=self._beside(more))), kind, blocks)

    def _cell(self, index: int, both: tuple[Table, Table], block: int) -> tuple[int, Unlike] | None:
        """Return row and difference of a column of a block."""
        left, right = (_column(table, index) for table in both)
        difference = compare(left, right, ()).difference
        if difference is None:
            return None
        if difference.kind != "value":
            path = TablePath("", index, self._name(index))
            return 0, Unlike(Class.ROWS, path, difference.expected, difference.actual, "", difference.kind)
        row = block * self.block_rows + (difference.path.row or 0)
        path = difference.path._replace(column=index, label=self._name(index), row=row)
        return row, of_cell(difference._replace(path=path))

    def _gone(self, index: int, block: int, blocks: int, kind: str, why: str) -> Divergence:
        """Return the difference of a block that was alike when read again, or that cannot be read again."""
        first = block * self.block_rows
        last = min(first + self.block_rows, self.before.rows, self.after.rows) - 1
        note = f", rows {first} to {last}" + (f": {why}" if why else "")
        old, new = (f"digest {version.digests[index][block]}" for version in (self.before, self.after))
        cause = "that cannot be read again" if why else "that was alike when it was read again"
        path = TablePath("", index, self._name(index), note=note)
        return Divergence(Unlike(Class.VALUE, path, old, new, cause, "value"), kind, blocks, unstable=True)

    def _other_rows(self, differing: dict[int, list[int]]) -> Divergence:
        """Return the difference of the number of rows, with the first row that differs."""
        texts = f"{self.before.rows} rows", f"{self.after.rows} rows"
        cause = "more" if self.after.rows > self.before.rows else "fewer"
        blocks = len(set(chain.from_iterable(differing.values())))
        path = TablePath("rows")
        if differing:
            block = min(blocks[0] for blocks in differing.values())
            both = self._read(block)
            if not isinstance(both, str):
                path = path._replace(note=f", from row {self._parting(block, both)} on")
        return Divergence(Unlike(Class.ROWS, path, *texts, cause, "rows"), blocks=blocks)

    def _parting(self, block: int, both: tuple[Table, Table]) -> int:
        shared = min(table.num_rows for table in both)
        heads = _head(both[0], shared), _head(both[1], shared)
        cells = [self._cell(index, heads, block) for index in self._of_one_type()]
        return min([block * self.block_rows + shared, *(cell[0] for cell in cells if cell)])

    def _is_order(self, blocks: Sequence[int]) -> bool:
        """Return whether the same rows, as whole blocks or those of a few blocks, are in another order."""
        old, new = (zip(*version.digests, strict=True) for version in (self.before, self.after))
        if sorted(old) == sorted(new):
            return True
        if len(blocks) * self.block_rows > ORDERED_ROWS:
            return False
        read = [self._read(block) for block in blocks]
        both = [tables for tables in read if not isinstance(tables, str)]
        if len(both) < len(read) or all(compare(*tables, ()).equal for tables in both):
            return False
        return same_rows(_joined(old for old, _ in both), _joined(new for _, new in both))

    def _read(self, block: int) -> tuple[Table, Table] | str:
        """Return a block as both versions read it again, or the error of the version that cannot."""
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
    values = [column[:rows] for column in table.all_columns()]
    return Table.of(((column.name, column.type) for column in table.columns), values, rows)


def _joined(tables: Iterable[Table]) -> Table:
    parts = list(tables)
    columns = [(column.name, column.type) for column in parts[0].columns]
    values = [
        list(chain.from_iterable(of)) for of in zip(*(part.all_columns() for part in parts), strict=True)
    ]
    return Table.of(columns, values, sum(part.num_rows for part in parts))
