"""Which rules of the specification an ORC file breaks.

    >>> for violation in validate(data): print(violation.rule, violation.offset, violation.message)

The rules are named by id; what they say stands in `corpora/rules.d`. Validation goes on behind the first
problem as far as what follows can still be understood; what follows from a problem is not reported again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_impl.errors import ReferenceError_
from reference_impl.limits import DEFAULT, Limits
from reference_impl.orc.validate import encryption, footer, told
from reference_impl.orc.validate.opened import Opened
from reference_impl.orc.validate.stripes import LenientStripe
from reference_impl.orc.validate.walk import Walk
from reference_impl.validation import Report, Violation

if TYPE_CHECKING:
    import mmap

    from reference_impl.orc.decryption import Decryption, MasterKeys, Unwrap
    from reference_impl.orc.encryption import Variant

__all__ = ["Report", "Violation", "examine", "validate"]


def validate(
    data: bytes | mmap.mmap,
    keys: MasterKeys | Unwrap | None = None,
    *,
    limits: Limits = DEFAULT,
    zone: str = "UTC",
) -> list[Violation]:
    """Return the violations of a file, in the order in which they were found.

    Never raises for what is in the file. At most 100 of a rule and 2,000 in all are kept. What could not be
    looked at (a codec that is not known, an encrypted column whose key is not among `keys`) is no violation:
    `examine` tells it. `zone` is the writer's time zone where the file does not say it; `keys` are those of
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
    """Return violations, and what could not be looked at."""
    report = Report()
    try:
        file = Opened(data, limits, report, zone)
    except ReferenceError_ as error:
        report.note(error)
        return report
    metadata = footer.check(file)
    variants = encryption.check(file)
    _look(file, told.Told(file, metadata), variants or ())
    wrong = any(one.rule.startswith("ORC-CRYPT-") for one in report.violations)
    decryption = encryption.opened(file, variants, None if wrong else keys)
    if decryption is not None:  # all of it again, without masks
        file.report = Report()
        _look(file, told.Told(file, metadata, decryption), (), decryption)
        _add(report, file.report)
    return report


def _look(
    file: Opened, known: told.Told, variants: tuple[Variant, ...], decryption: Decryption | None = None
) -> None:
    """Look at all stripes, and at what is told of them."""
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
    """Add what the second look found, and the first did not."""
    before = set(report.violations)
    for one in more.violations:
        if one not in before:
            report.add(one.rule, one.path, one.offset, one.message)
    report.unchecked += [one for one in more.unchecked if one not in report.unchecked]
