"""Encrypted columns of a plan, their keys and their masks."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from corpora.keys import Keys, suite_key
from properties.strategies.orc.sheets import sheets as plain_sheets
from properties.strategies.sheet import MAX_FILES, Sheet
from reference_impl.orc.encryption_plan import Encryption, Mask, MasterKey, Restart, Variant
from reference_impl.orc.plan import FilePlan
from reference_impl.orc.schema import Type, TypeKind
from reference_impl.orc.types import TypeNode, build

_SIZES = (16, 32)
_MASKS = ("nullify", "redact", "sha256")
FEATURE = "orc/file/encrypted"
_LAST_ID = (1 << 24) - 1


@st.composite
def sheets(draw: st.DrawFn, min_files: int = 2, max_files: int = MAX_FILES) -> Sheet[Type, FilePlan]:
    """Return a sheet of files with encrypted columns, where there are columns, that the same keys open."""
    sheet = draw(plain_sheets(min_files, max_files))
    keys = draw(_master_keys())
    plans = tuple(replace(plan, encryption=draw(encryptions(plan, keys))) for plan in sheet.plans)
    return replace(sheet, plans=plans)


def keys_of(plan: FilePlan) -> Keys | None:
    """Return the keys that open the files of a plan's sheet, None for a file that is not encrypted."""
    if plan.encryption is None:
        return None
    return Keys(orc={key.name: {key.version: key.key} for key in plan.encryption.keys})


@st.composite
def _master_keys(draw: st.DrawFn) -> tuple[MasterKey, ...]:
    drawn = draw(st.lists(st.tuples(st.sampled_from(_SIZES), st.integers(0, 3)), min_size=1, max_size=2))
    return tuple(
        MasterKey(f"key {number}", suite_key("master", size), version)
        for number, (size, version) in enumerate(drawn)
    )


@st.composite
def encryptions(
    draw: st.DrawFn, plan: FilePlan, keys: tuple[MasterKey, ...] | None = None
) -> Encryption | None:
    """Return an encryption for a plan, None if no column can be encrypted.

    No variant is below another. Keys of maps are not encrypted without the map, and maps are nullified as a
    whole: a key of a map must not be null, and must not occur twice.
    """
    root = build(plan.types)
    roots = (
        draw(st.lists(st.sampled_from(list(_possible(root))), unique=True, max_size=3)) if root.max_id else []
    )
    nodes = {node.id: node for node in root.walk()}
    taken = [number for number in roots if not any(_is_below(nodes[number], other) for other in roots)]
    if not taken:
        return None
    keys = keys or draw(_master_keys())
    numbers = [draw(st.integers(0, len(keys) - 1)) for _ in taken]
    sizes = [len(keys[number].key) for number in numbers]
    tails = [draw(st.none() | st.binary(min_size=size, max_size=size)) for size in sizes]
    variants = tuple(
        Variant(column, local, number, tail)
        for column, number, tail, local in zip(taken, numbers, tails, _locals(draw, sizes), strict=True)
    )
    masks = tuple(Mask(draw(st.sampled_from(_masks(nodes[column], plan))), (column,)) for column in taken)
    stripes = max(len(plan.stripes or ()), 1)
    restarts: tuple[Restart, ...] = ()
    if draw(st.booleans()):
        restarts = (
            Restart(draw(st.integers(0, stripes - 1)), _locals(draw, sizes), draw(st.integers(1, 9))),
        )
    first = draw(st.one_of(st.just(1), st.integers(1, _LAST_ID - stripes)))
    return Encryption(keys, variants, masks, first_id=first, restarts=restarts)


def _locals(draw: st.DrawFn, sizes: list[int]) -> tuple[bytes, ...]:
    return tuple(draw(st.binary(min_size=size, max_size=size)) for size in sizes)


def _possible(node: TypeNode) -> list[int]:
    """Return the columns that may be encrypted."""
    is_key = node.parent is not None and node.parent.kind is TypeKind.MAP and node is node.parent.children[0]
    if is_key:
        return []
    own = [node.id] if node.parent is not None else []
    return own + [number for child in node.children for number in _possible(child)]


def _is_below(node: TypeNode, other: int) -> bool:
    above = node.parent
    while above is not None and above.id != other:
        above = above.parent
    return above is not None


def _masks(node: TypeNode, plan: FilePlan) -> tuple[str, ...]:
    """Return the masks that produce legal values; a redacted time, at midnight, may not exist in a zone."""
    kinds = {below.kind for below in node.walk()}
    if TypeKind.MAP in kinds:
        return _MASKS[:1]
    if TypeKind.TIMESTAMP in kinds and {plan.writer_timezone, *plan.stripe_timezones} - {None, "UTC"}:
        return ("nullify", "sha256")
    return _MASKS
