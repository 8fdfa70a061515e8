"""Checking a stripe column by column; a column is read, checked and released before the next."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reference_impl.errors import LimitExceeded
from reference_impl.orc.index import group_count
from reference_impl.orc.schema import StreamKind, TypeKind
from reference_impl.orc.types import TypeNode
from reference_impl.orc.validate import blooms, chunks, footer, indexes, values
from reference_impl.orc.validate.measure import measures
from reference_impl.orc.validate.opened import Opened
from reference_impl.orc.validate.scan import Scanned, Slots, before, scan
from reference_impl.orc.validate.statistics_levels import StatisticsCheck
from reference_impl.orc.validate.stripes import LenientStripe


class Walk:
    """Checks a stripe. Row groups are checked one by one if an index divides the rows into them."""

    def __init__(self, file: Opened, stripe: LenientStripe, statistics: StatisticsCheck) -> None:
        self.file = file
        self.stripe = stripe
        self.statistics = statistics

    def run(self) -> None:
        """Check footer, indexes and columns of the stripe."""
        file, stripe = self.file, self.stripe
        footer.check_stripe(file, stripe)
        if stripe.rows > file.limits.values:
            message = f"{stripe.rows} rows; the limit is {file.limits.values}"
            file.report.note(LimitExceeded(message), (f"stripes[{stripe.number}]",))
            self.statistics.lost = True
            return
        self.indexes = indexes.read(file, stripe)
        stride = file.footer.row_index_stride or 0
        self.groups = group_count(stripe.rows, stride) if self.indexes else 0
        rows = stripe.rows
        if self.groups:
            starts = np.minimum(np.arange(self.groups + 1, dtype=np.int64) * stride, rows)
        else:
            starts = np.array([0, rows], np.int64)
        self._column(file.root, Slots(rows, None, starts))

    def _column(self, node: TypeNode, slots: Slots) -> Scanned | None:
        """Check a column and all columns below it; return it if it could be read."""
        file, stripe = self.file, self.stripe
        readable = self._streams(node) and node.id not in stripe.unreadable
        scanned = scan(file, stripe, node, slots) if readable else None
        index = self.indexes.get(node.id)
        if scanned is not None:
            values.check(scanned, file.report)
            if index is not None:
                indexes.check(scanned, index)
        entries = () if index is None else index.entry
        by_group = any(entry.statistics is not None for entry in entries)
        known = None if scanned is None else measures(scanned, by_group=by_group)
        if known is not None and not by_group:  # the order of the writer's additions is not known
            known = [replace(measure, overflows=False) for measure in known]
        self.statistics.check(stripe, node, entries, known)
        blooms.check(file, stripe, node, scanned, self.groups)
        stripe.forget(node.id)
        self.indexes.pop(node.id, None)
        if scanned is not None:
            self._children(scanned)
        return scanned

    def _streams(self, node: TypeNode) -> bool:
        """Decompress the streams of a column; return whether all streams but those of indexes can be read."""
        readable = True
        for kind in StreamKind:
            stream = self.stripe.stream(node.id, kind)
            if stream is None:
                continue
            where = (*self.stripe.path, f"column {node.id} ({'.'.join(node.path)})", kind.name)
            is_index = self.stripe.places[node.id, kind].index
            if kind is not StreamKind.ROW_INDEX or node.id in self.indexes:
                readable &= chunks.check(stream, where, self.file.report) or is_index
        return readable

    def _children(self, scanned: Scanned) -> None:
        node, kind = scanned.node, scanned.node.kind
        if kind == TypeKind.STRUCT:
            for child in node.children:
                self._column(child, Slots(scanned.slots, scanned.valid, scanned.starts))
        elif kind in (TypeKind.LIST, TypeKind.MAP):
            offsets = scanned.offsets
            starts, total = offsets[scanned.starts], int(offsets[-1])
            children = [self._column(child, Slots(total, None, starts)) for child in node.children]
            if kind == TypeKind.MAP and children[0] is not None:
                values.check_keys(scanned, children[0], self.file.report)
        elif kind == TypeKind.UNION:
            for number, child in enumerate(node.children):
                starts = before(scanned.values == number, scanned.present)
                self._column(child, Slots(int(starts[-1]), None, starts))
