"""Plans, keys and recipes of encrypted Parquet files."""

from __future__ import annotations

import base64
from typing import Any

from corpora.build.recipe import OPTIONAL, Recipe, leaf, schema
from corpora.keys import Keys, suite_key
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
from reference_impl.parquet.schema import Encoding, Type

_SPEC = "Encryption.md"
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
    columns = tuple(
        ColumnKey(key, key_material(key, "suite-column", footer=False, double=double)) for key in own
    )
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
    return Encryption(FOOTER, b"kf", columns, **more), Keys(
        footer=FOOTER, columns=dict(zip("ab", OWN, strict=True))
    )


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
