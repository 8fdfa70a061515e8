"""Writing the site into a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from corpora.files import UNFINISHED, write_whole
from corpora.known_failures import Entry
from harness.problem import Problem
from reports.html import asset
from reports.site.collect import collect, folders_of
from reports.site.pages import Page, Pages

_MARK = ".colconf-site"  # names a folder as one of ours, which may be written again


class Written(NamedTuple):
    """What was written: the number of runs, of pages and of bytes."""

    runs: int
    pages: int
    size: int


def write(outs: Sequence[Path], history: Path | None, out: Path, entries: Sequence[Entry]) -> Written:
    """Write the site of runs into `out`; pages of an earlier site that are no more are removed.

    Raises ResultsError where there are no runs, Problem for a folder that is not empty and no site, OSError.
    """
    folders = folders_of(outs)
    _prepare(out)
    pages = Pages(collect(folders, entries), entries, history)
    size, names = 0, {_MARK}
    for page in [*_assets(), *pages.every()]:
        content = page.content.encode("utf-8") if isinstance(page.content, str) else page.content
        path = out / page.address
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content, durable=False)
        names.add(page.address)
        size += len(content)
    _sweep(out, names)
    return Written(len(folders), len(names) - 1, size)


def _assets() -> list[Page]:
    style = "\n".join((asset("report.css"), asset("site/site.css")))
    return [
        Page("assets/site.css", style),
        Page("assets/site.js", asset("tables.js") + asset("site/site.js")),
    ]


def _prepare(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise Problem(f"{out}: is not a folder")
    out.mkdir(parents=True, exist_ok=True)
    if any(out.iterdir()) and not (out / _MARK).exists():
        raise Problem(f"{out}: is not empty, and no site of colconf: name another folder")
    write_whole(out / _MARK, "", durable=False)


def _sweep(out: Path, names: set[str]) -> None:
    """Remove the files of an earlier site that this one does not have, and folders that are empty then."""
    for path in sorted(out.rglob("*"), reverse=True):
        if path.is_dir() and not path.is_symlink():
            if not any(path.iterdir()):
                path.rmdir()
        elif path.relative_to(out).as_posix() not in names or path.name.endswith(UNFINISHED):
            path.unlink()
