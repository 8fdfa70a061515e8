"""Adding the results of one run to a history, for `colconf run --history`."""

from __future__ import annotations

from pathlib import Path

from harness.judging.results import Finding, load_run
from harness.runs.history.confirm import confirm
from harness.runs.history.session import Session, annotate, observe
from harness.runs.history.store import History, opened
from harness.runs.pipeline.request import Request
from harness.runs.pipeline.run import Progress


def remember(folder: Path, request: Request, progress: Progress) -> list[Finding]:
    """Add the run of a request to the history, and return its findings with their states.

    Raises HistoryError, ResultsError, PipelineError and OSError.
    """
    session = Session.of(load_run(request.out))
    with opened(folder) as history:
        for text in history.damaged():
            progress.note(text)
        take(history, session, request, progress)
        history.sweep()
        return annotate(history, session, request.out)


def take(history: History, session: Session, request: Request, progress: Progress) -> None:
    """Add a run of a session to the history, confirm its new findings, and save the history."""
    observe(history, session, request.out)
    history.save()
    confirm(history, session, request, progress)
    history.save()
