"""One stripe, column after column: a column is read, looked at, and let go of before the next one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from reference_impl.errors import LimitExceeded
from reference_impl.orc.index import group_count
from reference_impl.orc.schema import StreamKind, TypeKind
from reference_impl.orc.validate import blooms, chunks, footer, indexes, values
from reference_impl.orc.validate.measure import measures
from reference_impl.orc.validate.scan import Scanned, Slots, before, scan

if TYPE_CHECKING:
    from reference_impl.orc.types import TypeNode
    from reference_impl.orc.validate.opened import Opened
    from reference_impl.orc.validate.stripes import LenientStripe
    from reference_impl.orc.validate.told import Told


class Walk:
    """Checks a stripe. Row groups are looked at one by one if there is an index that tells them apart."""

    def __init__(self, file: Opened, stripe: LenientStripe, told: Told) -> None:
        self.file = file
        self.stripe = stripe
        self.told = told

    def run(self) -> None:
        """Check footer, indexes and columns of the stripe."""
        file, stripe = self.file, self.stripe
        footer.check_stripe(file, stripe)
        if stripe.rows > file.limits.values:
            message = f"{stripe.rows} rows; the limit is {file.limits.values}"
            file.report.note(LimitExceeded(message), (f"stripes[{stripe.number}]",))
            self.told.lost = True
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

    def _column(self, node: TypeNode, given: Slots) -> Scanned | None:
        """Check a column and all below it; answer it if it could be read."""
        file, stripe = self.file, self.stripe
        readable = self._streams(node) and node.id not in stripe.unreadable
        found = scan(file, stripe, node, given) if readable else None
        index = self.indexes.get(node.id)
        if found is not None:
            values.check(found, file.report)
            if index is not None:
                indexes.check(found, index)
        entries = () if index is None else index.entry
        by_group = any(entry.statistics is not None for entry in entries)
        told = None if found is None else measures(found, by_group=by_group)
        if told is not None and not by_group:  # in which parts the writer added is not known
            told = [replace(one, overflows=False) for one in told]
        self.told.check(stripe, node, entries, told)
        blooms.check(file, stripe, node, found, self.groups)
        stripe.forget(node.id)
        self.indexes.pop(node.id, None)
        if found is not None:
            self._children(found)
        return found

    def _streams(self, node: TypeNode) -> bool:
        """Decompress the streams of a column; say whether all but those of indexes can be read."""
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

    def _children(self, found: Scanned) -> None:
        node, kind = found.node, found.node.kind
        if kind == TypeKind.STRUCT:
            for child in node.children:
                self._column(child, Slots(found.slots, found.valid, found.starts))
        elif kind in (TypeKind.LIST, TypeKind.MAP):
            offsets = found.offsets
            starts, total = offsets[found.starts], int(offsets[-1])
            children = [self._column(child, Slots(total, None, starts)) for child in node.children]
            if kind == TypeKind.MAP and children[0] is not None:
                values.check_keys(found, children[0], self.file.report)
        elif kind == TypeKind.UNION:
            for number, child in enumerate(node.children):
                starts = before(found.values == number, found.present)
                self._column(child, Slots(int(starts[-1]), None, starts))
