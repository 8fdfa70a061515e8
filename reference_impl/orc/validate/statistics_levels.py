"""Statistics of row groups, stripes and the file, compared with the values and level by level."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reference_impl.orc.decryption import Decryption
from reference_impl.orc.schema import Metadata, RowIndexEntry, StreamKind
from reference_impl.orc.statistics_schema import ColumnStatistics
from reference_impl.orc.types import TypeNode
from reference_impl.orc.validate.measure import Measure, joined
from reference_impl.orc.validate.opened import LenientStripe, Opened
from reference_impl.orc.validate.statistics import FILE, STRIPE, check, compare, form, is_text, texts


class StatisticsCheck:
    """Checks statistics while stripes are read; `lost`: the values of a stripe are unknown."""

    def __init__(self, file: Opened, metadata: Metadata | None, decryption: Decryption | None = None) -> None:
        self.file = file
        self.statistics = file.footer.statistics
        self.stripes = metadata.stripe_stats if metadata is not None else ()
        if decryption is not None:
            self.statistics = decryption.over_file(self.statistics)
            with file.report.noting():
                self.stripes = decryption.over_stripes(self.stripes)
        self.lost = False
        self.parts: dict[int, list[Measure]] = {}  # by column, one per stripe
        self.unread: set[int] = set()
        self.wrong: set[int] = set()  # columns of which a stripe's statistics are wrong

    def check(
        self,
        stripe: LenientStripe,
        node: TypeNode,
        entries: Sequence[RowIndexEntry],
        measures: list[Measure] | None,
    ) -> None:
        """Compare the statistics of a column's row groups and stripe with its values, if they are known."""
        where = (*stripe.path, f"column {node.id} ({'.'.join(node.path)})")
        groups = [entry.statistics for entry in entries]
        place = stripe.places.get((node.id, StreamKind.ROW_INDEX))
        begin = stripe.offset if place is None else place.offset
        sound = True
        for number, stated in enumerate(groups):
            if stated is not None:
                true = None if measures is None else measures[number]
                sound &= self._compare(node, stated, true, (*where, f"row group {number}"), begin, exact=True)
        whole = None if measures is None else joined(node.kind, measures)
        if whole is None:
            self.unread.add(node.id)
        else:
            self.parts.setdefault(node.id, []).append(whole)
        stated = self._of_stripe(stripe.number, node.id)
        if stated is None:
            return
        known = [part for part in groups if part is not None]
        complete = bool(known) and len(known) == len(groups)
        at = self.file.tail.metadata_stream.base
        path = ("metadata", *where)
        right = self._compare(node, stated, whole, path, at, exact=not complete)
        if right and sound and complete:
            right = self._add(compare(node, stated, known, STRIPE), path, at)
        if not right:
            self.wrong.add(node.id)

    def check_file(self, sound: bool) -> None:
        """Compare the statistics of the file with the values, and with those of the stripes."""
        statistics, count = self.statistics, len(self.file.footer.stripes)
        if len(statistics) != len(self.file.footer.types):
            return
        for node, stated in zip(self.file.root.walk(), statistics, strict=True):
            parts = self.parts.get(node.id, [])
            known = sound and not self.lost and node.id not in self.unread and len(parts) == count
            true = joined(node.kind, parts) if known else None
            stripes = [self._of_stripe(number, node.id) for number in range(count)]
            parts_stated = [part for part in stripes if part is not None]
            complete = bool(parts_stated) and len(parts_stated) == count
            path, at = ("footer", f"statistics[{node.id}] ({'.'.join(node.path)})"), self.file.footer_at
            right = self._compare(node, stated, true, path, at, exact=not complete)
            if right and complete and node.id not in self.wrong:
                self._add(compare(node, stated, parts_stated, FILE), path, at)

    def _of_stripe(self, number: int, column: int) -> ColumnStatistics | None:
        if number >= len(self.stripes) or column >= len(self.stripes[number].col_stats):
            return None
        return self.stripes[number].col_stats[column]

    def _compare(
        self,
        node: TypeNode,
        stated: ColumnStatistics,
        true: Measure | None,
        path: tuple[str, ...],
        at: int,
        *,
        exact: bool,
    ) -> bool:
        """Report errors of a column's statistics; return whether there are none."""
        problems = list(form(node, stated) if true is None else check(node, stated, true, exact=exact))
        if true is not None and is_text(true):
            problems += texts(stated)
        return self._add(problems, path, at)

    def _add(self, problems: Iterable[tuple[str, str]], path: tuple[str, ...], at: int) -> bool:
        """Report errors; return whether there are none."""
        none = True
        for rule, message in problems:
            none = False
            self.file.report.add(rule, path, at, message)
        return none
