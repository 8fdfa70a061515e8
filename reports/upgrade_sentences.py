"""A difference between two versions as a sentence, to be understood without the source."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from harness.investigate.upgrade.classes import Class, Right
from harness.listings.text import first_line

_SHORT = 140  # characters of an answer
_ERROR = 300
_WRAPPED = " (in: "  # what follows the innermost cause of an error (`harness/investigate/upgrade/classes.py`)
_LACKS = "unsupported: "
_TASK = re.compile(r"^\w+: Job aborted due to stage failure: .*?\(TID \d+\) \([^)]*\): ")
_CAUSED = " | caused by: "
_KINDS = re.compile(r"(refused|unsupported|panicked|limited|crashed|hung|out_of_memory|misspoke): ")
_QUALIFIED = re.compile(r"\b(?:[a-z][a-z0-9_]*\.)+(?=[A-Z])")  # the package of a class
_OWN = ("files", "tables", "large")  # inputs that --files and --tables name

_RIGHT = {
    Right.REGRESSED: "{old} is right, {new} is wrong.",
    Right.BOTH_WRONG: "Neither is right.",
    Right.BOTH_RIGHT: "Both answers are allowed.",
    Right.UNSPECIFIED: "Nothing says which is right.",
    Right.IMPROVED: "{new} is right, {old} was wrong.",
}
_BOTH = "Both are allowed: no specification requires that this is read, and any error counts as a refusal."
_WHAT = {
    Class.DIES: "{new} dies where {old} {verb}",
    Class.LIVES: "{new} {verb} where {old} died",
    Class.REFUSES: "{new} refuses what {old} {verb}",
    Class.ACCEPTS: "{new} {verb} what {old} refuses",
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
    Class.MESSAGE: "both refuse, {new} with another message",
}
_REFUSED = {Class.DIES, Class.LIVES, Class.REFUSES, Class.ACCEPTS, Class.ERROR, Class.MESSAGE}
_TYPED = {Class.VALUE, Class.NULLS, Class.SCHEMA}
_NULL_IN = re.compile(r"\b(?:was|became) null in ")  # what the class says already
_PLACEHOLDER = re.compile(r"<[a-z]>")  # of numbers and quoted text in signatures
_WRITTEN = {Class.RULES, Class.CODEC, Class.ENCODING, Class.STATISTICS, Class.LAYOUT}


_OF_FILES = {Class.RULES, Class.STATISTICS, Class.LAYOUT}  # their subject says what differs


class Example(NamedTuple):
    """The smallest file of a group: the query or "", the difference's place, what each version does."""

    probe: str
    path: str
    old: str
    new: str


def sentence(
    signature: str,
    cls: str,
    right: str,
    example: Example,
    versions: tuple[str, str],
    *,
    settings: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return what differs, where, and who is right; `versions` are the old and the new one.

    `settings` has what configurations set, in the words of the engine. All texts are visible lines of the
    model, and so is the result.
    """
    if cls not in _KNOWN:
        return ""
    engine, *rest = signature.split(" | ", 2)  # an error may contain the separator
    config, subject = engine.partition(":")[2], rest[-1] if len(rest) > 1 else ""
    old, new = versions
    verb = _verb(engine, example)
    what = _WHAT[Class(cls)].format(old=old, new=new, verb=verb)
    if Class(cls) is Class.NULLS:
        what = _of_null(subject).format(old=old, new=new)
    if Class(cls) in _TYPED and subject:
        what += f" in {_NULL_IN.sub('', subject)}"
    what += _evidence(Class(cls), subject, example, versions)
    if example.probe:
        what = f"for queries such as {example.probe}, {what}"
    if config:
        option = f" ({settings[config]})" if config in settings else ""
        what = f"with {config}{option}, {what}"
    if not what.startswith((old, new)):
        what = what[:1].upper() + what[1:]
    what = f"{what.rstrip('.')}."
    if right not in set(Right) or Class(cls) in _WRITTEN or cls == Class.MESSAGE:
        return what
    return f"{what} {_who(Right(right), Class(cls), verb, example).format(old=old, new=new)}"


def _verb(engine: str, example: Example) -> str:
    """Return the verb for a version that does not refuse: writes, answers or reads."""
    if " writes " in engine:
        return "writes"
    return "answers" if example.probe else "reads"


def _who(right: Right, cls: Class, verb: str, example: Example) -> str:
    """Return who is right: `unsupported` is better than a wrong result, and worse than a right one."""
    if right is Right.IMPROVED and cls is Class.REFUSES and verb != "writes":
        lacks = ": it says that it has no support for this" * example.new.startswith(_LACKS)
        return f"What {{old}} returned was wrong; {{new}} no longer {verb} this{lacks}."
    if right is Right.BOTH_RIGHT and cls in _REFUSED and verb != "writes":
        return _BOTH
    if right is Right.IMPROVED and example.new.startswith(_LACKS):
        return "{old} was wrong; {new} says that it has no support for this."
    if right is Right.IMPROVED and example.old.startswith(_LACKS):
        return "{new} is right, {old} had no support for this."
    if right is Right.REGRESSED and example.new.startswith(_LACKS):
        return "{old} is right, {new} says that it has no support for this."
    return _RIGHT[right]


def _of_null(subject: str) -> str:
    if "was null in " in subject:
        return "{new} returns a value where {old} returns null,"
    if "became null in " in subject:
        return "{new} returns null where {old} returns a value,"
    return _WHAT[Class.NULLS]


def _evidence(cls: Class, subject: str, example: Example, versions: tuple[str, str]) -> str:
    """Return the errors of the smallest file, or its values.

    If the stored result has only the beginning of an error, the subject of the signature is used instead.
    """
    if cls in _REFUSED:
        errors = [error for error in (_error(example.old), _error(example.new)) if error]
        if len(errors) == 2 and len(set(errors)) == 1:
            return f", around the same error{_wrapping(subject)}: {errors[0]}"
        if errors and not any(error.endswith("…") for error in errors):
            if len(errors) == 2:
                return ": " + ", ".join(
                    f"{version} says “{error}”" for version, error in zip(versions, errors, strict=True)
                )
            return f": {errors[0]}"
        return f": {_PLACEHOLDER.sub('…', subject)}" if subject else ""
    old, new = (first_line(answer, _SHORT) for answer in (example.old, example.new))
    if cls in _OF_FILES and subject:
        return f": {subject}{_detail(cls, example.path, old, new)}"
    if not (old or new):
        return ""
    place = f"{example.path}: " if example.path else ""
    return f": {place}{old or 'nothing'} became {new or 'nothing'}"


def _detail(cls: Class, path: str, old: str, new: str) -> str:
    """Return the part of a difference of written files that its subject lacks: the breach, or the column."""
    if cls is Class.RULES:
        return "".join(f": {text}" for text in (old, new) if text.startswith("["))
    return f", as in column {path}" if path else ""


def _wrapping(subject: str) -> str:
    """Return the text around the same error in each version, "" if the signature has none."""
    before, arrow, after = subject.partition("the same error, ")[2].partition(" → ")
    return f", before {before}, now {after}" if arrow else ""


def _error(answer: str) -> str:
    """Return the error of an answer, "" if it is none: its class and innermost cause, with "…" if cut."""
    kind = _KINDS.match(answer)
    if not kind:
        return ""
    whole = _TASK.sub("", _QUALIFIED.sub("", answer[kind.end() :]))
    head, wrapped, _ = whole.partition(_WRAPPED)
    if wrapped:
        return first_line(head, _ERROR)
    if _CAUSED in whole:  # an account of a version that put the innermost cause last
        head = f"{whole.partition(': ')[0]}: {whole.rpartition(_CAUSED)[2]}"
    return first_line(head, _ERROR) + "…" * (len(answer) - kind.end() > _CUT)


_CUT = 400  # characters that such a version had of a message, behind the class of the error
_KNOWN = {cls.value for cls in Class}


def own_files(inputs: dict[str, int]) -> int:
    """Return how many of a group's files are the user's own, by the counts of its inputs."""
    return sum(count for name, count in inputs.items() if name.startswith(_OWN))
