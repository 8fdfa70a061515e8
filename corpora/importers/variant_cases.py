"""The `shredded_variant` of parquet-testing, with values from `cases.json` and the binaries.

    {"case_number": 45, "test": "testArrayWithNestedObject", "parquet_file": "case-045.parquet",
     "variant_files": ["case-045_row-0.variant.bin", null, …]}

A file of one row has `variant_file` instead of `variant_files`, and a file whose Variants break a rule has
`error_message`. Besides `var`, files have a column `id` that counts the rows; no description mentions it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from corpora import tagged
from corpora.cases import Expectation
from corpora.tagged import Table, Value

MAX_BYTES = 1 << 24
CLAUSE = "VariantShredding.md"
_SOURCE = "writer:parquet-mr@1.16.0"
_FROM_ZERO = ("case-045.parquet", "case-083.parquet")  # whose ids do not begin with 1
_TYPES = (("id", tagged.integer(32)), ("var", tagged.Type("variant")))
_REASON = (
    "the Parquet file is legal, its columns read as binaries; the variant in it breaks a shredding rule: "
)


def read(path: Path) -> dict[str, Mapping[str, Any]]:
    """Return the content of `cases.json` by file name; nothing if it is missing or has another form."""
    try:
        if path.stat().st_size > MAX_BYTES:
            return {}
        data = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    cases = data if isinstance(data, list) else []
    return {case["parquet_file"]: case for case in cases if isinstance(case, dict) and "parquet_file" in case}


def expected(file: Path, about: Mapping[str, Any]) -> Expectation:
    """Return the expectation about a file: a vote, if the description or the binaries have changed."""
    error = about.get("error_message") or about.get("notes")
    table = _table(file, about)
    if error or "INVALID" in file.name:
        return Expectation.either(
            _REASON + str(error or "the file's name says so"), clause=CLAUSE, table=table
        )
    return Expectation.by_vote() if table is None else Expectation.accept(table, _SOURCE)


def _table(file: Path, about: Mapping[str, Any]) -> Table | None:
    names = about.get("variant_files", [about.get("variant_file")] if "variant_file" in about else None)
    if not isinstance(names, list) or not all(name is None or isinstance(name, str) for name in names):
        return None
    try:
        variants = [None if name is None else _variant(file.with_name(name)) for name in names]
    except (OSError, ValueError):
        return None
    first = 0 if file.name in _FROM_ZERO else 1
    ids: list[Value] = [str(first + number) for number in range(len(variants))]
    return Table.of(_TYPES, [ids, variants], len(ids))


def _variant(path: Path) -> Value:
    """Split a binary into metadata and the value after it (VariantEncoding.md, "Metadata encoding")."""
    if path.stat().st_size > MAX_BYTES:
        raise ValueError(f"{path.name} is too large")
    raw = path.read_bytes()
    width = (raw[0] >> 6) + 1 if raw else 1
    size = int.from_bytes(raw[1 : 1 + width], "little")
    names = 1 + width * (size + 2)
    end = names + int.from_bytes(raw[names - width : names], "little")
    if end >= len(raw):
        raise ValueError(f"{path.name} has no value after its metadata")
    return [raw[:end].hex(), raw[end:].hex()]
