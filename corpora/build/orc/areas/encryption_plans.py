"""Plans, keys and recipes of encrypted ORC files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from corpora.build.orc.schemas import INT, LONG, STRING, plan, recipe, struct_of
from corpora.build.recipe import Recipe
from corpora.keys import Keys, suite_key
from reference_impl.orc.masks import masked
from reference_impl.orc.plan import Chunks, Encryption, FilePlan, Mask, MasterKey, Original, Variant
from reference_impl.orc.plan import Column as Layout
from reference_impl.orc.schema import CompressionKind
from reference_impl.orc.types import build

CLAUSE = "ORCv1.md, Column Encryption"
MASKS = "ORCv1.md, Data Masks"
STREAMS = "ORCv1.md, Stream Encryption"
_STORED = Chunks(original=Original.ALWAYS)  # chunks that are the same with every version of a codec
TABLE = struct_of(i=INT, s=STRING, n=LONG, p=struct_of(x=STRING, y=INT))
ROWS = tuple(
    (
        number,
        None if number % 4 == 2 else b"Name %d" % number,
        -number * 1001,
        None if number % 5 == 4 else (b"x%d" % number, number * 7),
    )
    for number in range(23)
)


def local(name: str, size: int = 16) -> bytes:
    """Return an encrypted local key of a file, which depends only on its name."""
    return hashlib.sha256(name.encode()).digest()[:size]


def encrypted(*roots: int, size: int = 16, masks: tuple[Mask, ...] = (), **more: Any) -> Encryption:
    """Return the encryption of columns under the suite's master key, each with its own local key."""
    keys = (MasterKey("pii", suite_key("master", size)),)
    variants = tuple(Variant(root, local(f"column {root}", size)) for root in roots)
    return replace(Encryption(keys, variants, masks), **more)


def keys(encryption: Encryption, *, wrong: bool = False) -> Keys:
    """Return the keys of a file, or wrong keys with the same names."""
    by_name: dict[str, dict[int, bytes]] = {}
    for key in encryption.keys:
        data = suite_key("wrong", len(key.key)) if wrong else key.key
        by_name.setdefault(key.name, {})[key.version] = data
    return Keys(orc=by_name)


def table(hidden: Encryption, layout: Layout | None = None, **more: Any) -> FilePlan:
    """Return the plan of a table of two stripes, with row groups."""
    chosen: dict[str, Any] = {"stripes": (13, 10), "row_index_stride": 5, **more}
    return plan(TABLE, ROWS, layout, encryption=hidden, **chosen)


def stored(file_plan: FilePlan) -> FilePlan:
    """Return the plan with compression, but with original chunks only."""
    return replace(file_plan, compression=CompressionKind.ZLIB, chunks=_STORED, tail_chunks=_STORED)


def both(name: str, file_plan: FilePlan, spec: str = CLAUSE, **more: Any) -> Iterator[Recipe]:
    """Yield a file with its keys and without keys, when readers return the masked rows."""
    hidden = file_plan.encryption
    assert hidden is not None
    yield recipe(f"{name}/with-keys", file_plan, spec, keys=keys(hidden), **more)
    yield recipe(
        f"{name}/without-keys", file_plan, spec, rows=masked_rows(file_plan), **{**more, "probed": None}
    )


def masked_rows(file_plan: FilePlan) -> tuple[Any, ...]:
    """Return the rows that a reader without keys returns."""
    hidden = file_plan.encryption
    assert hidden is not None
    return tuple(hidden.masked or masked(build(file_plan.types), file_plan.rows, hidden))
