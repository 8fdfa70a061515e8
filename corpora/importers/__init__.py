"""Importers: files that others wrote, as cases.

`import_paths` takes files and folders. Below a folder every regular file is looked at, in sorted order:

* hidden files and folders (`.git`, `.part-0.parquet.crc`) are passed over, as Spark and Hive do;
* a file is judged if it has the magic of Parquet or ORC, or a name that says it should (`files.SUFFIXES`);
* every other file is `Skipped`, with a reason, so that the results can have a line for it: also `_metadata`
  and `_common_metadata`, which are Parquet footers whose column chunks are in other files.

A path that is not there, a folder without files, and a file given by name that is neither Parquet nor ORC,
are an `ImportProblem`. Links are followed; a folder is entered once. Files of a checkout of
apache/parquet-testing (`parquet_testing.py`) and of apache/orc's examples (`orc_examples.py`) are recognised
wherever they are met, and so are cases that lie beside their files, as in this project's own corpus
(`recorded.py`). The pairs of parquet-testing's `variant` become Parquet files (`variant_pairs.py`). Every
other file has no recorded meaning, so its expectation is a vote, unless it plainly is no Parquet file at all.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpora.cases import Case, Expectation, case_id
from corpora.importers import orc_examples, parquet_testing, recorded
from corpora.importers.files import Found, ImportProblem, Skipped, classify, digest, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Sequence

    from corpora.importers.checkouts import Described, Finder
    from corpora.importers.files import Kind

    _Finders = tuple[Finder[Any], ...]

__all__ = ["ImportProblem", "Imported", "Skipped", "import_path", "import_paths"]

_NO_FOOTER = "README.md, File format: the file ends with the footer, its length and the magic number PAR1"


@dataclass(frozen=True)
class Imported:
    """What was found: cases and skipped files, in sorted order within each path given."""

    cases: tuple[Case, ...]
    skipped: tuple[Skipped, ...]


def import_path(path: Path | str) -> Imported:
    """Import one file or folder; raises ImportProblem."""
    return import_paths([path])


def import_paths(paths: Sequence[Path | str], identify: Callable[[Path], str] = digest) -> Imported:
    """Import files and folders, each file once, every id once; raises ImportProblem.

    `identify` answers what stands for a file's content, by default the SHA-256 of all of it.
    """
    made: dict[str, Case | Skipped] = {}
    finders: _Finders = (parquet_testing.finder(), orc_examples.finder())
    for found in _once(map(Path, paths)):
        item = _import(found, finders, identify)
        if item is None:
            continue
        identity = _free_id(item.id, found, made)
        made[identity] = replace(item, id=identity) if isinstance(item, Case) else item._replace(id=identity)
    items = made.values()
    return Imported(
        tuple(item for item in items if isinstance(item, Case)),
        tuple(item for item in items if isinstance(item, Skipped)),
    )


def _once(paths: Iterator[Path]) -> Iterator[Found]:
    seen: set[str] = set()
    for path in paths:
        for found in walk(path):
            absolute = os.path.abspath(found.file)  # noqa: PTH100 - resolve() would follow links
            if absolute not in seen:
                seen.add(absolute)
                yield found


def _import(found: Found, finders: _Finders, identify: Callable[[Path], str]) -> Case | Skipped | None:
    """Return a file as a case, or why it is none; None for what belongs to the file beside it."""
    if not found.named and recorded.is_record(found.file):
        return None
    checkout: Described | None = next(filter(None, (finder.of(found.file) for finder in finders)), None)
    if isinstance(checkout, parquet_testing.Checkout):
        if checkout.is_part(found.file) and not found.named:
            return None
        if wrapped := checkout.wrapped(found.file):
            return wrapped
    if checkout is None:
        identity = case_id("files", *found.segments)
    else:
        identity = case_id(checkout.namespace, *found.file.absolute().relative_to(checkout.root).parts)
    try:
        kind = classify(found)
        if isinstance(kind, str):
            reason = kind if checkout is None else checkout.skip_reason(found.file, kind)
            return Skipped(identity, found.file, reason)
        sha256 = identify(found.file)
    except OSError as error:
        if found.named:
            raise ImportProblem(f"{found.file}: {error.strerror}") from error
        return Skipped(identity, found.file, f"cannot be read: {error.strerror}")
    expected = _expected(kind)
    case = Case(
        identity,
        kind.format,
        found.file.absolute(),
        sha256,
        expected,
        spec=expected.clause or "",
        source=expected.source,
    )
    return recorded.described(case) if checkout is None else checkout.described(case)


def _expected(kind: Kind) -> Expectation:
    if kind.format == "parquet" and not kind.has_footer:
        return Expectation.refuse(clause=_NO_FOOTER)
    return Expectation.by_vote()


def _free_id(identity: str, found: Found, taken: Container[str]) -> str:
    """Return an id that no other file has: two folders given may each hold a file of the same name."""
    name = found.root.absolute().name or "root"
    number = 1
    while identity in taken:
        prefix = name if number == 1 else f"{name}~{number}"
        identity = case_id("files", prefix, *found.segments)
        number += 1
    return identity
