"""All checks of a reader, one after the other, with what each saw."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from harness.children.limits import Limits
from harness.engines.entry import Entry
from harness.environments.availability import Status, status
from harness.investigate.conformance.checks import CHECKS, handshake
from harness.investigate.conformance.control import control, process_of
from harness.investigate.conformance.subject import Subject
from harness.investigate.conformance.talk import Failure
from harness.runs.pipeline.selection import check_claims


class Result(NamedTuple):
    """A check: what it saw, or what is wrong and how to mend it (`mend` is "" if it passed)."""

    name: str
    format: str
    text: str
    mend: str = ""


def results(entry: Entry, limits: Limits, folder: Path) -> Iterator[Result]:
    """Yield the result of each check of a foreign engine; `folder` is for files of the checks.

    After a failed handshake nothing else is checked. Raises SelectionError for a claim that is not known.
    """
    check_claims(entry)
    here = status(entry)
    if here.other is None:
        yield Result("start", "", here.reason, here.mend)
        return
    for format_ in entry.formats:
        config = {switch: values[0] for switch, values in entry.switches.items()}
        own = folder / format_
        own.mkdir()
        assert entry.foreign is not None
        subject = Subject(here.launch, limits.lowered(entry.foreign), format_, config, own)
        for name, check in _checks(entry, here, subject):
            result = _result(name, format_, check)
            yield result
            if result.mend and name == handshake.__name__:
                return


def _checks(entry: Entry, here: Status, subject: Subject) -> Iterator[tuple[str, Callable[[], str]]]:
    for check in CHECKS:
        yield check.__name__, partial(check, subject)
    yield "control", lambda: control(subject, process_of(entry, here, subject))


def _result(name: str, format_: str, check: Callable[[], str]) -> Result:
    title = name.replace("_", " ")
    try:
        return Result(title, format_, check())
    except Failure as failure:
        return Result(title, format_, failure.message, failure.mend)
