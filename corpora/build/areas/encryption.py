"""Encrypted files: every mode, and files of which one thing is not what it was when they were sealed.

What is wrong is put into a file while it is written, so that all but one thing is right: a module is that of
another place or of another file, a bit of it is another one, or the keys of the case are other ones.
"""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from corpora.build.areas import encryption_faults
from corpora.build.areas.encryption_faults import Changed, Modules, flipped, modules_of
from corpora.build.recipe import OPTIONAL, Recipe, leaf, schema
from corpora.keys import Keys, suite_key
from corpora.queries import Aggregate, Compare, Filter, In, IsNull
from corpora.tagged import integer
from reference_impl.parquet.encryption import material
from reference_impl.parquet.encryption.modules import PAGES, ModuleKind, Place
from reference_impl.parquet.plan import (
    Bloom,
    Column,
    ColumnKey,
    Dictionary,
    Encryption,
    FilePlan,
    Index,
    Page,
    Statistics,
)
from reference_impl.parquet.schema import CompressionCodec, Encoding, Type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpora.queries import Query

_SPEC = "Encryption.md"
_FEATURES = ("parquet/encryption/encrypted",)
_READS_ON = "a reader that does not look at it reads the values"
_SAID_TWICE = "the length of a page stands in its header as well, which is authentic"
FOOTER, OWN = suite_key("footer"), (suite_key("column 0"), suite_key("column 1"))
MASTER = {"suite-footer": suite_key("master"), "suite-column": suite_key("master", 32)}
# Readers keep the keys between by their ids: those of two master keys have ids of their own.
_BETWEEN = {"suite-footer": (b"kef", suite_key("kek")), "suite-column": (b"kec", suite_key("kek", 32))}
_ASKED = ("plain", "two-pages", "bloom-filter", "page-index")  # layouts that are asked queries
_BESIDE = (ModuleKind.COLUMN_INDEX, ModuleKind.OFFSET_INDEX, ModuleKind.BLOOM_HEADER, ModuleKind.BLOOM_BITSET)


def plan(encryption: Encryption, entries: int | None = 4) -> FilePlan:
    """Return three columns in two row groups, pages of so many entries, with all that can stand beside them.

    None: one page, and no Bloom filters.
    """
    bloom = None if entries is None else Bloom()
    page = Page(entries=entries, encoding=Encoding.RLE_DICTIONARY)
    layout = Column((page,), dictionary=Dictionary(), statistics=Statistics(), index=Index(), bloom=bloom)
    fields = schema(*(leaf(name, Type.INT64, OPTIONAL) for name in "abc"))
    rows = tuple(
        {"a": row % 3, "b": 10 + row % 3, "c": None if row == 5 else 20 + row % 3} for row in range(16)
    )
    return FilePlan(
        fields, rows, (layout,) * 3, row_groups=(8, 8), row_group_details=True, encryption=encryption
    )


def _material(key: bytes, master: str, *, footer: bool, double: bool) -> bytes:
    """Return key metadata that holds `key`, wrapped by a master key."""
    told: dict[str, Any] = {
        "keyMaterialType": material.TYPE,
        "internalStorage": True,
        "isFooterKey": footer,
        **({"kmsInstanceID": "DEFAULT", "kmsInstanceURL": "DEFAULT"} if footer else {}),
        "masterKeyID": master,
        "doubleWrapping": double,
    }
    if not double:
        told["wrappedDEK"] = material.wrap(key, MASTER[master], master.encode(), b"nonce of " + key[-3:])
        return material.dumps(told).encode()
    name, between = _BETWEEN[master]
    told["keyEncryptionKeyID"] = base64.b64encode(name).decode()
    told["wrappedKEK"] = material.wrap(between, MASTER[master], master.encode(), b"nonce of " + name)
    told["wrappedDEK"] = material.wrap(key, between, name, b"nonce of " + key[-3:])
    return material.dumps(told).encode()


def by_master(size: int = 16, *, double: bool = True, **more: Any) -> tuple[Encryption, Keys]:
    """Return a footer key and two columns with keys of their own, all of them wrapped by master keys."""
    own = [suite_key(f"column {number}", size) for number in range(2)]
    columns = tuple(
        ColumnKey(key, _material(key, "suite-column", footer=False, double=double)) for key in own
    )
    footer = suite_key("footer", size)
    told = _material(footer, "suite-footer", footer=True, double=double)
    return Encryption(footer, told, columns, **more), Keys(master_keys=MASTER)


def uniform(size: int = 16, **more: Any) -> tuple[Encryption, Keys]:
    """Return one key for the footer and all columns."""
    footer = suite_key("footer", size)
    return Encryption(footer, **more), Keys(footer=footer)


def explicit(**more: Any) -> tuple[Encryption, Keys]:
    """Return a footer key and two columns with keys of their own, which readers know by name."""
    columns = tuple(ColumnKey(key, b"kc%d" % number) for number, key in enumerate(OWN))
    return Encryption(FOOTER, b"kf", columns, **more), Keys(
        footer=FOOTER, columns=dict(zip("ab", OWN, strict=True))
    )


def recipe(name: str, made: tuple[Encryption, Keys], notes: str = "", **more: Any) -> Recipe:
    """Return the recipe of a file and its keys."""
    encryption, keys = made
    return Recipe(
        f"encryption/{name}",
        plan(encryption),
        _SPEC,
        notes,
        features=_features(encryption),
        keys=keys,
        **more,
    )


def _features(encryption: Encryption) -> tuple[str, ...]:
    found = ["encrypted", "gcm-ctr" if encryption.ctr else "gcm"]
    found.append("plaintext-footer" if encryption.plaintext_footer else "footer")
    found.append("uniform" if encryption.columns is None else "column-keys")
    found += ["aad-prefix"] if encryption.aad_prefix is not None else []
    found += ["aes256"] if len(encryption.footer_key) == 32 else []
    return tuple(f"parquet/encryption/{one}" for one in found)


def recipes() -> Iterator[Recipe]:
    """Yield the modes, and what is refused."""
    yield from _modes()
    yield from _keys()
    yield from _prefixes()
    yield from _modules()
    yield from _exchanged()
    yield from _ctr()
    yield from _one_page()
    yield from _layouts()
    yield from encryption_faults.recipes(recipe, uniform, explicit)


def _modes() -> Iterator[Recipe]:
    for size in (16, 24, 32):
        for ctr in (False, True):
            name = f"{'ctr' if ctr else 'gcm'}-{8 * size}"
            yield recipe(f"mode/uniform-{name}", uniform(size, ctr=ctr))
            yield recipe(f"mode/columns-{name}", by_master(size, ctr=ctr))
            yield recipe(f"mode/plaintext-footer-{name}", by_master(size, ctr=ctr, plaintext_footer=True))
    yield recipe("mode/single-wrapping", by_master(double=False))
    yield recipe("mode/explicit-keys", explicit())
    yield recipe(
        "mode/key-metadata",
        (explicit()[0], Keys(by_metadata={b"kf": FOOTER, b"kc0": OWN[0], b"kc1": OWN[1]})),
    )
    yield recipe(
        "mode/no-key-metadata", (replace(explicit()[0], columns=(ColumnKey(OWN[0]),)), explicit()[1])
    )
    for ctr in (False, True):
        name = "ctr" if ctr else "gcm"
        yield recipe(f"mode/aad-prefix-stored-{name}", uniform(ctr=ctr, aad_prefix=b"suite"))
        encryption, keys = uniform(ctr=ctr, aad_prefix=b"suite", store_aad_prefix=False)
        yield recipe(f"mode/aad-prefix-supplied-{name}", (encryption, replace(keys, aad_prefix=b"suite")))
        told = encryption_faults.Told(encryption_faults.algorithm(supply_aad_prefix=False))
        yield recipe(f"mode/aad-prefix-not-to-supply-{name}", uniform(ctr=ctr), tamper=told)
    yield recipe("mode/plaintext-footer-uniform", uniform(plaintext_footer=True))
    yield recipe("mode/padding", uniform(padding=9), level="SHOULD", refuse="PQ-CRYPT-011", either=_READS_ON)


def _keys() -> Iterator[Recipe]:
    wrong = suite_key("wrong")

    def refused(name: str, made: tuple[Encryption, Keys], rule: str, **keys: Any) -> Recipe:
        return recipe(f"keys/{name}", (made[0], replace(made[1], **keys)), refuse=rule)

    for name, ctr in (("gcm", False), ("ctr", True)):
        yield refused(f"uniform-{name}-none", uniform(ctr=ctr), "PQ-CRYPT-001", footer=None)
        yield refused(f"uniform-{name}-wrong", uniform(ctr=ctr), "PQ-CRYPT-020", footer=wrong)
        other = suite_key("footer", 32)
        yield refused(f"uniform-{name}-other-size", uniform(ctr=ctr), "PQ-CRYPT-020", footer=other)
        crossed = {"a": OWN[1], "b": OWN[0]}
        yield refused(f"columns-{name}-exchanged", explicit(ctr=ctr), "PQ-CRYPT-021", columns=crossed)
        lacking = {"a": OWN[0]}
        yield refused(f"columns-{name}-one-too-few", explicit(ctr=ctr), "PQ-CRYPT-001", columns=lacking)
        swapped = {"suite-footer": MASTER["suite-column"], "suite-column": MASTER["suite-footer"]}
        yield refused(f"masters-{name}-exchanged", by_master(ctr=ctr), "PQ-CRYPT-005", master_keys=swapped)
        few = {"suite-footer": MASTER["suite-footer"]}
        yield refused(f"masters-{name}-one-too-few", by_master(ctr=ctr), "PQ-CRYPT-001", master_keys=few)
    plain = uniform(plaintext_footer=True)
    yield refused("plaintext-footer-wrong", plain, "PQ-CRYPT-031", footer=wrong)
    yield refused("plaintext-footer-none", plain, "PQ-CRYPT-001", footer=None)
    own = explicit(plaintext_footer=True)
    yield refused("plaintext-footer-wrong-column", own, "PQ-CRYPT-021", columns={"a": OWN[0], "b": wrong})


def _prefixes() -> Iterator[Recipe]:
    def refused(name: str, made: tuple[Encryption, Keys], rule: str, prefix: bytes | None) -> Recipe:
        level = "SHOULD" if rule == "PQ-CRYPT-003" else "MUST"
        return recipe(
            f"aad-prefix/{name}", (made[0], replace(made[1], aad_prefix=prefix)), refuse=rule, level=level
        )

    for name, more in (("encrypted", {}), ("plaintext", {"plaintext_footer": True})):
        stored = uniform(aad_prefix=b"suite", **more)
        supplied = uniform(aad_prefix=b"suite", store_aad_prefix=False, **more)
        broken = "PQ-CRYPT-031" if more else "PQ-CRYPT-020"
        yield refused(f"{name}-stored-other-one-given", stored, "PQ-CRYPT-003", b"other")
        yield refused(f"{name}-supplied-none-given", supplied, "PQ-CRYPT-002", None)
        yield refused(f"{name}-supplied-other-one-given", supplied, broken, b"other")
        yield refused(f"{name}-none-but-one-given", uniform(**more), "PQ-CRYPT-003", b"suite")


def _module(
    name: str, kind: ModuleKind, place: Place, tamper: Changed, made: tuple[Encryption, Keys]
) -> Recipe:
    """Return the recipe of a file with one module that is not authentic."""
    rule = kind.rule
    if kind is ModuleKind.FOOTER and made[0].plaintext_footer:
        rule = "PQ-CRYPT-031"
    about = f"{kind.title}, row group {place.row_group}, column {place.column}, page {place.page}"
    either = _READS_ON if kind in _BESIDE else ""
    return recipe(f"module/{name}", made, about, tamper=tamper, refuse=rule, either=either)


def _modules() -> Iterator[Recipe]:
    """Yield a file for each kind of module and each part of one that is not what it was."""
    for kind in ModuleKind:
        made = by_master() if kind is ModuleKind.COLUMN_METADATA else uniform()
        place = Place() if kind is ModuleKind.FOOTER else Place(1, 1, 0)
        own = modules_of(plan(made[0]))[kind, place]
        name = kind.name.lower().replace("_", "-")
        parts = {"nonce": 4, "ciphertext": 17, "tag": len(own) - 1}
        for part, at in parts.items():
            yield _module(f"{name}-{part}", kind, place, Changed({(kind, place): flipped(own, at)}), made)
        short = (len(own) - 5).to_bytes(4, "little") + own[4:-1]
        found = _module(f"{name}-tag-cut", kind, place, Changed({(kind, place): short}), made)
        # Header and bitset are then shorter than bloom_filter_length says.
        yield replace(found, refuse="PQ-BLOOM-002") if kind is ModuleKind.BLOOM_BITSET else found
        none = bytes(4) + own[4:]
        found = _module(f"{name}-length-zero", kind, place, Changed({(kind, place): none}), made)
        yield replace(found, refuse="PQ-CRYPT-010", either=_SAID_TWICE if kind in PAGES else found.either)
    signed = uniform(plaintext_footer=True)
    own = modules_of(plan(signed[0]))[ModuleKind.FOOTER, Place()]
    for part, at in (("nonce", 0), ("tag", 27)):
        changed = Changed({(ModuleKind.FOOTER, Place()): flipped(own, at)})
        yield _module(f"signature-{part}", ModuleKind.FOOTER, Place(), changed, signed)


def _exchanged() -> Iterator[Recipe]:
    """Yield files with a module of another page, column, row group or file in the place of one."""
    here = Place(0, 0, 0)
    others = {"page": Place(0, 0, 1), "column": Place(0, 1, 0), "row-group": Place(1, 0, 0)}
    for kind in ModuleKind:
        made = _one_key() if kind is ModuleKind.COLUMN_METADATA else uniform()
        name = kind.name.lower().replace("_", "-")
        own = modules_of(plan(made[0]))
        stranger = modules_of(plan(replace(made[0], file_unique=b"another!")))
        for where, place in others.items():
            if (kind, place) in own and kind is not ModuleKind.FOOTER:
                yield _module(
                    f"{name}-of-another-{where}", kind, here, Changed(_crossed(own, kind, here, place)), made
                )
        yield _module(
            f"{name}-of-another-file", kind, here, Changed({(kind, here): stranger[kind, here]}), made
        )
    signed = uniform(plaintext_footer=True)
    stranger = modules_of(plan(replace(signed[0], file_unique=b"another!")))
    changed = Changed({(ModuleKind.FOOTER, Place()): stranger[ModuleKind.FOOTER, Place()]})
    yield _module("signature-of-another-file", ModuleKind.FOOTER, Place(), changed, signed)


def _one_page() -> Iterator[Recipe]:
    """Yield files of one data page a chunk, without Bloom filters: what the plainest of readers can open."""
    for size in (16, 24, 32):
        made = uniform(size)
        yield _single(recipe(f"one-page/{8 * size}", made))
    made = uniform()
    keys = {"wrong-key": suite_key("wrong"), "no-key": None, "other-size": suite_key("footer", 32)}
    for name, key in keys.items():
        rule = "PQ-CRYPT-020" if key else "PQ-CRYPT-001"
        yield _single(recipe(f"one-page/{name}", (made[0], replace(made[1], footer=key)), refuse=rule))
    own = modules_of(plan(made[0], None))
    stranger = modules_of(plan(replace(made[0], file_unique=b"another!"), None))
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
            found = _module("", kind, here, Changed(change), made)
            yield _single(replace(found, id=f"encryption/one-page/{name}-{what}"))


def _layouts() -> Iterator[Recipe]:
    """Yield files of one data page a chunk, and one thing more; some of them are asked queries."""
    page, dictionary = Page(encoding=Encoding.RLE_DICTIONARY), Dictionary()
    layouts = {
        "two-pages": Column((replace(page, entries=4),), dictionary=dictionary),
        "bloom-filter": Column((page,), dictionary=dictionary, bloom=Bloom()),
        "page-index": Column((page,), dictionary=dictionary, index=Index()),
        "checksums": Column((replace(page, crc=True),), dictionary=replace(dictionary, crc=True)),
        "plain": Column(),
        "v2": Column((Page(version=2),)),
        "v2-two-pages": Column((Page(version=2, entries=4),)),
        "v2-snappy": Column((replace(page, version=2),), CompressionCodec.SNAPPY, dictionary=dictionary),
        "v1-snappy": Column((page,), CompressionCodec.SNAPPY, dictionary=dictionary),
    }
    for name, layout in layouts.items():
        for ctr in (False, True):
            made = recipe(f"layout/{name}-{'ctr' if ctr else 'gcm'}", uniform(ctr=ctr))
            assert isinstance(made.plan, FilePlan)
            queries = _queries() if name in _ASKED else ()
            yield replace(made, plan=replace(made.plan, columns=(layout,) * 3), queries=queries)


def _queries() -> tuple[Query, ...]:
    """Return queries of values that are there, that are beyond the bounds, and of nulls."""
    number = integer(64)
    return (
        Filter(Compare(("a",), "=", number, "1")),
        Filter(Compare(("a",), "=", number, "7")),
        Filter(In(("b",), number, ("10", "13"))),
        Filter(Compare(("c",), ">=", number, "22"), ("a",)),
        Filter(IsNull(("c",))),
        Aggregate(("c",)),
    )


def _single(made: Recipe) -> Recipe:
    assert isinstance(made.plan, FilePlan)
    assert made.plan.encryption is not None
    return replace(made, plan=plan(made.plan.encryption, None))


def _crossed(own: Modules, kind: ModuleKind, one: Place, other: Place) -> Modules:
    return {(kind, one): own[kind, other], (kind, other): own[kind, one]}


def _one_key() -> tuple[Encryption, Keys]:
    """Return two columns with one key, other than that of the footer: their metadata could be exchanged."""
    metadata = _material(OWN[0], "suite-column", footer=False, double=True)
    told = _material(FOOTER, "suite-footer", footer=True, double=True)
    column = ColumnKey(OWN[0], metadata)
    return Encryption(FOOTER, told, (column, column)), Keys(master_keys=MASTER)


def _ctr() -> Iterator[Recipe]:
    """Yield pages of AES_GCM_CTR_V1, whose "tampering … might go unnoticed", and headers, whose must not."""
    made = uniform(ctr=True)
    own = modules_of(plan(made[0]))
    here, page, group = Place(0, 0, 0), Place(0, 0, 1), Place(1, 0, 0)
    unseen = '4.2.2: pages are not authenticated: "tampering with the page data might go unnoticed"'
    last = flipped(own[ModuleKind.DATA_PAGE, here], len(own[ModuleKind.DATA_PAGE, here]) - 1)
    changes: dict[str, Modules] = {
        "page-bit": {(ModuleKind.DATA_PAGE, here): last},
        "page-of-another-page": _crossed(own, ModuleKind.DATA_PAGE, here, page),
        "page-of-another-row-group": _crossed(own, ModuleKind.DATA_PAGE, here, group),
    }
    for name, change in changes.items():
        yield recipe(f"ctr/{name}", made, tamper=Changed(change), either=unseen, meant=False)
    for name, place in (("page", page), ("row-group", group)):
        change = _crossed(own, ModuleKind.DATA_PAGE_HEADER, here, place)
        found = _module(
            f"ctr-header-of-another-{name}", ModuleKind.DATA_PAGE_HEADER, here, Changed(change), made
        )
        yield replace(found, id=f"encryption/ctr/header-of-another-{name}")
