"""Encrypted files: every mode, layouts of pages, and wrong keys or AAD prefixes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, product
from typing import Any

from corpora.build.areas import encryption_faults, encryption_modules
from corpora.build.areas.encryption_faults import ChangedMetadata, algorithm
from corpora.build.areas.encryption_plans import FOOTER, MASTER, OWN, by_master, explicit, recipe, uniform
from corpora.build.recipe import Recipe
from corpora.keys import Keys, suite_key
from corpora.queries import Aggregate, Compare, Filter, In, IsNull, Query
from corpora.tagged import integer
from reference_impl.parquet.plan import (
    Bloom,
    Column,
    ColumnKey,
    Dictionary,
    Encryption,
    FilePlan,
    Index,
    Page,
)
from reference_impl.parquet.schema import CompressionCodec, Encoding

_QUERIED = ("plain", "two-pages", "bloom-filter", "page-index")  # layouts with queries


def recipes() -> Iterator[Recipe]:
    """Yield the modes, and files that readers must refuse."""
    return chain(
        _modes(), _keys(), _prefixes(), encryption_modules.recipes(), _layouts(), encryption_faults.recipes()
    )


def _modes() -> Iterator[Recipe]:
    for size, ctr in product((16, 24, 32), (False, True)):
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
        not_supplied = ChangedMetadata(algorithm(supply_aad_prefix=False))
        yield recipe(f"mode/aad-prefix-not-to-supply-{name}", uniform(ctr=ctr), tamper=not_supplied)
    yield recipe("mode/plaintext-footer-uniform", uniform(plaintext_footer=True))
    yield recipe(
        "mode/padding",
        uniform(padding=9),
        level="SHOULD",
        refuse="PQ-CRYPT-011",
        either=encryption_modules.READS_ON,
    )


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
        return recipe(
            f"aad-prefix/{name}", (sealed[0], replace(sealed[1], aad_prefix=prefix)), refuse=rule, level=level
        )

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
