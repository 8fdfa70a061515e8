"""Which rules of the specification an ORC file breaks.

    >>> for violation in validate(data): print(violation.rule, violation.offset, violation.message)

The rules are named by id; what they say stands in `corpora/rules.d`. Validation goes on behind the first
problem as far as what follows can still be understood; what follows from a problem is not reported again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_impl.errors import ReferenceError_
from reference_impl.limits import DEFAULT, Limits
from reference_impl.orc.validate import footer, told
from reference_impl.orc.validate.opened import Opened
from reference_impl.orc.validate.stripes import LenientStripe
from reference_impl.orc.validate.walk import Walk
from reference_impl.validation import Report, Violation

if TYPE_CHECKING:
    import mmap

__all__ = ["Report", "Violation", "examine", "validate"]


def validate(data: bytes | mmap.mmap, *, limits: Limits = DEFAULT, zone: str = "UTC") -> list[Violation]:
    """Answer the violations of a file, in the order in which they were found.

    Never raises for what is in the file. At most 100 of a rule and 2,000 in all are kept. What could not be
    looked at (a codec that is not known, an encrypted column) is no violation: `examine` tells it.
    `zone` is the writer's time zone where the file does not say it.
    """
    return examine(data, limits=limits, zone=zone).violations


def examine(data: bytes | mmap.mmap, *, limits: Limits = DEFAULT, zone: str = "UTC") -> Report:
    """Answer violations, and what could not be looked at."""
    report = Report()
    try:
        file = Opened(data, limits, report, zone)
    except ReferenceError_ as error:
        report.note(error)
        return report
    known = told.Told(file, footer.check(file))
    if file.footer.encryption is not None:
        report.unchecked.append("encrypted columns: their values without a mask")
    for number in file.sound:
        try:
            stripe = LenientStripe(file, number)
        except ReferenceError_ as error:
            report.note(error)
            known.lost = True
            continue
        Walk(file, stripe, known).run()
    known.check_file(len(file.sound) == len(file.footer.stripes))
    return report
