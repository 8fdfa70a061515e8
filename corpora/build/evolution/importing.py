"""Table cases of a path: those that are recorded below it, or one folder of which nothing is recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from corpora.build.evolution import own
from corpora.cases import FORMATS, Case, CaseError, Expectation, case_id, load
from corpora.features import TABLES
from corpora.folders import digest, files_of
from corpora.importers import Imported, ImportProblem, Skipped


def import_tables(paths: Sequence[str]) -> Imported:
    """Return the table cases of paths: of a JSON file, of the JSON files below a folder, or of the folder.

    A folder without recorded cases is one table of the files in it; raises ImportProblem. What no text
    defines the result of is skipped.
    """
    cases: dict[str, Case] = {}
    skipped: list[Skipped] = []
    for path in map(Path, paths):
        for case in _cases(path.absolute()):  # a run that is resumed elsewhere has the same paths
            if isinstance(case, Skipped):
                skipped.append(case)
                continue
            identity = case.id
            if identity in cases:
                identity = f"{identity}~{sum(each.startswith(identity) for each in cases) + 1}"
            cases[identity] = replace(case, id=identity)
    return Imported(tuple(cases.values()), tuple(skipped))


def _cases(path: Path) -> Iterator[Case | Skipped]:
    try:
        records = [path] if path.suffix == ".json" else sorted(path.rglob("*.json"))
        recorded = [load(record) for record in records if not record.name.startswith(("_", "."))]
    except CaseError as error:
        raise ImportProblem(str(error)) from error
    except OSError as error:
        raise ImportProblem(f"{path}: {error.strerror}") from error
    tables = [case for case in recorded if case.read is not None]
    for case in tables:
        if digest(case.file) != case.sha256:
            raise ImportProblem(f"{case.file}: the files differ from those of the case {case.id}")
    if tables:
        yield from tables
        return
    if not path.is_dir():
        raise ImportProblem(f"{path}: neither a folder nor a table case")
    yield from _of_folder(path)


def _of_folder(folder: Path) -> Iterator[Case | Skipped]:
    """Yield the cases of a folder of which nothing is recorded; the engines vote."""
    count = Counter(file.suffix.removeprefix(".") for file in files_of(folder))
    formats = [name for name in FORMATS if count[name]]
    if len(formats) != 1:
        content = " and ".join(formats) or "no files of Parquet or ORC"
        raise ImportProblem(f"{folder}: a table has files of one format, and this folder has {content}")
    (format_,) = formats
    sha256 = digest(folder)
    any_read = False
    for each in own.reads(folder, format_):
        any_read = True
        identity = case_id("tables", folder.absolute().name, each.name)
        if each.undefined:
            yield Skipped(identity, folder.absolute(), each.undefined)
            continue
        yield Case(
            identity,
            format_,
            folder.absolute(),
            sha256,
            replace(Expectation.by_vote(), reason=each.optional or None),
            features=(TABLES[format_],),
            read=each.read,
        )
    if not any_read:
        raise ImportProblem(f"{folder}: the reference can open none of its files; see `colconf validate`")
