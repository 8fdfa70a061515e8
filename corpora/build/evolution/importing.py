"""Table cases of a path: those that are recorded below it, or one folder of which nothing is recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from corpora import quarantine
from corpora.build.evolution import own
from corpora.cases import FORMATS, USER_TABLES, Case, CaseError, Expectation, case_id, load
from corpora.features import TABLES
from corpora.files import check_regular
from corpora.folders import digest, files_of, hidden_in
from corpora.importers import Imported, ImportProblem, Skipped
from corpora.importers.checkouts import MAX_BYTES, may_be_case
from corpora.tagged import Field


def import_tables(
    paths: Sequence[str],
    *,
    undefined: bool = False,
    declared: Mapping[str, Sequence[Field]] = MappingProxyType({}),
) -> Imported:
    """Return the table cases of paths: of a JSON file, of the JSON files below a folder, or of the folder.

    A folder without recorded cases is one table of the files in it, and is read with the schema that is
    `declared` for its path, too. What no text
    defines the result of is skipped, unless `undefined`: two versions of a reader can still be compared.
    A folder that is no table is skipped as `unusable`. Raises ImportProblem, also if the only path is one, or
    all are.
    """
    cases: dict[str, Case] = {}
    skipped: list[Skipped] = []
    for given in paths:
        path = Path(given).absolute()  # a run that is resumed elsewhere has the same paths
        for case in _cases(path, undefined=undefined, declared=declared.get(given, ())):
            if isinstance(case, Skipped):
                skipped.append(case)
                continue
            identity = case.id
            if identity in cases:
                identity = f"{identity}~{sum(each.startswith(identity) for each in cases) + 1}"
            cases[identity] = replace(case, id=identity)
    unusable = next((skip for skip in skipped if skip.unusable), None)
    if unusable is not None and (len(paths) == 1 or not cases):
        raise ImportProblem(f"{unusable.file}: {unusable.reason}")
    return Imported(tuple(cases.values()), tuple(skipped))


def _cases(path: Path, *, undefined: bool, declared: Sequence[Field]) -> Iterator[Case | Skipped]:
    try:
        records = [path] if path.suffix == ".json" else _records(path)
        for record in records:
            check_regular(record)
        recorded = [load(record) for record in records]
    except CaseError as error:
        raise ImportProblem(str(error)) from error
    except OSError as error:
        raise ImportProblem(f"{path}: {error.strerror}") from error
    tables = [case for case in recorded if case.read is not None]
    for case in tables:
        if digest(case.file) != case.sha256:
            raise ImportProblem(f"{case.file}: the files differ from those of the case {case.id}")
    if tables and declared:
        raise ImportProblem(f"{path}: table cases have schemas of their own, and none can be declared")
    if tables:
        for case in tables:
            entry = quarantine.of(case)
            yield case if entry is None else Skipped(case.id, case.file, str(entry), quarantined=True)
        return
    if not path.exists():
        raise ImportProblem(f"{path}: there is no such folder or file")
    if not path.is_dir():
        raise ImportProblem(f"{path}: neither a folder nor a table case")
    yield from _of_folder(path, undefined=undefined, declared=declared)


def _records(folder: Path) -> list[Path]:
    """Return the JSON files below a folder that are cases, also damaged ones; raises OSError."""
    visible = [
        path
        for path in sorted(folder.rglob("*.json"))
        if not any(part[0] in "_." for part in path.relative_to(folder).parts) and not path.is_dir()
    ]
    if not any(map(_may_be_case, visible)):
        return []
    # Beside cases, what cannot be opened or is the beginning of one is a damaged case.
    return [path for path in visible if not path.is_file() or _may_be_case(path, is_beside=True)]


def _may_be_case(path: Path, *, is_beside: bool = False) -> bool:
    is_small = path.is_file() and path.stat().st_size <= MAX_BYTES
    return is_small and may_be_case(path.read_bytes(), is_beside=is_beside)


def _of_folder(folder: Path, *, undefined: bool, declared: Sequence[Field]) -> Iterator[Case | Skipped]:
    """Yield the cases of a folder of which nothing is recorded; the engines vote."""
    table = case_id(USER_TABLES.rstrip("/"), folder.absolute().name)
    count = Counter(file.suffix.removeprefix(".") for file in files_of(folder))
    formats = [name for name in FORMATS if count[name]]
    if len(formats) != 1:
        yield Skipped(table, folder, _why_no_table(folder, formats, count.total()), unusable=True)
        return
    (format_,) = formats
    doubt, refusal = own.doubts(folder, format_), own.refusal(folder)
    sha256 = digest(folder)
    any_read = False
    for each in own.reads(folder, format_, declared):
        any_read = True
        identity = case_id(table, each.name)
        if (doubt or each.undefined) and not undefined:
            yield Skipped(identity, folder.absolute(), doubt or each.undefined, is_read=True)
            continue
        yield Case(
            identity,
            format_,
            folder.absolute(),
            sha256,
            replace(Expectation.by_vote(), reason=each.optional or refusal or None),
            features=(TABLES[format_],),
            read=each.read,
        )
    if not any_read:
        why = "the reference can open none of its files; see `colconf validate`"
        yield Skipped(table, folder, why, unusable=True)


def _why_no_table(folder: Path, formats: Sequence[str], files: int) -> str:
    """Return why a folder with so many visible files, of these formats by their names, is no table."""
    if formats:
        return f"a table has files of one format, and this folder has {' and '.join(formats)}"
    suffixes = tuple(f".{name}" for name in FORMATS)
    hidden = next((path for path in hidden_in(folder) if path.name.endswith(suffixes)), None)
    if hidden is not None:
        where = f"{hidden.relative_to(folder)} is hidden, or in a hidden folder"
        return f"a table has visible files; {where}: some readers read it, others do not"
    mend = ": name them so, in a copy" if files else ""
    wanted = " or ".join(f"*{suffix}" for suffix in suffixes)
    return f"a table has files of one format, and this folder has no files called {wanted}{mend}"
