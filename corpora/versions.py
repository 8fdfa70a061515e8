"""Versions of engines, their order, and ranges of them."""

from __future__ import annotations

import re

from corpora.cases import CaseError

Key = tuple[tuple[int, ...], bool]  # the leading numbers, and whether nothing but a local part follows

_BOUND = re.compile(r"(>=|<=|==|!=|>|<)\s*([0-9][0-9A-Za-z.+-]*)")
_NUMBERS = re.compile(r"[0-9]+(?:\.[0-9]+)*")


def version_in(version: str, versions: str) -> bool:
    """Return whether `version` is in a range such as `>=4.0,<4.4`; "" is every version.

    Versions compare by their leading numbers, where `4.1` equals `4.1.0`; a suffix (`rc1`, `-SNAPSHOT`,
    `.dev3`, but not `+local`) sorts before the version without the suffix.
    """
    key = version_key(version)
    return all(
        {
            ">=": key >= bound,
            "<=": key <= bound,
            ">": key > bound,
            "<": key < bound,
            "==": key == bound,
            "!=": key != bound,
        }[operator]
        for operator, bound in bounds(versions)
    )


def bounds(versions: str) -> list[tuple[str, Key]]:
    """Return the operators and sort keys of a range; raises CaseError."""
    result = []
    for part in filter(None, map(str.strip, versions.split(","))):
        matched = _BOUND.fullmatch(part)
        if matched is None:
            raise CaseError(f"{versions!r:.80} is not a range of versions such as >=4.0,<4.4")
        result.append((matched[1], version_key(matched[2])))
    return result


def version_key(version: str) -> Key:
    """Return the sort key of a version."""
    matched = _NUMBERS.match(version)
    numbers = [int(number) for number in matched[0].split(".")] if matched else []
    while numbers and numbers[-1] == 0:
        numbers.pop()
    rest = version[matched.end() :] if matched else version
    return tuple(numbers), not rest or rest.startswith("+")
