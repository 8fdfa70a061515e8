"""The command that asks about a case again: by an id that lasts where there is one, else by its file."""

from __future__ import annotations

from corpora import own_cases, packed
from corpora.build.formats import PARQUET
from corpora.case_fields import CaseError, check_id
from corpora.known_failures import GENERATED
from harness.listings.text import quoted


def command(case: str, file: str, format_: str) -> str:
    """Return the command without `--engine`, "" for a case that has neither a permanent id nor a file.

    A case of colconf's own corpora, or a generated one, has recorded values and queries: for its file alone,
    the engines would have to vote.
    """
    if case.startswith(GENERATED):
        option = "" if format_ == PARQUET.name else f" --format {quoted(format_)}"
        return f"colconf replay {quoted(case)}{option}"
    if _is_own(case):
        return f"colconf replay {quoted(case)}"
    return f"colconf run --files {quoted(_as_argument(file))}" if file else ""


def check(file: str) -> str:
    """Return the command that lists the rules which a written file breaks, "" without a file."""
    return f"colconf validate {quoted(_as_argument(file))}" if file else ""


def _is_own(case: str) -> bool:
    try:
        check_id(case)
    except CaseError:
        return False
    folder, *below = case.split("/")
    return folder in packed.FOLDERS and ".." not in below and (own_cases.folder() / f"{case}.json").is_file()


def _as_argument(file: str) -> str:
    return f"./{file}" if file.startswith("-") else file  # else it is an option
