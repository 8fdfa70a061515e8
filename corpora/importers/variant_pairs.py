"""The `variant` of parquet-testing: pairs of files `x.metadata` and `x.value`, outside of Parquet files.

`data_dictionary.json` has the value of each pair. Engines read Variants only in Parquet files, so each pair
is wrapped into a file of one column `var` and one row (`corpora/build/pairs.py`). Colconf's cache folder
stores the files and their cases under names that contain a digest of the content.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from corpora import cache, tagged
from corpora.cases import Case, Expectation, case_id, dump
from corpora.files import write_whole
from corpora.importers.files import Skipped
from corpora.tagged import Table

Pair = tuple[bytes, bytes]  # as in corpora.build.pairs, which imports the reader

FOLDER = "wrapped"  # below the cache folder
VALUE, METADATA, DICTIONARY = ".value", ".metadata", "data_dictionary.json"
CLAUSE = "VariantEncoding.md, Encoding types"
SOURCE = f"writer:parquet-testing@{DICTIONARY}"
MAX_BYTES = 1 << 24
_COLUMN = "var"
_WRAPPED = "A pair of files, which colconf's writer put into a Parquet file of one column."


def is_metadata(file: Path) -> bool:
    """Return whether a file is the metadata of a pair."""
    return file.suffix == METADATA and file.with_suffix(VALUE).is_file()


def is_value(file: Path) -> bool:
    """Return whether a file is the value of a pair."""
    return file.suffix == VALUE and file.with_suffix(METADATA).is_file()


def dictionary(path: Path) -> dict[str, Any]:
    """Return `data_dictionary.json`, which ends with a comma; {} if it is missing or has another form."""
    try:
        text = _read(path).decode("utf-8")
        data = json.loads(re.sub(r",\s*}\s*\Z", "}", text))
    except (OSError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def case(namespace: str, file: Path, values: Mapping[str, Any]) -> Case | Skipped:
    """Return a pair, given the file of its value, as the case of a Parquet file."""
    name = file.stem
    identity = case_id(namespace, file.parent.name, name)
    try:
        return _wrapped(identity, name, (_read(file.with_suffix(METADATA)), _read(file)), values)
    except (OSError, ValueError) as error:
        return Skipped(identity, file, f"cannot be put into a Parquet file: {error}")


def _wrapped(identity: str, name: str, pair: tuple[bytes, bytes], values: Mapping[str, Any]) -> Case:
    from corpora.build.pairs import wrapped  # noqa: PLC0415 - the reader, which not all importers need

    data, features = wrapped(_COLUMN, pair)
    expectation, notes = _expected(name, pair, values)
    pair_case = Case(
        identity,
        "parquet",
        Path(f"{name}.parquet"),
        hashlib.sha256(data).hexdigest(),
        expectation,
        features=features,
        spec=CLAUSE,
        source=expectation.source,
        notes=f"{_WRAPPED} {notes}".strip(),
    )
    return _stored(pair_case, data)


def _expected(name: str, pair: tuple[bytes, bytes], values: Mapping[str, Any]) -> tuple[Expectation, str]:
    """Return the expectation and a note about it."""
    from corpora.build.pairs import meant  # noqa: PLC0415 - as above

    if name not in values:
        return Expectation.by_vote(), f"{DICTIONARY} does not document its value."
    try:
        variant: list[tagged.Value] = [part.hex() for part in meant(name, values[name], pair)]
    except ValueError as error:
        return Expectation.by_vote(), f"What {DICTIONARY} tells of it cannot be used: {error}."
    table = Table.of(((_COLUMN, tagged.Type("variant")),), [[variant]], 1)
    return Expectation.accept(table, SOURCE), ""


def _stored(case: Case, data: bytes) -> Case:
    """Return the case with its file, after writing the file if it is missing; raises OSError."""
    folder = cache.folder() / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256(data + json.dumps(case.to_json()).encode()).hexdigest()
    file = folder / f"{case.file.stem}-{digest[:16]}.parquet"
    stored = replace(case, file=file)
    if not file.is_file() or not file.with_suffix(".json").is_file():
        dump(stored, file.with_suffix(".json"))
        write_whole(file, data)
    return stored


def _read(path: Path) -> bytes:
    if path.stat().st_size > MAX_BYTES:
        raise ValueError(f"{path.name} is too large")
    return path.read_bytes()
