"""Importers: published files and files of users, as cases.

`import_paths` takes files and folders. Of a folder it looks at every regular file, in sorted order:

* it ignores hidden files and folders (`.git`, `.part-0.parquet.crc`), as Spark and Hive do;
* a file becomes a case if it has the magic number of Parquet or ORC, or a suffix of theirs;
* every other file is `Skipped`, with a reason for its line in the results; `_metadata` and
  `_common_metadata`, Parquet footers whose column chunks are in other files, are skipped too.

A missing path, a folder without files, and a single file, or only files, that cannot be used raise
`ImportProblem`. Links are followed; a folder is entered once. The importer recognises files of a checkout of
apache/parquet-testing (`parquet_testing.py`) and of apache/orc's examples (`orc_examples.py`) wherever they
are, and cases stored next to their files, as in this project's own corpus (`checkouts.py`). The pairs of
parquet-testing's `variant` become Parquet files (`variant_pairs.py`). No record states the values of other
files, so their expectation is a vote, unless a file clearly is not Parquet. A record that is damaged or of
another file, and a named file or one of a format's name that cannot be used, is skipped as `unusable`.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from corpora import quarantine
from corpora.cases import USER_FILES, Case, Expectation, case_id
from corpora.files import digest
from corpora.formats import BY_SUFFIX, PARQUET
from corpora.importers import orc_examples, parquet_testing
from corpora.importers.checkouts import SUFFIX, Checkout, Finder, is_record, record_of, recorded_case
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
    files = _without_records(_unique(map(Path, paths)))
    items = [(listed, item) for listed in files for item in _import(listed, finders, identify)]
    for (listed, item), wanted in zip(items, _distinct_ids(items), strict=True):
        identity = _free_id(wanted, listed, by_id)
        named = replace(item, id=identity) if isinstance(item, Case) else item._replace(id=identity)
        by_id[identity] = named
    cases = tuple(item for item in by_id.values() if isinstance(item, Case))
    skipped = tuple(item for item in by_id.values() if isinstance(item, Skipped))
    unusable = next((item for item in skipped if item.unusable), None)
    is_one_file = len(paths) == 1 and not Path(paths[0]).is_dir()
    if unusable is not None and (is_one_file or not cases):
        raise ImportProblem(f"{unusable.file}: {unusable.reason}")
    return Imported(cases, skipped)


def _unique(paths: Iterator[Path]) -> Iterator[Listed]:
    """Yield each file once, whatever the order of the paths: as given, else below the outermost path."""
    files: dict[str, Listed] = {}
    for path in paths:
        for listed in walk(path):
            absolute = os.path.abspath(listed.file)  # noqa: PTH100 - resolve() would follow links
            files[absolute] = min(files.get(absolute, listed), listed, key=_precedence)
    yield from files.values()


def _precedence(listed: Listed) -> tuple[bool, int]:
    return not listed.named, len(listed.root.absolute().parts)


def _without_records(listed_files: Iterator[Listed]) -> Iterator[Listed]:
    """Leave out records that are named together with the file that they are about, as `*` does in a shell."""
    every = list(listed_files)
    files = {os.path.abspath(listed.file) for listed in every}  # noqa: PTH100 - as in `_unique`
    for listed in every:
        is_named = listed.named and listed.file.suffix == SUFFIX
        beside = (os.path.abspath(listed.file.with_suffix(suffix)) for suffix in BY_SUFFIX)  # noqa: PTH100
        if not (is_named and any(path in files for path in beside) and is_record(listed.file)):
            yield listed


def _import(listed: Listed, finders: _Finders, identify: Callable[[Path], str]) -> Iterator[Case | Skipped]:
    """Yield a file as a case or as skipped; nothing for a file that belongs to another file.

    What is recorded next to a file and cannot be used is skipped, and the file itself judged by vote.
    """
    checkout: Checkout | None = next(filter(None, (finder.of(listed.file) for finder in finders)), None)
    if checkout is None:
        yield from _of_own(listed, identify)
        return
    if isinstance(checkout, parquet_testing.Checkout):
        if checkout.is_part(listed.file) and not listed.named:
            return
        if wrapped := checkout.wrapped(listed.file):
            yield wrapped
            return
    identity = case_id(checkout.namespace, *listed.file.absolute().relative_to(checkout.root).parts)
    item = _classified(identity, listed, identify)
    if isinstance(item, Skipped):
        yield item._replace(reason=checkout.skip_reason(listed.file, item.reason))
    else:
        yield checkout.described(item)


def _of_own(listed: Listed, identify: Callable[[Path], str]) -> Iterator[Case | Skipped]:
    identity = case_id(USER_FILES.rstrip("/"), *listed.segments)
    record = record_of(listed.file) if listed.file.suffix == SUFFIX and not listed.named else None
    if record is not None:
        if record.wrong:
            yield Skipped(identity, listed.file, record.wrong, unusable=True)
        return
    item = _classified(identity, listed, identify)
    if isinstance(item, Skipped):
        yield item
        return
    case, wrong = recorded_case(item, is_digest=identify is digest)
    if wrong and (case.notes or listed.named):  # else the record says so itself, where it is listed
        advice = "; restore it, or move it away" if listed.named else ""
        yield Skipped(f"{identity}{SUFFIX}", listed.file.with_suffix(SUFFIX), wrong + advice, unusable=True)
    entry = quarantine.of(case) if case is not item else None
    yield case if entry is None else Skipped(case.id, case.file, str(entry), quarantined=True)


def _classified(identity: str, listed: Listed, identify: Callable[[Path], str]) -> Case | Skipped:
    """Return a file as a case without recorded values, or as skipped."""
    is_wanted = listed.named or listed.file.name.lower().endswith(tuple(BY_SUFFIX))
    try:
        detected = classify(listed.file)
        if isinstance(detected, str):
            return Skipped(identity, listed.file, detected, unusable=is_wanted)
        sha256 = identify(listed.file)
    except OSError as error:
        return Skipped(identity, listed.file, f"cannot be read: {error.strerror}", unusable=is_wanted)
    expected = _expected(detected)
    return Case(
        identity,
        detected.format,
        listed.file.absolute(),
        sha256,
        expected,
        spec=expected.clause or "",
        source=expected.source,
    )


def _expected(detected: Detected) -> Expectation:
    if detected.format == PARQUET and not detected.has_footer:
        return Expectation.refuse(clause=_NO_FOOTER)
    return Expectation.by_vote()


def _distinct_ids(items: Sequence[tuple[Listed, Case | Skipped]]) -> list[str]:
    """Return the ids of files, those of own files of one name with as many folders as tell them apart.

    All of them, not all but the first: which file an id means does not depend on the order of the paths.
    """
    identities = [item.id for _, item in items]
    alike = {name for name, count in Counter(identities).items() if count > 1 and name.startswith(USER_FILES)}
    depth = 0
    while alike and depth < max(len(listed.folder.parts) for listed, _ in items):
        depth += 1
        for at, (listed, item) in enumerate(items):
            if identities[at] in alike:
                folders = listed.folder.parts[1:][-depth:]
                identities[at] = case_id(USER_FILES.rstrip("/"), *folders, *listed.segments)
                if isinstance(item, Skipped) and item.id.endswith(f"{listed.file.name}{SUFFIX}"):
                    identities[at] += SUFFIX  # of a record beside a file
        counts = Counter(identities)
        alike = {name for name in identities if counts[name] > 1 and name.startswith(USER_FILES)}
    return identities


def _free_id(identity: str, listed: Listed, taken: Container[str]) -> str:
    """Return an id that no other file has: two given folders may each contain a file of the same name."""
    name = listed.root.absolute().name or "root"
    number = 1
    while identity in taken:
        prefix = name if number == 1 else f"{name}~{number}"
        identity = case_id(USER_FILES.rstrip("/"), prefix, *listed.segments)
        number += 1
    return identity
