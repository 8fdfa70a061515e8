"""The only exceptions that leave the parsers of this package, by who must act.

* `Malformed`: the bytes break the specification; the writer of the file must act. Carries a rule id.
* `Unsupported`: legal (or possibly legal in a newer revision), but not implemented here; we must act.
* `LimitExceeded`: legal, but larger than the limits this reader was given; the caller may raise them.
* `UsageError`: the caller's argument is wrong (an unknown column, a row group that is not there).

Each carries the absolute byte offset where it was noticed and the path of fields that led there, when
known. Inner parsers raise with their own part of both; `located` adds the outer part on the way up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeVar

_RULE = re.compile(r"\[([A-Z][A-Z0-9]*(?:-[A-Z0-9]+)+)\]")


def rule_of(text: str) -> str | None:
    """Return the rule that the text of an error begins with, None without one.

    Only the text of an error leaves an engine's process; `ReferenceError_.__str__` writes the rule into it.
    """
    matched = _RULE.match(text)
    return matched[1] if matched else None


class ReferenceError_(Exception):  # noqa: N801, N818 - the builtin ReferenceError is something else
    """Base of the four kinds of error.

    `offset` is in bytes from the start of the file (or of the buffer, for a parser called on its own),
    `path` runs from the outermost field to the innermost, `rule` is an id such as `PQ-PAGE-003`.
    """

    kind = "error"

    def __init__(
        self, message: str, *, offset: int | None = None, rule: str | None = None, path: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.rule = rule
        self.path = path

    def __str__(self) -> str:
        where = [] if self.offset is None else [f"at byte {self.offset}"]
        if self.path:
            where.append("in " + ".".join(self.path))
        rule = f"[{self.rule}] " if self.rule else ""
        return rule + self.message + (f" ({' '.join(where)})" if where else "")


class Malformed(ReferenceError_):
    """The bytes break a rule of the specification."""

    kind = "malformed"


class Unsupported(ReferenceError_):
    """The bytes may be legal, but need something that this package does not implement."""

    kind = "unsupported"


class LimitExceeded(ReferenceError_):
    """Reading on would need more memory, depth or time than the limits allow."""

    kind = "limit"


class UsageError(ReferenceError_):
    """The caller asked for something that is not there."""

    kind = "usage"


ErrorHandler = Callable[[ReferenceError_], None]
BreachHandler = Callable[[Malformed], None]  # of errors that decoding does not stop at
E = TypeVar("E", bound=ReferenceError_)


def refuse(error: ReferenceError_) -> None:
    """Raise an error: the reader's way to handle the errors of a check."""
    raise error


def raise_first(errors: Iterable[ReferenceError_]) -> None:
    """Raise the first error that a check yields, if it yields any."""
    for error in errors:
        raise error


class located:  # noqa: N801 - a context manager that is called like a function, and often
    """Prefix `path`, and shift the offset by `base`, of any error of ours that passes through."""

    __slots__ = ("_base", "_path")

    def __init__(self, *path: str, base: int = 0) -> None:
        self._path, self._base = path, base

    def __enter__(self) -> None:
        return None

    def __exit__(self, _: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, ReferenceError_):
            error.path = (*self._path, *error.path)
            if error.offset is not None:
                error.offset += self._base


def within(handle: Callable[[E], None], *path: str) -> Callable[[E], None]:
    """Return a handler for use inside `located(*path)`, which adds the path to errors that are not raised."""

    def handle_located(error: E) -> None:
        inner = error.path
        error.path = (*path, *inner)
        try:
            handle(error)
        except ReferenceError_:
            error.path = inner
            raise

    return handle_located
