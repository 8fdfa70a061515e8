"""The files of a user that break a rule of their format: a run names them, though no reader is to blame."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from corpora import rules
from corpora.cases import USER_FILES
from harness.judging.evidence import level_of
from harness.judging.results import Row
from harness.listings.text import display_name

MOST = 100


class BrokenFile(NamedTuple):
    """The path of a file, and the rule that it breaks: its id, or the clause where no rule has been named."""

    path: str
    rule: str


def note(broken: list[BrokenFile], row: Row) -> None:
    """Add the case of a row, the first of the case, if its file is of a user and breaks a MUST."""
    expectation = row.detail.expectation
    if len(broken) == MOST or not row.case.startswith(USER_FILES):
        return
    name = display_name(row.case, row.detail.file)
    if expectation.rule is not None and level_of(expectation.rule) == "MUST":
        broken.append(BrokenFile(name, expectation.rule))
    elif expectation.kind == "refuse":
        broken.append(BrokenFile(name, expectation.clause or ""))


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
        yield f"  broken  {plain(each.path)}"
        yield f"      {plain(each.rule + text)}"
    if count > most:
        yield f"  and {count - most:,} more"
