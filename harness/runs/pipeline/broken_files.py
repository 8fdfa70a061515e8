"""The files of a user that break a rule of their format: a run names them, though no reader is to blame."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from corpora import rules
from harness.judging.evidence import level_of
from harness.judging.results import Row

MOST = 100
_OF_USERS = "files/"  # begins the cases of files that no case describes (corpora/importers)


class BrokenFile(NamedTuple):
    """A case, and the rule that its file breaks: its id, or the clause where no rule has been named."""

    case: str
    rule: str


def note(broken: list[BrokenFile], row: Row) -> None:
    """Add the case of a row, the first of the case, if its file is of a user and breaks a MUST."""
    expectation = row.detail.expectation
    if len(broken) == MOST or not row.case.startswith(_OF_USERS):
        return
    if expectation.rule is not None and level_of(expectation.rule) == "MUST":
        broken.append(BrokenFile(row.case, expectation.rule))
    elif expectation.kind == "refuse":
        broken.append(BrokenFile(row.case, expectation.clause or ""))


def rendered(broken: Sequence[BrokenFile], most: int, plain: Callable[[str], str]) -> Iterator[str]:
    """Yield lines about at most so many of the files; `plain` makes text safe."""
    if not broken or not most:
        return
    count = len(broken)
    yield (
        f"{count:,}{' or more' * (count == MOST)} file{'s' * (count != 1)} with a broken MUST, which readers "
        "may refuse; `colconf validate` shows where:"
    )
    for each in broken[:most]:
        rule = rules.load().get(each.rule)
        text = f": {rule.text}" if rule is not None else ""
        yield f"  broken  {plain(each.case)}"
        yield f"      {plain(each.rule + text)}"
    if count > most:
        yield f"  and {count - most:,} more"
