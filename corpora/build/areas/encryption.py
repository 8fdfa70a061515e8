"""Encrypted files: their plans and keys, every mode, layouts of pages, and wrong keys or AAD prefixes."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, product
from typing import Any

from corpora.build.recipe import OPTIONAL, REPEATED, Recipe, group, leaf, list_group, schema
from corpora.keys import Keys, suite_key
from corpora.queries import Aggregate, Compare, Filter, In, IsNull, Query
from corpora.tagged import integer
from reference_impl.parquet.encryption import material
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

_SPEC = "Encryption.md"
READS_ON = "a reader that does not read it returns the values"
FOOTER, OWN = suite_key("footer"), (suite_key("column 0"), suite_key("column 1"))
MASTER = {"suite-footer": suite_key("master"), "suite-column": suite_key("master", 32)}
# Readers cache key encryption keys by id, so those of two master keys have different ids.
_KEY_ENCRYPTION = {"suite-footer": (b"kef", suite_key("kek")), "suite-column": (b"kec", suite_key("kek", 32))}


def plan(encryption: Encryption, entries: int | None = 4) -> FilePlan:
    """Return the plan of three columns in two row groups with indexes, dictionaries and Bloom filters.

    `entries`: entries of a page; None is one page, without Bloom filters.
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


def key_material(key: bytes, master: str, *, footer: bool, double: bool) -> bytes:
    """Return key metadata with `key`, wrapped by a master key."""
    fields: dict[str, Any] = {
        "keyMaterialType": material.TYPE,
        "internalStorage": True,
        "isFooterKey": footer,
        **({"kmsInstanceID": "DEFAULT", "kmsInstanceURL": "DEFAULT"} if footer else {}),
        "masterKeyID": master,
        "doubleWrapping": double,
    }
    if not double:
        fields["wrappedDEK"] = material.wrap(key, MASTER[master], master.encode(), b"nonce of " + key[-3:])
        return material.dumps(fields).encode()
    name, key_encryption = _KEY_ENCRYPTION[master]
    fields["keyEncryptionKeyID"] = base64.b64encode(name).decode()
    fields["wrappedKEK"] = material.wrap(key_encryption, MASTER[master], master.encode(), b"nonce of " + name)
    fields["wrappedDEK"] = material.wrap(key, key_encryption, name, b"nonce of " + key[-3:])
    return material.dumps(fields).encode()


def by_master(size: int = 16, *, double: bool = True, **more: Any) -> tuple[Encryption, Keys]:
    """Return a footer key and two column keys, all wrapped by master keys."""
    own = [suite_key(f"column {number}", size) for number in range(2)]
    wrapped = {key: key_material(key, "suite-column", footer=False, double=double) for key in own}
    columns = tuple(ColumnKey(key, metadata) for key, metadata in wrapped.items())
    footer = suite_key("footer", size)
    metadata = key_material(footer, "suite-footer", footer=True, double=double)
    return Encryption(footer, metadata, columns, **more), Keys(master_keys=MASTER)


def uniform(size: int = 16, **more: Any) -> tuple[Encryption, Keys]:
    """Return one key for the footer and all columns."""
    footer = suite_key("footer", size)
    return Encryption(footer, **more), Keys(footer=footer)


def explicit(**more: Any) -> tuple[Encryption, Keys]:
    """Return a footer key and two column keys, which readers know by column name."""
    columns = tuple(ColumnKey(key, b"kc%d" % number) for number, key in enumerate(OWN))
    keys = Keys(footer=FOOTER, columns=dict(zip("ab", OWN, strict=True)))
    return Encryption(FOOTER, b"kf", columns, **more), keys


def recipe(name: str, sealed: tuple[Encryption, Keys], notes: str = "", **more: Any) -> Recipe:
    """Return the recipe of a file and its keys."""
    encryption, keys = sealed
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
    names = ["encrypted", "gcm-ctr" if encryption.ctr else "gcm"]
    names.append("plaintext-footer" if encryption.plaintext_footer else "footer")
    names.append("uniform" if encryption.columns is None else "column-keys")
    names += ["aad-prefix"] if encryption.aad_prefix is not None else []
    names += ["aes256"] if len(encryption.footer_key) == 32 else []
    return tuple(f"parquet/encryption/{name}" for name in names)


_QUERIED = ("plain", "two-pages", "bloom-filter", "page-index")  # layouts with queries


def recipes() -> Iterator[Recipe]:
    """Yield the modes, and files that readers must refuse."""
    return chain(_modes(), _keys(), _prefixes(), _layouts(), _nested())


def _modes() -> Iterator[Recipe]:
    for size, ctr in product((16, 24, 32), (False, True)):
        name = f"{'ctr' if ctr else 'gcm'}-{8 * size}"
        yield recipe(f"mode/uniform-{name}", uniform(size, ctr=ctr))
        yield recipe(f"mode/columns-{name}", by_master(size, ctr=ctr))
        yield recipe(f"mode/plaintext-footer-{name}", by_master(size, ctr=ctr, plaintext_footer=True))
    yield recipe("mode/single-wrapping", by_master(double=False))
    yield recipe("mode/explicit-keys", explicit())
    encryption, keys = explicit()
    by_metadata = Keys(by_metadata={b"kf": FOOTER, b"kc0": OWN[0], b"kc1": OWN[1]})
    yield recipe("mode/key-metadata", (encryption, by_metadata))
    yield recipe("mode/no-key-metadata", (replace(encryption, columns=(ColumnKey(OWN[0]),)), keys))
    for ctr in (False, True):
        name = "ctr" if ctr else "gcm"
        yield recipe(f"mode/aad-prefix-stored-{name}", uniform(ctr=ctr, aad_prefix=b"suite"))
        encryption, keys = uniform(ctr=ctr, aad_prefix=b"suite", store_aad_prefix=False)
        yield recipe(f"mode/aad-prefix-supplied-{name}", (encryption, replace(keys, aad_prefix=b"suite")))
    yield recipe("mode/plaintext-footer-uniform", uniform(plaintext_footer=True))
    unnumbered = recipe(
        "mode/columns-without-ordinals",
        by_master(ordinals=False),
        "a reader that takes the ordinal from the row group, as it may, makes another AAD",
        level="SHOULD",
        refuse="PQ-CRYPT-032",
        either=READS_ON,
        queries=(Filter(Compare(("a",), "=", integer(64), "1"), ("c",)),),
    )
    assert isinstance(unnumbered.plan, FilePlan)
    yield replace(unnumbered, plan=replace(unnumbered.plan, row_group_details=False))
    yield recipe("mode/padding", uniform(padding=9), level="SHOULD", refuse="PQ-CRYPT-011", either=READS_ON)


def _keys() -> Iterator[Recipe]:
    wrong = suite_key("wrong")

    def refused(name: str, sealed: tuple[Encryption, Keys], rule: str, **keys: Any) -> Recipe:
        return recipe(f"keys/{name}", (sealed[0], replace(sealed[1], **keys)), refuse=rule)

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
    def refused(name: str, sealed: tuple[Encryption, Keys], rule: str, prefix: bytes | None) -> Recipe:
        level = "SHOULD" if rule == "PQ-CRYPT-003" else "MUST"
        given = (sealed[0], replace(sealed[1], aad_prefix=prefix))
        return recipe(f"aad-prefix/{name}", given, refuse=rule, level=level)

    for name, more in (("encrypted", {}), ("plaintext", {"plaintext_footer": True})):
        stored = uniform(aad_prefix=b"suite", **more)
        supplied = uniform(aad_prefix=b"suite", store_aad_prefix=False, **more)
        broken = "PQ-CRYPT-031" if more else "PQ-CRYPT-020"
        yield refused(f"{name}-stored-other-one-given", stored, "PQ-CRYPT-003", b"other")
        yield refused(f"{name}-supplied-none-given", supplied, "PQ-CRYPT-002", None)
        yield refused(f"{name}-supplied-other-one-given", supplied, broken, b"other")
        yield refused(f"{name}-none-but-one-given", uniform(**more), "PQ-CRYPT-003", b"suite")


def _layouts() -> Iterator[Recipe]:
    """Yield files of one data page per chunk, each with one addition; some have queries."""
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
    for (name, layout), ctr in product(layouts.items(), (False, True)):
        base = recipe(f"layout/{name}-{'ctr' if ctr else 'gcm'}", uniform(ctr=ctr))
        assert isinstance(base.plan, FilePlan)
        queries = _queries() if name in _QUERIED else ()
        yield replace(base, plan=replace(base.plan, columns=(layout,) * 3), queries=queries)
    for ctr in (False, True):
        stored = recipe(
            f"layout/stored-prefix-{'ctr' if ctr else 'gcm'}", uniform(ctr=ctr, aad_prefix=b"suite")
        )
        assert isinstance(stored.plan, FilePlan)
        yield replace(stored, plan=replace(stored.plan, columns=(Column(),) * 3))


def _nested() -> Iterator[Recipe]:
    """Yield files with a column of structs or of lists, of one page per chunk, beside a flat column."""
    flat = leaf("a", Type.INT64, OPTIONAL)
    inner = (leaf("y", Type.INT64, OPTIONAL), leaf("z", Type.INT64, OPTIONAL))
    element = group("list", REPEATED, leaf("element", Type.INT64, OPTIONAL))
    shapes = {
        "struct": (group("x", OPTIONAL, *inner), [{"y": 1, "z": 2}, None, {"y": None, "z": 3}]),
        "list": (list_group("x", OPTIONAL, element), [_list(1, 2), None, _list(), _list(3)]),
    }
    for (name, (field, values)), ctr in product(shapes.items(), (False, True)):
        base = recipe(f"nested/{name}-{'ctr' if ctr else 'gcm'}", uniform(ctr=ctr))
        assert isinstance(base.plan, FilePlan)
        rows = tuple({"x": value, "a": at} for at, value in enumerate(values))
        columns = (Column(),) * sum(part.type is not None for part in field + flat)
        nested = replace(
            base.plan, schema=schema(field, flat), rows=rows, columns=columns, row_groups=(len(rows),)
        )
        yield replace(base, plan=nested, queries=_queries_of_nested(name))


def _list(*values: int) -> dict[str, Any]:
    return {"list": [{"element": value} for value in values]}


def _queries_of_nested(name: str) -> tuple[Query, ...]:
    """Return queries that need only the flat column, and queries that need only a field of a struct."""
    number = integer(64)
    flat = Filter(Compare(("a",), ">=", number, "1"), ("a",))
    return (flat, Filter(Compare(("x", "y"), "=", number, "1"), ("a",))) if name == "struct" else (flat,)


def _queries() -> tuple[Query, ...]:
    """Return queries of existing values, of values beyond the bounds, and of nulls."""
    number = integer(64)
    return (
        Filter(Compare(("a",), "=", number, "1")),
        Filter(Compare(("a",), "=", number, "7")),
        Filter(In(("b",), number, ("10", "13"))),
        Filter(Compare(("c",), ">=", number, "22"), ("a",)),
        Filter(IsNull(("c",))),
        Aggregate(("c",)),
    )
