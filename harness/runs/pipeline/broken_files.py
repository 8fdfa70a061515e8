"""The files of a user that break a rule of their format: a run names them, though no reader is to blame."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from corpora import rules
from corpora.cases import USER_FILES, USER_TABLES
from harness.judging.evidence import level_of
from harness.judging.results import Row
from harness.listings.text import display_path

MOST = 100


class BrokenFile(NamedTuple):
    """The path of a file, and the rule that it breaks: its id, or the clause where no rule has been named."""

    path: str
    rule: str
    is_table: bool = False


def note(broken: list[BrokenFile], row: Row) -> None:
    """Add the file of a row, the first of its case, if it is a user's and breaks a MUST.

    Of a table, in which a file breaks it, it is the folder, once for all its reads.
    """
    expectation = row.detail.expectation
    if len(broken) == MOST or not row.case.startswith((USER_FILES, USER_TABLES)):
        return
    path, is_table = display_path(row.detail.file), row.case.startswith(USER_TABLES)
    if expectation.rule is not None and level_of(expectation.rule) == "MUST":
        each = BrokenFile(path, expectation.rule, is_table)
    elif expectation.kind == "refuse":
        each = BrokenFile(path, expectation.clause or "", is_table)
    else:
        return
    if each not in broken[-1:]:
        broken.append(each)


def rendered(broken: Sequence[BrokenFile], most: int, plain: Callable[[str], str]) -> Iterator[str]:
    """Yield lines about at most so many of the files; `plain` makes text safe."""
    if not broken or not most:
        return
    count = len(broken)
    kind = "file" if not any(each.is_table for each in broken) else "file or table"
    yield (
        f"{count:,}{' or more' * (count == MOST)} {kind}{'s' * (count != 1)} with a broken MUST, which "
        "readers may refuse; `colconf validate` shows where:"
    )
    for each in broken[:most]:
        rule = rules.load().get(each.rule)
        text = f": {rule.text}" if rule is not None else ""
        yield f"  broken  {plain(each.path)}"
        yield f"      {plain(each.rule + text)}"
    if count > most:
        yield f"  and {count - most:,} more"
