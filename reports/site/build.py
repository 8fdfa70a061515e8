"""Writing the site into a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from corpora.cases import FORMATS
from corpora.files import write_whole
from corpora.known_failures import Entry
from harness.investigate.findings.upstream import State
from harness.judging.results import load
from harness.problem import Problem
from reports.html import asset
from reports.site.collect import collect, folders_of
from reports.site.model import Site
from reports.site.pages import Page, Pages, StatusOfRuns
from reports.site.runs import Run
from reports.status import build as build_status
from reports.status_model import Matrix, Status

_MARK = ".colconf-site"  # the addresses that were written, in a folder that may be written again


class Written(NamedTuple):
    """The written output: the number of runs, of pages and of bytes."""

    runs: int
    pages: int
    size: int


def write(
    outs: Sequence[Path],
    history: Path | None,
    out: Path,
    entries: Sequence[Entry],
    upstream: Mapping[str, State] = MappingProxyType({}),
) -> Written:
    """Write the site of runs into `out`; pages that an earlier call wrote and this one lacks are removed.

    `upstream` has the states of issues by their address.

    Raises ResultsError where there are no runs, Problem for a folder that is not empty and no site, OSError.
    """
    folders = folders_of(outs)
    before = _prepare(out)
    site = collect(folders, entries)
    pages = Pages(site, entries, history, _status(folders, site), upstream)
    size, names = 0, set[str]()
    for page in [*_assets(), *pages.every()]:
        content = page.content.encode("utf-8") if isinstance(page.content, str) else page.content
        path = out / page.address
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content, durable=False)
        names.add(page.address)
        size += len(content)
    _sweep(out, before - names)
    write_whole(out / _MARK, "".join(f"{name}\n" for name in sorted(names)), durable=False)
    return Written(len(folders), len(names), size)


def _status(folders: Sequence[Path], site: Site) -> StatusOfRuns | None:
    """Return what each engine reads and writes, None if no run has this information.

    One run shows both formats if a run asked both; else each format has its own. Of several such runs it is
    the one that asked the newest versions of most engines, then the one with most versions, then the newest.
    """
    formats = sorted({format_ for run in site.runs for _, format_ in run.cells})

    newest = {versions[-1] for versions in site.engines.values()}

    def extent(place: int, format_: str) -> tuple[bool, int, int]:
        cells = site.runs[place].cells.keys()
        has_all = {name for _, name in cells} >= set(formats)
        versions = [version for version, name in cells if name == format_ or has_all]
        return has_all, len(newest.intersection(versions)), len(versions)

    matrices, runs = list[Matrix](), dict[str, Run]()
    for format_ in formats:
        widest = max((extent(place, format_), place) for place in range(len(site.runs)))[1]
        status = build_status(load(folders[widest], streamed=True))
        matrices += [matrix for matrix in status.matrices if matrix.format == format_]
        runs[format_] = site.runs[widest]
    matrices.sort(key=lambda matrix: FORMATS.index(matrix.format))
    return StatusOfRuns(Status({}, tuple(matrices), claimed=False), runs) if matrices else None


def _assets() -> list[Page]:
    style = "\n".join((asset("report.css"), asset("site/site.css")))
    return [
        Page("assets/site.css", style),
        Page("assets/site.js", asset("tables.js") + asset("site/site.js")),
    ]


def _prepare(out: Path) -> set[str]:
    """Return the addresses that an earlier site wrote, by its mark, and mark the folder as one of a site."""
    if out.exists() and not out.is_dir():
        raise Problem(f"{out}: is not a folder")
    out.mkdir(parents=True, exist_ok=True)
    mark = out / _MARK
    if mark.exists():
        return set(mark.read_text("utf-8").splitlines())
    if any(out.iterdir()):
        raise Problem(f"{out}: is not empty, and no site of colconf: name another folder")
    write_whole(mark, "", durable=False)
    return set()


def _sweep(out: Path, names: set[str]) -> None:
    """Remove files that an earlier site wrote, and folders that are empty then; others are its owner's."""
    for name in sorted(names):
        path = out / name
        if not path.resolve().is_relative_to(out.resolve()):  # a mark that somebody edited
            continue
        path.unlink(missing_ok=True)
        for folder in path.relative_to(out).parents[:-1]:
            if (out / folder).is_dir() and not any((out / folder).iterdir()):
                (out / folder).rmdir()
