"""Built cases: written into a folder, compared with a folder, and checked with the reference."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from corpora import rules
from corpora.build import probes, structs
from corpora.build.formats import FORMATS, Format
from corpora.build.make import BuiltCase
from corpora.cases import Case, CaseError, dump, load
from corpora.files import write_whole
from corpora.queries import Filter, QueryError
from corpora.tagged import Table
from reference_impl.errors import Malformed, ReferenceError_

_SHA256 = re.compile(rb'"sha256": "([0-9a-f]{64})"')


def write(cases: Iterable[BuiltCase], folder: Path) -> int:
    """Write the files of a format's cases, remove all other files, and return the number of cases.

    A file that differs only in its compression stays unchanged.
    """
    expected: set[Path] = set()
    for built in cases:
        file = folder / built.path
        json = file.with_suffix(".json")
        data = file.read_bytes() if file.is_file() else None
        file.parent.mkdir(parents=True, exist_ok=True)
        if data is None or not _same(built, data):
            write_whole(file, built.data, durable=False)  # made again by the same command
            data = built.data
        dump(built.at(folder, data), json, durable=False)
        expected |= {file, json}
    for path in _files(folder):
        if path not in expected:
            path.unlink()
    return len(expected) // 2


def differences(cases: Iterable[BuiltCase], folder: Path) -> Iterator[str]:
    """Yield a line for each file in `folder` that differs from the built cases."""
    paths: list[PurePosixPath] = []
    for built in cases:
        paths.append(built.path)
        yield from difference(built, folder)
    yield from left_over(paths, folder)


def difference(built: BuiltCase, folder: Path) -> Iterator[str]:
    """Yield a line for each file of a built case that is missing in `folder` or differs there."""
    file = folder / built.path
    json = file.with_suffix(".json")
    if not file.is_file():
        yield f"{built.path}: missing; run colconf corpus build"
        return
    data = file.read_bytes()
    if not _same(built, data):
        yield f"{built.path}: differs from the output of colconf corpus build"
    try:
        if load(json) != built.at(folder, data):
            yield f"{json.relative_to(folder)}: differs from the output of colconf corpus build"
    except CaseError as error:
        yield str(error)


def left_over(paths: Iterable[PurePosixPath], folder: Path) -> Iterator[str]:
    """Yield a line for each file in `folder` that is not of a case whose file has one of these paths."""
    expected: set[Path] = set()
    for path in paths:
        expected |= {folder / path, (folder / path).with_suffix(".json")}
    for file in _files(folder):
        if file not in expected:
            yield f"{file.relative_to(folder)}: no recipe builds this file"


def _same(built: BuiltCase, data: bytes) -> bool:
    return FORMATS[built.case.format].same(data, built.data)


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


Read = Callable[..., Table]  # takes a file, its format, and its keys if it has any


class Stored(NamedTuple):
    """A case of a folder, and the items of coverage that its file reaches before the reader refuses it."""

    case: Case
    items: frozenset[str]


def stored(form: Format, folder: Path) -> Iterator[Stored]:
    """Yield the cases of a format in `folder`, except those that `corpora.lint` reports as unreadable."""
    for path in sorted(folder.rglob("*.json")):
        try:
            case = load(path)
        except CaseError:
            continue
        if case.file.is_file():
            yield Stored(case, frozenset(_items(case, form)))


def _items(case: Case, form: Format) -> Iterator[str]:
    try:
        yield from form.reached(case.file, case.keys)
    except ReferenceError_:
        return  # the file contains the items up to here


def problems(built: Iterable[BuiltCase], read: Read, form: Format, folder: Path) -> Iterator[str]:
    """Yield a line for each problem of the corpus of a format in `folder`.

    `built` are the cases of all recipes; `read` is the reference reader.
    """
    yield from differences(built, folder)
    corpus = list(stored(form, folder))
    for entry in corpus:
        yield from misread(entry.case, read, folder)
    yield from uncovered(corpus, form)
    yield from misshapen(form, folder)


def digest(folder: Path) -> str:
    """Return the number of cases in a folder, and a digest of their ids and of their files."""
    lines = []
    for path in folder.rglob("*.json"):
        of_file = _SHA256.search(path.read_bytes())
        name = path.relative_to(folder).as_posix()
        lines.append(f"{name} {of_file[1].decode() if of_file else ''}\n")
    return f"{len(lines)} cases, {hashlib.sha256(''.join(sorted(lines)).encode()).hexdigest()[:16]}"


def misshapen(form: Format, folder: Path) -> Iterator[str]:
    """Yield a line if a corpus is too large, or has too few cases."""
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    if size > form.most_bytes:
        yield f"{folder.name}: {size} bytes together, more than {form.most_bytes}"
    count = sum(1 for _ in folder.rglob("*.json"))
    if count < form.least_cases:
        yield f"{folder.name}: {count} cases, fewer than {form.least_cases}"


def uncovered(corpus: Iterable[Stored], form: Format) -> Iterator[str]:
    """Yield a line for each item that no legal file of a corpus reaches, and for each needless waiver."""
    reached: set[str] = set()
    for case, items in corpus:
        if case.expectation.rule:
            reached.add(f"rule/{case.expectation.rule}")
        if case.expectation.kind != "refuse":
            reached |= items
    try:
        needed = form.required(rule for rule in rules.load() if rule.startswith(form.rules))
        lines = list(structs.gaps(needed, reached, structs.waivers(form.waivers)))
    except CaseError as error:
        lines = [str(error)]
    yield from (f"{form.name}: {line}" for line in lines)


def misread(case: Case, read: Read, folder: Path) -> Iterator[str]:
    """Yield a line for each difference between a case and what the reference reads, probes included."""
    path = case.file.relative_to(folder).with_suffix(".json")
    yield from (f"{path}: {line}" for line in _misread(case, read))


def _misread(case: Case, read: Read) -> Iterator[str]:
    expectation = case.expectation
    try:
        table = read(str(case.file), case.format, *([] if case.keys is None else [case.keys]))
    except ReferenceError_ as error:
        # The error's rule is not compared: a type may be wrong for its column and for its encoding.
        is_refusal = isinstance(error, Malformed) or error.rule == expectation.rule
        if expectation.kind == "accept" or (expectation.kind == "refuse" and not is_refusal):
            yield f"expects {expectation.kind}, but the reference says: {error}"
        return
    if expectation.kind == "refuse":
        yield f"breaks {expectation.rule}, but the reference reads it"
    elif expectation.table is not None and expectation.table.to_json() != table.to_json():
        yield "the reference reads other values"
    for probe in case.probes:
        if isinstance(probe.query, Filter):
            try:
                if probes.rows(probe.query, table) != probe.rows:
                    yield f"{probe.query} has other rows"
            except QueryError as error:
                yield f"{probe.query}: {error}"
