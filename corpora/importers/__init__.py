"""Importers: published files and files of users, as cases.

`import_paths` takes files and folders. Of a folder it looks at every regular file, in sorted order:

* it ignores hidden files and folders (`.git`, `.part-0.parquet.crc`), as Spark and Hive do;
* a file becomes a case if it has the magic number of Parquet or ORC, or a suffix of theirs;
* every other file is `Skipped`, with a reason for its line in the results; `_metadata` and
  `_common_metadata`, Parquet footers whose column chunks are in other files, are skipped too.

A missing path, a folder without files, and a named file that is neither Parquet nor ORC raise
`ImportProblem`. Links are followed; a folder is entered once. The importer recognises files of a checkout of
apache/parquet-testing (`parquet_testing.py`) and of apache/orc's examples (`orc_examples.py`) wherever they
are, and cases stored next to their files, as in this project's own corpus (`checkouts.py`). The pairs of
parquet-testing's `variant` become Parquet files (`variant_pairs.py`). No record states the values of other
files, so their expectation is a vote, unless a file clearly is not Parquet.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from corpora.cases import Case, Expectation, case_id
from corpora.files import digest
from corpora.formats import PARQUET
from corpora.importers import orc_examples, parquet_testing
from corpora.importers.checkouts import Checkout, Finder, is_record, recorded_case
from corpora.importers.files import Detected, ImportProblem, Listed, Skipped, classify, walk

_Finders = tuple[Finder[Any], ...]

__all__ = ["ImportProblem", "Imported", "Skipped", "import_path", "import_paths"]

_NO_FOOTER = "README.md, File format: the file ends with the footer, its length and the magic number PAR1"


@dataclass(frozen=True)
class Imported:
    """The cases and skipped files of an import, sorted within each given path."""

    cases: tuple[Case, ...]
    skipped: tuple[Skipped, ...]


def import_path(path: Path | str) -> Imported:
    """Return the cases of a file or folder; raises ImportProblem."""
    return import_paths([path])


def import_paths(paths: Sequence[Path | str], identify: Callable[[Path], str] = digest) -> Imported:
    """Return the cases of files and folders, each file and each id once; raises ImportProblem.

    `identify` returns the identity of a file's content, by default the SHA-256 of the whole file.
    """
    by_id: dict[str, Case | Skipped] = {}
    finders: _Finders = (parquet_testing.finder(), orc_examples.finder())
    for listed in _unique(map(Path, paths)):
        item = _import(listed, finders, identify)
        if item is None:
            continue
        identity = _free_id(item.id, listed, by_id)
        by_id[identity] = replace(item, id=identity) if isinstance(item, Case) else item._replace(id=identity)
    items = by_id.values()
    return Imported(
        tuple(item for item in items if isinstance(item, Case)),
        tuple(item for item in items if isinstance(item, Skipped)),
    )


def _unique(paths: Iterator[Path]) -> Iterator[Listed]:
    seen: set[str] = set()
    for path in paths:
        for listed in walk(path):
            absolute = os.path.abspath(listed.file)  # noqa: PTH100 - resolve() would follow links
            if absolute not in seen:
                seen.add(absolute)
                yield listed


def _import(listed: Listed, finders: _Finders, identify: Callable[[Path], str]) -> Case | Skipped | None:
    """Return a file as a case or as skipped; None for a file that belongs to another file."""
    if not listed.named and is_record(listed.file):
        return None
    checkout: Checkout | None = next(filter(None, (finder.of(listed.file) for finder in finders)), None)
    if isinstance(checkout, parquet_testing.Checkout):
        if checkout.is_part(listed.file) and not listed.named:
            return None
        if wrapped := checkout.wrapped(listed.file):
            return wrapped
    if checkout is None:
        identity = case_id("files", *listed.segments)
    else:
        identity = case_id(checkout.namespace, *listed.file.absolute().relative_to(checkout.root).parts)
    try:
        detected = classify(listed)
        if isinstance(detected, str):
            reason = detected if checkout is None else checkout.skip_reason(listed.file, detected)
            return Skipped(identity, listed.file, reason)
        sha256 = identify(listed.file)
    except OSError as error:
        if listed.named:
            raise ImportProblem(f"{listed.file}: {error.strerror}") from error
        return Skipped(identity, listed.file, f"cannot be read: {error.strerror}")
    expected = _expected(detected)
    case = Case(
        identity,
        detected.format,
        listed.file.absolute(),
        sha256,
        expected,
        spec=expected.clause or "",
        source=expected.source,
    )
    return recorded_case(case) if checkout is None else checkout.described(case)


def _expected(detected: Detected) -> Expectation:
    if detected.format == PARQUET and not detected.has_footer:
        return Expectation.refuse(clause=_NO_FOOTER)
    return Expectation.by_vote()


def _free_id(identity: str, listed: Listed, taken: Container[str]) -> str:
    """Return an id that no other file has: two given folders may each contain a file of the same name."""
    name = listed.root.absolute().name or "root"
    number = 1
    while identity in taken:
        prefix = name if number == 1 else f"{name}~{number}"
        identity = case_id("files", prefix, *listed.segments)
        number += 1
    return identity
