"""`--keys FILE`: the keys of encrypted files, and messages about missing keys."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from corpora.cases import Case
from corpora.importers import Imported
from corpora.importers.files import Skipped
from corpora.keys import Keys, load
from harness.commands.parameters import problems
from harness.listings.text import show_line
from harness.problem import Problem
from reference_impl.errors import ReferenceError_
from reference_impl.parquet.encryption.opening import NO_AAD
from reference_impl.parquet.file import ParquetFile

HELP = "JSON file with the keys of encrypted files."
_MISSING = ("PQ-CRYPT-000", "PQ-CRYPT-001", "PQ-CRYPT-002")
# A key, AAD prefix or master key that is not that of the file. (A missing column key hides one column.)
_WRONG = frozenset(f"PQ-CRYPT-{number}" for number in ("002", "003", "005", "020", "021", "031"))
_MESSAGES = ("no keys were given", "was not given", "none was given")  # by the messages of these
_ENCRYPTED = b"PARE"
_NAMED = 3  # files in a message
MEND = "give the keys of encrypted files with --keys FILE"


def keys_of(keys: str | None, path: str | Path) -> Keys | None:
    """Return the keys for a file, with the key material next to the file; raises Problem."""
    if keys is None:
        return None
    with problems(path):
        own = load(keys).for_file(path)
        beside = Path(path).with_name(f"_KEY_MATERIAL_FOR_{Path(path).name}.json")
        if own is None or not beside.is_file():
            return own
        return own.with_material(beside.read_text("utf-8", "replace"))


def case_with(keys: str | None, case: Case) -> Case:
    """Return a case with the keys of `--keys`, if given; warn if its file needs some. Raises Problem."""
    own = keys_of(keys, case.file)
    if own is not None and not _is_plain(case.file):
        return replace(case, keys=own)
    if case.keys is None and is_locked(case.file):
        show_line(f"colconf: {MEND}", err=True)
    return case


def with_keys(imported: Imported | None, keys: str) -> Imported:
    """Return the cases with their keys, without those that their keys do not open.

    These are among the skipped, as unusable: no engine could show anything in them. A file without an
    encrypted part gets no keys: readers refuse keys that a file does not need. Raises Problem if no case has
    keys.
    """
    if imported is None:
        raise Problem("--keys requires --files")
    with problems():
        ring = load(keys)
    pairs = [(case, ring.for_file(case.file)) for case in imported.cases]
    if all(own is None for _, own in pairs):
        raise Problem(f"{keys}: no entry for any of the files")
    cases, skipped = [], list(imported.skipped)
    for case, own in pairs:
        if own is not None and (why := _unopened(case.file, own)):
            skipped.append(Skipped(case.id, case.file, f"not opened by its keys: {why}", unusable=True))
        else:
            cases.append(case if own is None or _is_plain(case.file) else replace(case, keys=own))
    if not cases:
        why = "; ".join(f"{each.file}: {each.reason}" for each in skipped[-_NAMED:])
        raise Problem(f"{keys}: opens none of the files: {why}")
    return replace(imported, cases=tuple(cases), skipped=tuple(skipped))


def _unopened(file: Path, keys: Keys) -> str:
    """Return why keys do not open a file: its footer, or the metadata of a column; "" if they do."""
    try:
        opened = ParquetFile.open(file, keys)
        for leaf in opened.leaves if opened.metadata.row_groups else ():
            opened.column_metadata(0, leaf.index)
    except ReferenceError_ as error:
        return str(error) if error.rule in _WRONG and NO_AAD not in str(error) else ""
    except OSError:
        return ""  # the run says so
    return ""


def _is_plain(file: Path) -> bool:
    """Return whether a file is Parquet, its footer can be read, and no part of it is encrypted."""
    try:
        return ParquetFile.open(file).metadata.encryption_algorithm is None
    except (ReferenceError_, OSError):
        return False


def locked(imported: Imported | None) -> str | None:
    """Return a warning about files with an encrypted footer and no keys, None if there are none."""
    cases = imported.cases if imported else ()
    files = [str(case.file) for case in cases if case.keys is None and is_locked(case.file)]
    more = f" and {len(files) - _NAMED:,} more" if len(files) > _NAMED else ""
    return f"encrypted files without keys: {', '.join(files[:_NAMED])}{more}; {MEND}" if files else None


def is_locked(file: Path) -> bool:
    """Return whether a file has an encrypted footer."""
    try:
        with file.open("rb") as opened:
            return opened.read(4) == _ENCRYPTED
    except OSError:
        return False


def mend(texts: Iterable[str], given: str | None) -> str | None:
    """Return advice if any of these rules with messages is about a missing or wrong key, else None."""
    messages = [text for text in texts if NO_AAD not in text]
    if given is not None and any(rule in text for text in messages for rule in _WRONG):
        return f"if the files are not damaged, {given} has other keys than theirs"
    if not any(sign in text for text in messages for sign in (*_MISSING, *_MESSAGES)):
        return None
    return MEND if given is None else f"{given} lacks keys that the files need"
