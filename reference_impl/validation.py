"""Reports of violations, bounded in number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from reference_impl.errors import Malformed, ReferenceError_

MOST_OF_A_RULE = 100
MOST = 2_000


class Violation(NamedTuple):
    """A broken rule, with the offset in the file, the path of fields, and a message."""

    rule: str
    offset: int | None
    path: tuple[str, ...]
    message: str


@dataclass
class Report:
    """`violations` in the order of the checks; `unchecked`: parts that could not be checked, and why.

    `suppressed` counts the violations beyond the limits, by rule. `notes` are about what breaks no rule, and
    is read in more than one way.
    """

    violations: list[Violation] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)
    suppressed: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    _counts: Counter[str] = field(default_factory=Counter, repr=False)

    def add(self, rule: str, path: tuple[str, ...], offset: int | None, message: str) -> None:
        """Add a violation, unless there are too many."""
        if self._counts[rule] >= MOST_OF_A_RULE or len(self.violations) >= MOST:
            self.suppressed[rule] += 1
            return
        self._counts[rule] += 1
        self.violations.append(Violation(rule, offset, path, message))

    def note(self, error: ReferenceError_, path: tuple[str, ...] = ()) -> None:
        """Add an error of the reader: a broken rule, or an unsupported part."""
        where = (*path, *error.path)
        if isinstance(error, Malformed) and error.rule is not None:
            self.add(error.rule, where, error.offset, error.message)
        elif len(self.unchecked) < MOST_OF_A_RULE:
            self.unchecked.append(f"{'.'.join(where)}: {error.message}" if where else error.message)

    def note_all(self, errors: Iterable[ReferenceError_], path: tuple[str, ...] = ()) -> bool:
        """Add every error that a check yields; return whether there is none."""
        sound = True
        for error in errors:
            self.note(error, path)
            sound = False
        return sound

    @contextmanager
    def noting(self, *path: str) -> Iterator[None]:
        """Add the reader's error that ends the block, and go on behind the block."""
        try:
            yield
        except ReferenceError_ as error:
            self.note(error, path)
