"""Partitioned folders as one table: Hive's `key=value` folders below a root, whose names are columns."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from corpora.cases import Case, Expectation, case_id

_PARTITION = re.compile(r"[^=/]+=[^/]*")


def tables(paths: Iterable[str], cases: Sequence[Case]) -> list[Case]:
    """Return a case for each partitioned table that holds any of the cases, below one of the paths.

    Its file is the folder, its digest one of the names and digests of all its files. Engines vote on what it
    means, and the reference, which reads files only, has no voice.
    """
    held: dict[Path, list[Case]] = {}
    for case in cases:
        root = _root(case.file, [Path(path).absolute() for path in paths])
        if root is not None:
            held.setdefault(root, []).append(case)
    return [_case(root, inside) for root, inside in sorted(held.items()) if _is_one_format(inside)]


def _root(file: Path, above: Sequence[Path]) -> Path | None:
    """Return the folder whose partitions a file is in: the one above the topmost `key=value`."""
    for given in above:
        if given.is_dir() and file.is_relative_to(given):
            parts = file.relative_to(given).parts[:-1]
            at = next((at for at, part in enumerate(parts) if _PARTITION.fullmatch(part)), None)
            return None if at is None else given.joinpath(*parts[:at])
    return None


def _is_one_format(cases: Sequence[Case]) -> bool:
    return len({case.format for case in cases}) == 1


def _case(root: Path, inside: Sequence[Case]) -> Case:
    digest = hashlib.sha256()
    for case in sorted(inside, key=lambda case: str(case.file)):
        digest.update(f"{case.file.relative_to(root)}\0{case.sha256}\n".encode("utf-8", "surrogateescape"))
    name = case_id("tables", *root.parts[-2:] if len(root.parts) > 2 else root.parts[-1:])
    return Case(name, inside[0].format, root, digest.hexdigest(), Expectation.by_vote())
