"""The control set as a check: each file is right, or `unsupported`, and one at least is right."""

from __future__ import annotations

from collections.abc import Iterator

from harness.engines.entry import Entry
from harness.environments.availability import Status
from harness.investigate.conformance.subject import Subject
from harness.investigate.conformance.talk import Failure
from harness.judging.control import answers_to
from harness.judging.control_answers import ANSWERED, FAILED, LACKED, Answer
from harness.judging.places import Config, Process

_VISIBLE = 3  # failures


def process_of(entry: Entry, status: Status, subject: Subject) -> Process:
    """Return the reader in its default configuration."""
    launch = status.launch
    version = str(subject.description["version"])
    config = Config("", subject.config)
    formats = (subject.format,)
    return Process(
        entry.name, version, launch.command, (config,), formats, variables=launch.variables, foreign=entry
    )


def control(subject: Subject, process: Process) -> str:
    """Read the control set, ask its queries, and return how many of its questions were answered."""
    answers = next(iter(answers_to(process, subject.format, subject.limits)), [])
    failed = list(_failed(answers))
    if failed:
        rest = f"; {len(failed) - _VISIBLE} more" if len(failed) > _VISIBLE else ""
        mend = "read these files right, or reply unsupported; `colconf engines control` lists all questions"
        raise Failure("; ".join(failed[:_VISIBLE]) + rest, mend)
    states = [answer.state for answer in answers]
    right = states.count(ANSWERED)
    if not right:
        message = f"none of {len(answers)} questions about the control set is answered"
        raise Failure(message, f"read {subject.plain.name} at least: two columns of INT32")
    return f"{right} of {len(answers)} questions answered, {states.count(LACKED)} unsupported"


def _failed(answers: list[Answer]) -> Iterator[str]:
    for answer in answers:
        if answer.state == FAILED:
            question = "" if answer.question == "read" else f" ({answer.question})"
            yield f"{answer.control}{question}: {answer.reason[:120]}"
