"""The rules that files break as lines for people: one entry per rule, or one per place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from corpora.rules import Rule
from reference_impl.validation import Report, Violation

LEVELS = ("MUST", "SHOULD", "MAY")
_PLACES = 3  # of a rule that is broken in more places


class Result(NamedTuple):
    """A file and its violations; `error` if it could not be read at all."""

    path: str
    report: Report
    error: str | None = None


def is_broken(result: Result, known: Mapping[str, Rule]) -> bool:
    """Return whether the file breaks a MUST, listed or not."""
    return any(known[rule].level == "MUST" for rule in _counts(result.report))


def text(results: Sequence[Result], known: Mapping[str, Rule], *, every: bool) -> Iterator[str]:
    """Yield the lines of all files; `every`: list each place, else the first ones of each rule."""
    stated: set[str] = set()
    for result in results:
        if result.error is not None:
            continue
        report = result.report
        levels: Counter[str] = Counter()
        for rule, count in _counts(report).items():
            levels[known[rule].level] += count
        sound = "nothing is broken" + (" in what was checked" if report.unchecked else "")
        counted = ", ".join(f"{count:,} {level}" for level, count in sorted(levels.items())) or sound
        yield f"{result.path}: {counted}"
        yield from _each_place(report, known, stated) if every else _each_rule(report, known, stated)
        yield from (f"  not checked: {why}" for why in report.unchecked)
        yield from (f"  note: {note}" for note in report.notes)


def _counts(report: Report) -> Counter[str]:
    """Return how often the file breaks each rule, the violations beyond the limits of a report included."""
    return Counter(violation.rule for violation in report.violations) + report.suppressed


def _each_place(report: Report, known: Mapping[str, Rule], stated: set[str]) -> Iterator[str]:
    # Those of a level in the order of the file; a reader may refuse the file for the first level alone.
    for violation in sorted(report.violations, key=lambda each: LEVELS.index(known[each.rule].level)):
        rule = known[violation.rule]
        yield f"  {rule.level:<6} {rule.id}{_place(violation)}"
        yield from _clause(rule, stated)
    yield from (f"  {rule}: {count:,} more, not listed" for rule, count in sorted(report.suppressed.items()))


def _each_rule(report: Report, known: Mapping[str, Rule], stated: set[str]) -> Iterator[str]:
    """Yield each rule once, in the order of the levels and then of the file, with its first places."""
    counts = _counts(report)
    for rule in sorted((known[rule] for rule in counts), key=lambda each: LEVELS.index(each.level)):
        places = [_place(violation) for violation in report.violations if violation.rule == rule.id]
        if places[1:] or counts[rule.id] != len(places):
            yield f"  {rule.level:<6} {rule.id} in {counts[rule.id]:,} place{'s' * (counts[rule.id] != 1)}"
            yield from _clause(rule, stated)
            yield from (f"         {place.lstrip(' :')}" for place in places[:_PLACES])
            yield from _more(counts[rule.id], len(places))
        else:
            yield f"  {rule.level:<6} {rule.id}{places[0]}"
            yield from _clause(rule, stated)


def _more(count: int, listed: int) -> Iterator[str]:
    """Yield how many of the places are left out; a report has `listed` of them."""
    left = count - min(listed, _PLACES)
    if left and listed > _PLACES:
        all_of = "them" if listed == count else f"{listed} of the {count:,}"
        yield f"         and {left:,} more; --all lists {all_of}"
    elif left:
        yield f"         and {left:,} more, not listed"


def _place(violation: Violation) -> str:
    where = "" if violation.offset is None else f" at byte {violation.offset}"
    path = f" in {'.'.join(violation.path)}" if violation.path else ""
    return f"{where}{path}: {violation.message}"


def _clause(rule: Rule, stated: set[str]) -> Iterator[str]:
    """Yield the clause of a rule; where the rule is named first, with its text and the release it is of."""
    yield f"         {rule.clause}" + ("" if rule.id in stated else f": {rule.text}")
    if rule.about_age and rule.id not in stated:
        yield f"         {rule.about_age}"
    stated.add(rule.id)
