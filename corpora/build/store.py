"""Built cases: written into a folder, compared with a folder, and checked with the reference."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from corpora import rules
from corpora.build import probes, structs
from corpora.build.formats import FORMATS, Format
from corpora.build.make import BuiltCase
from corpora.cases import Case, CaseError, dump, load
from corpora.files import write_whole
from corpora.queries import Filter, QueryError
from corpora.tagged import Table
from reference_impl.errors import Malformed, ReferenceError_


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
    expected: set[Path] = set()
    for built in cases:
        file = folder / built.path
        json = file.with_suffix(".json")
        expected |= {file, json}
        if not file.is_file():
            yield f"{built.path}: missing; run colconf corpus build"
            continue
        data = file.read_bytes()
        if not _same(built, data):
            yield f"{built.path}: differs from the output of colconf corpus build"
        try:
            if load(json) != built.at(folder, data):
                yield f"{json.relative_to(folder)}: differs from the output of colconf corpus build"
        except CaseError as error:
            yield str(error)
    for path in _files(folder):
        if path not in expected:
            yield f"{path.relative_to(folder)}: no recipe builds this file"


def _same(built: BuiltCase, data: bytes) -> bool:
    return FORMATS[built.case.format].same(data, built.data)


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


Read = Callable[..., Table]  # takes a file, its format, and its keys if it has any


def problems(built: Iterable[BuiltCase], read: Read, form: Format, folder: Path) -> Iterator[str]:
    """Yield a line for each problem of the corpus of a format in `folder`.

    `built` are the cases of all recipes; `read` is the reference reader.
    """
    yield from differences(built, folder)
    reached: set[str] = set()
    paths = sorted(folder.rglob("*.json"))
    for path in paths:
        try:
            case = load(path)
        except CaseError:
            continue  # reported by corpora.lint
        if not case.file.is_file():
            continue  # reported by corpora.lint
        yield from (f"{path.relative_to(folder)}: {line}" for line in _case(case, read))
        reached |= set(_reached(case))
    yield from (f"{form.name}: {line}" for line in _coverage(form, reached))
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    if size > form.most_bytes:
        yield f"{folder.name}: {size} bytes together, more than {form.most_bytes}"
    if len(paths) < form.least_cases:
        yield f"{folder.name}: {len(paths)} cases, fewer than {form.least_cases}"


def _coverage(form: Format, reached: set[str]) -> Iterator[str]:
    try:
        needed = form.required(rule for rule in rules.load() if rule.startswith(form.rules))
        yield from structs.gaps(needed, reached, structs.waivers(form.waivers))
    except CaseError as error:
        yield str(error)


def _case(case: Case, read: Read) -> Iterator[str]:
    """Yield the differences between a case and the values that the reference reads, probes included."""
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


def _reached(case: Case) -> Iterator[str]:
    if case.expectation.rule:
        yield f"rule/{case.expectation.rule}"
    if case.expectation.kind == "refuse":
        return
    try:
        yield from FORMATS[case.format].reached(case.file, case.keys)
    except ReferenceError_:
        return  # an unreadable file reaches no item
