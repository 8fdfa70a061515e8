"""The exit status of a run, from its record."""

from __future__ import annotations

from collections.abc import Sequence

from harness.judging.ballots import REFERENCE
from harness.judging.run_record import RunRecord
from harness.problem import USAGE, Problem
from harness.runs.exit import failing
from harness.runs.pipeline.selection import Selection

FINDINGS, NOTHING_UNEXPECTED = 1, 0
_MEND = "`colconf doctor` lists the engines and how to install them"


def exit_status(record: RunRecord) -> int:
    """Return the exit status of a finished run."""
    if only_reference(record) or _unusable(record) or _not_generated(record):
        return USAGE
    return FINDINGS if failing(record) else NOTHING_UNEXPECTED


def incomplete(named: Sequence[str], record: RunRecord) -> str:
    """Return why a finished run does not fulfil the request, "" if it does.

    `named` are the engines that were requested by name: each of them must have started.
    """
    absent = record.unavailable if named else []
    failed = [f"{entry['engine']} did not start: {entry['reason']}" for entry in absent]
    lacks = [*failed, _unusable(record), _not_generated(record)]
    return "; ".join(filter(None, lacks)) or only_reference(record)


def _unusable(record: RunRecord) -> str:
    """Return a message if files were to be read and could not be used; else ""."""
    count = record.counts.get("unusable_files", 0)
    message = f"{count:,} of the given files and folders could not be used; their rows in the results say why"
    return message if count else ""


def _not_generated(record: RunRecord) -> str:
    """Return a message if colconf made a mistake in generating files; else ""."""
    groups = record.not_generated or ()
    if not groups:
        return ""
    more = f", and {len(groups) - 1:,} more" if len(groups) > 1 else ""
    return f"colconf could not generate {groups[0]}{more}; please report this"


def only_reference(record: RunRecord) -> str:
    """Return a message if other engines were selected, but the reference alone ran; else ""."""
    selected = [label.partition("@")[0] for label in record.settings.get("engines", ())]
    if all(engine["name"] == REFERENCE for engine in record.engines) and set(selected) - {REFERENCE}:
        return f"no engine but the reference ran, so nothing was tested; {_MEND}"
    return ""


def check_selection(named: Sequence[str], selection: Selection) -> None:
    """Raise Problem if no engine was named, and none but the reference can be run."""
    if not named and all(process.name == REFERENCE for process in selection.processes):
        raise Problem(
            "no engine but the reference can be run, so nothing would be tested; "
            f"{_MEND}, and `--engine {REFERENCE}` runs the reference alone"
        )
