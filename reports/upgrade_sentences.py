"""A difference between two versions as a sentence, to be understood without the source."""

from __future__ import annotations

import re
from typing import NamedTuple

from harness.investigate.upgrade.classes import Class, Right
from harness.listings.text import first_line

_SHORT = 140  # characters of an answer
_OWN = ("files", "tables", "large")  # inputs that --files and --tables name

_RIGHT = {
    Right.REGRESSED: "{old} is right, {new} is wrong.",
    Right.BOTH_WRONG: "Neither is right.",
    Right.BOTH_RIGHT: "Both answers are allowed.",
    Right.UNSPECIFIED: "Nothing says which is right.",
    Right.IMPROVED: "{new} is right, {old} was wrong.",
}
_WHAT = {
    Class.DIES: "{new} dies of what {old} reads",
    Class.LIVES: "{new} reads what {old} died of",
    Class.REFUSES: "{new} refuses what {old} takes",
    Class.ACCEPTS: "{new} takes what {old} refuses",
    Class.VALUE: "{new} returns other values",
    Class.NULLS: "{new} returns a value where {old} returns null, or null for a value",
    Class.ROWS: "{new} returns another number of rows",
    Class.PUSHDOWN: "{new} returns other rows with pushdown, and the same rows without",
    Class.ORDER: "{new} returns the same rows in another order",
    Class.SCHEMA: "{new} returns other columns or types",
    Class.RULES: "files that {new} writes break other rules of the specification",
    Class.CODEC: "{new} writes with another codec",
    Class.ENCODING: "{new} writes in other encodings",
    Class.STATISTICS: "{new} writes other statistics or indexes",
    Class.LAYOUT: "{new} writes another schema or layout",
    Class.SPEED: "{new} takes another time, beyond noise",
    Class.ERROR: "both refuse, {new} with another error",
    Class.MESSAGE: "both refuse, {new} in other words",
}
_REFUSED = {Class.DIES, Class.LIVES, Class.REFUSES, Class.ACCEPTS, Class.ERROR, Class.MESSAGE}
_TYPED = {Class.VALUE, Class.NULLS, Class.SCHEMA}
_NULL_IN = re.compile(r"\b(?:was|became) null in ")  # what the class says already
_PLACEHOLDER = re.compile(r"<[a-z]>")  # of numbers and quoted text in signatures
_WRITTEN = {Class.RULES, Class.CODEC, Class.ENCODING, Class.STATISTICS, Class.LAYOUT}


class Example(NamedTuple):
    """The smallest file of a group: the query or "", the difference's place, what each version does."""

    probe: str
    path: str
    old: str
    new: str


def sentence(signature: str, cls: str, right: str, example: Example, versions: tuple[str, str]) -> str:
    """Return what differs, where, and who is right; `versions` are the old and the new one.

    All texts are visible lines of the model, and so is the result.
    """
    if cls not in _KNOWN:
        return ""
    engine, *rest = signature.split(" | ", 2)  # an error may contain the separator
    config, subject = engine.partition(":")[2], rest[-1] if len(rest) > 1 else ""
    old, new = versions
    what = _WHAT[Class(cls)].format(old=old, new=new)
    if Class(cls) in _TYPED and subject:
        what += f" in {_NULL_IN.sub('', subject)}"
    what += _evidence(Class(cls), subject, example)
    if example.probe:
        what = f"for queries such as {example.probe}, {what}"
    if config:
        what = f"with {config}, {what}"
    if not what.startswith((old, new)):
        what = what[:1].upper() + what[1:]
    if right not in set(Right) or Class(cls) in _WRITTEN:
        return f"{what}."
    return f"{what}. {_RIGHT[Right(right)].format(old=old, new=new)}"


def _evidence(cls: Class, subject: str, example: Example) -> str:
    """Return the error, which is the subject of the signature, or both answers of the smallest file."""
    if cls in _REFUSED:
        return f": {_PLACEHOLDER.sub('…', subject)}" if subject else ""
    old, new = (first_line(answer, _SHORT) for answer in (example.old, example.new))
    if not (old or new):
        return ""
    place = f"{example.path}: " if example.path else ""
    return f": {place}{old or 'nothing'} became {new or 'nothing'}"


_KNOWN = {cls.value for cls in Class}


def own_files(inputs: dict[str, int]) -> int:
    """Return how many of a group's files are the user's own, by the counts of its inputs."""
    return sum(count for name, count in inputs.items() if name.startswith(_OWN))
