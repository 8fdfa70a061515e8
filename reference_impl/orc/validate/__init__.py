"""The rules of the specification that an ORC file breaks.

    >>> for violation in validate(data): print(violation.rule, violation.offset, violation.message)

Rules are named by id; their texts are in `corpora/rules.d`. Validation continues behind the first
violation as far as the file can still be read; consequences of a violation are not reported again.
"""

from __future__ import annotations

import mmap

from reference_impl.errors import ReferenceError_
from reference_impl.limits import DEFAULT, Limits
from reference_impl.orc.decryption import Decryption, MasterKeys, Unwrap
from reference_impl.orc.encryption import Variant
from reference_impl.orc.validate import encryption, footer
from reference_impl.orc.validate.opened import Opened
from reference_impl.orc.validate.statistics_levels import StatisticsCheck
from reference_impl.orc.validate.stripes import LenientStripe
from reference_impl.orc.validate.walk import Walk
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
