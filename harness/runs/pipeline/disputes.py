"""The contested cases of a run: nothing decides which side is right, and no engine is blamed.

The first ones are kept while rows are counted, and printed behind the findings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from corpora.cases import CONTESTED
from harness.judging.ballots import REFERENCE
from harness.judging.results import Row
from harness.judging.signature import label
from harness.judging.verdicts import SIDES
from harness.judging.wording import in_words
from harness.listings.text import display_name

MOST = 100


@dataclass
class Dispute:
    """A contested case: its votes, the deciding clause or the reason, and the row of another side.

    `name` is how output names it: by the path of a user's file.
    """

    case: str
    name: str
    votes: str
    why: str
    seen: Row | None = None

    @property
    def lines(self) -> Iterator[str]:
        """Yield the case in lines for people."""
        yield self.name
        yield self.votes
        yield self.why
        if self.seen is not None:
            yield _seen(self.seen)
            if self.seen.detail.known_bug:
                yield f"looks like a known bug: {self.seen.detail.known_bug}"


def note(disputes: list[Dispute], row: Row) -> None:
    """Keep the case of a row if it is contested, and of its rows the first that is another side."""
    expectation = row.detail.expectation
    if expectation.certainty != CONTESTED:
        return
    if not disputes or disputes[-1].case != row.case:
        if len(disputes) == MOST:
            return
        name = display_name(row.case, row.detail.file)
        disputes.append(Dispute(row.case, name, expectation.votes or "", expectation.why or ""))
    last = disputes[-1]
    is_other = row.engine != REFERENCE and row.verdict in SIDES and _seen(row)
    if last.case == row.case and last.seen is None and is_other:
        last.seen = row


def rendered(
    disputes: Sequence[Dispute], count: int, most: int, plain: Callable[[str], str]
) -> Iterator[str]:
    """Yield lines about at most so many of the cases, of which there are `count`; `plain` makes text safe."""
    if not disputes or not most:
        return
    why = "engines disagree, nothing decides who is right, and no engine is blamed"
    yield f"{count:,} contested case{'s' * (count != 1)} ({why}):"
    for dispute in disputes[:most]:
        first, *others = (plain(text) for text in dispute.lines)
        yield f"  contested  {first}"
        yield from (f"      {text}" for text in others if text)
    if count > most:
        yield f"  and {count - most:,} more"


def counted(counts: dict[str, Any]) -> str:
    """Return the counts of contested cases and of broken files; results of older runs have none."""
    contested, broken = counts.get("contested", 0), counts.get("files_with_broken_rules", 0)
    return f", {contested:,} contested" * bool(contested) + f", {broken:,} with broken rules" * bool(broken)


def _seen(row: Row) -> str:
    detail = row.detail
    error = ": ".join(filter(None, (detail.error_class, detail.message)))
    if detail.difference is not None:
        at = detail.difference
        text = f"{at['path']}: {in_words(row.verdict, at['kind'], at['expected'], at['actual'])}"
    else:
        text = error
    about = f"{detail.probe}: " if detail.probe else ""
    return f"{label(row)}: {about}{text}" if text else ""
