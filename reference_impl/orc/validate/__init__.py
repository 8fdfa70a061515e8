"""The rules of the specification that an ORC file breaks.

    >>> for violation in validate(data): print(violation.rule, violation.offset, violation.message)

Rules are named by id; their texts are in `corpora/rules.d`. Validation continues behind the first
violation as far as the file can still be read; consequences of a violation are not reported again.
"""

from __future__ import annotations

import mmap
from dataclasses import replace

import numpy as np

from reference_impl.errors import LimitExceeded, ReferenceError_
from reference_impl.limits import DEFAULT, Limits
from reference_impl.orc.decryption import Decryption, MasterKeys, Unwrap
from reference_impl.orc.encryption import Variant
from reference_impl.orc.index import group_count
from reference_impl.orc.readers.nested import Reader
from reference_impl.orc.schema import StreamKind, TypeKind
from reference_impl.orc.types import TypeNode
from reference_impl.orc.validate import encryption, footer, indexes, values
from reference_impl.orc.validate.measure import measures
from reference_impl.orc.validate.opened import LenientStripe, Opened, check_chunks
from reference_impl.orc.validate.scan import Scanned, Slots, before, scan
from reference_impl.orc.validate.statistics_levels import StatisticsCheck
from reference_impl.validation import Report, Violation

__all__ = ["Report", "Violation", "examine", "validate"]


def validate(
    data: bytes | mmap.mmap,
    keys: MasterKeys | Unwrap | None = None,
    *,
    limits: Limits = DEFAULT,
    zone: str = "UTC",
) -> list[Violation]:
    """Return the violations of a file, in the order of the checks.

    No content of a file raises. At most 100 violations of a rule and 2,000 in all are returned. Parts that
    could not be checked (an unknown codec, an encrypted column without a key among `keys`) are no violations:
    `examine` returns them. `zone` is the writer's time zone if the file has none; `keys` are those of
    `OrcFile`.
    """
    return examine(data, keys, limits=limits, zone=zone).violations


def examine(
    data: bytes | mmap.mmap,
    keys: MasterKeys | Unwrap | None = None,
    *,
    limits: Limits = DEFAULT,
    zone: str = "UTC",
) -> Report:
    """Return violations, and the parts that could not be checked."""
    report = Report()
    try:
        file = Opened(data, limits, report, zone)
    except ReferenceError_ as error:
        report.note(error)
        return report
    metadata = footer.check(file)
    variants = encryption.check(file)
    _check_stripes(file, StatisticsCheck(file, metadata), variants or ())
    wrong = any(violation.rule.startswith("ORC-CRYPT-") for violation in report.violations)
    decryption = encryption.opened(file, variants, None if wrong else keys)
    if decryption is not None:  # check everything again, without masks
        file.report = Report()
        _check_stripes(file, StatisticsCheck(file, metadata, decryption), (), decryption)
        _add(report, file.report)
    return report


def _check_stripes(
    file: Opened, known: StatisticsCheck, variants: tuple[Variant, ...], decryption: Decryption | None = None
) -> None:
    """Check all stripes, and the statistics of all levels."""
    for number in file.sound:
        try:
            stripe = LenientStripe(file, number, decryption)
        except ReferenceError_ as error:
            file.report.note(error)
            known.lost = True
            continue
        if variants:
            encryption.check_stripe(stripe, variants)
        Walk(file, stripe, known).run()
    known.check_file(len(file.sound) == len(file.footer.stripes))


def _add(report: Report, more: Report) -> None:
    """Add the violations of the second pass that the first did not report."""
    before = set(report.violations)
    for violation in more.violations:
        if violation not in before:
            report.add(violation.rule, violation.path, violation.offset, violation.message)
    report.unchecked += [note for note in more.unchecked if note not in report.unchecked]


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
            self._too_many()
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

    def _too_many(self) -> None:
        """Note the error of a stripe with too many rows: that of a column with fewer values, or the limit."""
        file, stripe = self.file, self.stripe
        self.statistics.lost = True
        message = f"{stripe.rows} rows; the limit is {file.limits.values}"
        everything = frozenset(node.id for node in file.root.walk())
        try:
            Reader(stripe, file.limits, everything, file.zone).column(file.root, stripe.rows)
        except ReferenceError_ as error:
            file.report.note(error, ())
        else:
            file.report.note(LimitExceeded(message), stripe.path)

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
        indexes.check_blooms(file, stripe, node, scanned, self.groups)
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
                readable &= check_chunks(stream, where, self.file.report) or is_index
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
