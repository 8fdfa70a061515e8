"""Sheets in whose generation colconf makes a mistake: their parts have no cases, and name the mistake."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count, takewhile
from pathlib import Path

from harness.runs.pipeline.context import Context
from harness.runs.pipeline.errors import PipelineError, explained
from harness.runs.pipeline.sheets import commit_sheets

_FAILED = "failed"


def part_of(context: Context, number: int) -> Path:
    """Return the part of a generated sheet."""
    return context.part("generate", f"{number:06}")


@contextmanager
def noted(context: Context, seed: int, number: int, format_: str) -> Iterator[None]:
    """Have a mistake in generating a sheet end in a part that names it; errors of files are raised."""
    try:
        yield
    except (OSError, PipelineError):
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, other sheets may not have it
        text = f"group {number} of seed {seed}, format {format_}: {explained(error)}"
        commit_sheets(context, part_of(context, number), (), **{_FAILED: text})


def failure(context: Context, number: int) -> str:
    """Return the sheet and the mistake with which it was not generated, "" if it was."""
    return str(context.head(part_of(context, number)).get(_FAILED, ""))


def failures(context: Context) -> list[str]:
    """Return the sheets that were not generated, each with its mistake."""
    return list(filter(None, (failure(context, number) for number in _numbers(context))))


def forget(context: Context) -> None:
    """Let sheets that were not generated be tried again, of a run that is continued."""
    for number in [number for number in _numbers(context) if failure(context, number)]:
        part_of(context, number).unlink()


def refusal(text: str) -> PipelineError:
    """Return the error for a mistake without which nothing can be done."""
    return PipelineError(f"colconf cannot generate {text}; please report this, and take another seed")


def _numbers(context: Context) -> Iterator[int]:
    return takewhile(lambda number: context.has(part_of(context, number)), count())
