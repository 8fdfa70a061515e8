"""Encrypted files with a wrong module: one of another place or file, or with a changed bit.

The tamper changes a module while the file is written, so that everything but one module is right.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from corpora.build.areas.encryption import (
    FOOTER,
    MASTER,
    OWN,
    READS_ON,
    by_master,
    key_material,
    plan,
    recipe,
    uniform,
)
from corpora.build.areas.encryption_faults import Changed, Modules, flipped, modules_of
from corpora.build.recipe import Recipe
from corpora.keys import Keys, suite_key
from reference_impl.parquet.encryption.modules import PAGES, ModuleKind, Place
from reference_impl.parquet.plan import ColumnKey, Encryption, FilePlan

_SAID_TWICE = "the length of a page stands in its header as well, which is authentic"
_BESIDE = (ModuleKind.COLUMN_INDEX, ModuleKind.OFFSET_INDEX, ModuleKind.BLOOM_HEADER, ModuleKind.BLOOM_BITSET)


def recipes() -> Iterator[Recipe]:
    """Yield files with a wrong module."""
    return chain(_modules(), _exchanged(), _ctr(), _one_page())


def _module(
    name: str, kind: ModuleKind, place: Place, tamper: Changed, sealed: tuple[Encryption, Keys]
) -> Recipe:
    """Return the recipe of a file with one module that is not authentic."""
    rule = kind.rule
    if kind is ModuleKind.FOOTER and sealed[0].plaintext_footer:
        rule = "PQ-CRYPT-031"
    about = f"{kind.title}, row group {place.row_group}, column {place.column}, page {place.page}"
    either = READS_ON if kind in _BESIDE else ""
    return recipe(f"module/{name}", sealed, about, tamper=tamper, refuse=rule, either=either)


def _modules() -> Iterator[Recipe]:
    """Yield a file for each kind of module and each changed part of a module."""
    for kind in ModuleKind:
        sealed = by_master() if kind is ModuleKind.COLUMN_METADATA else uniform()
        place = Place() if kind is ModuleKind.FOOTER else Place(1, 1, 0)
        own = modules_of(plan(sealed[0]))[kind, place]
        name = kind.name.lower().replace("_", "-")
        parts = {"nonce": 4, "ciphertext": 17, "tag": len(own) - 1}
        for part, at in parts.items():
            yield _module(f"{name}-{part}", kind, place, Changed({(kind, place): flipped(own, at)}), sealed)
        short = (len(own) - 5).to_bytes(4, "little") + own[4:-1]
        wrong = _module(f"{name}-tag-cut", kind, place, Changed({(kind, place): short}), sealed)
        # Header and bitset are then shorter than bloom_filter_length.
        yield replace(wrong, refuse="PQ-BLOOM-002") if kind is ModuleKind.BLOOM_BITSET else wrong
        none = bytes(4) + own[4:]
        wrong = _module(f"{name}-length-zero", kind, place, Changed({(kind, place): none}), sealed)
        yield replace(wrong, refuse="PQ-CRYPT-010", either=_SAID_TWICE if kind in PAGES else wrong.either)
    signed = uniform(plaintext_footer=True)
    own = modules_of(plan(signed[0]))[ModuleKind.FOOTER, Place()]
    for part, at in (("nonce", 0), ("tag", 27)):
        changed = Changed({(ModuleKind.FOOTER, Place()): flipped(own, at)})
        yield _module(f"signature-{part}", ModuleKind.FOOTER, Place(), changed, signed)


def _exchanged() -> Iterator[Recipe]:
    """Yield files with a module replaced by that of another page, column, row group or file."""
    here = Place(0, 0, 0)
    others = {"page": Place(0, 0, 1), "column": Place(0, 1, 0), "row-group": Place(1, 0, 0)}
    for kind in ModuleKind:
        sealed = _one_key() if kind is ModuleKind.COLUMN_METADATA else uniform()
        name = kind.name.lower().replace("_", "-")
        own = modules_of(plan(sealed[0]))
        stranger = modules_of(plan(replace(sealed[0], file_unique=b"another!")))
        for where, place in others.items():
            if (kind, place) in own and kind is not ModuleKind.FOOTER:
                change = Changed(_crossed(own, kind, here, place))
                yield _module(f"{name}-of-another-{where}", kind, here, change, sealed)
        change = Changed({(kind, here): stranger[kind, here]})
        yield _module(f"{name}-of-another-file", kind, here, change, sealed)
    signed = uniform(plaintext_footer=True)
    stranger = modules_of(plan(replace(signed[0], file_unique=b"another!")))
    changed = Changed({(ModuleKind.FOOTER, Place()): stranger[ModuleKind.FOOTER, Place()]})
    yield _module("signature-of-another-file", ModuleKind.FOOTER, Place(), changed, signed)


def _one_page() -> Iterator[Recipe]:
    """Yield files of one data page per chunk without Bloom filters, which simple readers can open."""
    for size in (16, 24, 32):
        sealed = uniform(size)
        yield _single(recipe(f"one-page/{8 * size}", sealed))
    sealed = uniform()
    keys = {"wrong-key": suite_key("wrong"), "no-key": None, "other-size": suite_key("footer", 32)}
    for name, key in keys.items():
        rule = "PQ-CRYPT-020" if key else "PQ-CRYPT-001"
        yield _single(recipe(f"one-page/{name}", (sealed[0], replace(sealed[1], footer=key)), refuse=rule))
    own = modules_of(plan(sealed[0], None))
    stranger = modules_of(plan(replace(sealed[0], file_unique=b"another!"), None))
    for kind in (
        ModuleKind.DATA_PAGE,
        ModuleKind.DICTIONARY_PAGE,
        ModuleKind.DATA_PAGE_HEADER,
        ModuleKind.DICTIONARY_PAGE_HEADER,
    ):
        name, here = kind.name.lower().replace("_", "-"), Place(0, 0, 0)
        module = own[kind, here]
        changes: dict[str, Modules] = {
            "tag": {(kind, here): flipped(module, len(module) - 1)},
            "of-another-column": _crossed(own, kind, here, Place(0, 1, 0)),
            "of-another-row-group": _crossed(own, kind, here, Place(1, 0, 0)),
            "of-another-file": {(kind, here): stranger[kind, here]},
        }
        for what, change in changes.items():
            wrong = _module("", kind, here, Changed(change), sealed)
            yield _single(replace(wrong, id=f"encryption/one-page/{name}-{what}"))


def _single(base: Recipe) -> Recipe:
    assert isinstance(base.plan, FilePlan)
    assert base.plan.encryption is not None
    return replace(base, plan=plan(base.plan.encryption, None))


def _crossed(own: Modules, kind: ModuleKind, place: Place, other: Place) -> Modules:
    return {(kind, place): own[kind, other], (kind, other): own[kind, place]}


def _one_key() -> tuple[Encryption, Keys]:
    """Return two columns with the same key, so that their metadata could be exchanged."""
    metadata = key_material(OWN[0], "suite-column", footer=False, double=True)
    footer = key_material(FOOTER, "suite-footer", footer=True, double=True)
    column = ColumnKey(OWN[0], metadata)
    return Encryption(FOOTER, footer, (column, column)), Keys(master_keys=MASTER)


def _ctr() -> Iterator[Recipe]:
    """Yield tampered pages of AES_GCM_CTR_V1, which "might go unnoticed", and headers, which must not."""
    sealed = uniform(ctr=True)
    own = modules_of(plan(sealed[0]))
    here, page, group = Place(0, 0, 0), Place(0, 0, 1), Place(1, 0, 0)
    unseen = '4.2.2: pages are not authenticated: "tampering with the page data might go unnoticed"'
    last = flipped(own[ModuleKind.DATA_PAGE, here], len(own[ModuleKind.DATA_PAGE, here]) - 1)
    changes: dict[str, Modules] = {
        "page-bit": {(ModuleKind.DATA_PAGE, here): last},
        "page-of-another-page": _crossed(own, ModuleKind.DATA_PAGE, here, page),
        "page-of-another-row-group": _crossed(own, ModuleKind.DATA_PAGE, here, group),
    }
    for name, change in changes.items():
        yield recipe(f"ctr/{name}", sealed, tamper=Changed(change), either=unseen, meant=False)
    for name, place in (("page", page), ("row-group", group)):
        change = _crossed(own, ModuleKind.DATA_PAGE_HEADER, here, place)
        wrong = _module(
            f"ctr-header-of-another-{name}", ModuleKind.DATA_PAGE_HEADER, here, Changed(change), sealed
        )
        yield replace(wrong, id=f"encryption/ctr/header-of-another-{name}")
