"""Encrypted Parquet files (Encryption.md): the encryption of the files of a sheet, and the keys for them.

All files of a sheet are opened by the same keys, so that a query engine can read them in one query. The keys
are those of this suite, and follow from the plan: master keys of a key management service where the file has
key material, else the keys themselves.
"""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from corpora.build.areas.encryption import MASTER, key_material
from corpora.keys import KEY_SIZES, Keys, suite_key
from properties.strategies.chances import choice, one_in
from properties.strategies.sheet import MAX_FILES, Sheet
from properties.strategies.sheets import sheets as plain_sheets
from reference_impl.parquet.plan import ColumnKey, Encryption, FilePlan
from reference_impl.parquet.schema import SchemaElement
from reference_impl.parquet.tree import build

# The features that every sheet of this strategy can have; `corpora/features.toml` describes them.
FEATURES = tuple(
    f"parquet/encryption/{name}"
    for name in (
        *("encrypted", "footer", "plaintext-footer", "column-keys", "uniform"),
        *("gcm", "gcm-ctr", "aad-prefix"),
    )
)
_OWN_KEYS = 16
_PREFIX = b"colconf"
_KEYS_OF_COLUMNS = b"footer, beside keys of columns"


@st.composite
def sheets(draw: st.DrawFn, min_files: int = 2, max_files: int = MAX_FILES) -> Sheet[SchemaElement, FilePlan]:
    """Return a sheet of files that the same keys open."""
    sheet = draw(plain_sheets(min_files, max_files))
    wrapped = draw(st.booleans())
    size = choice(draw, (16, 16, *KEY_SIZES))
    footer = suite_key("footer", size)
    names = _names(sheet.plans[0])
    has_own = not one_in(draw, 4)
    stored = choice(draw, (None, None, True, False))  # False: the reader supplies the prefix
    base = Encryption(
        footer,
        aad_prefix=None if stored is None else _PREFIX,
        store_aad_prefix=stored is not False,
        file_unique=draw(st.binary(min_size=8, max_size=8)),
    )
    if wrapped:
        double = draw(st.booleans())
        base = replace(base, footer_metadata=key_material(footer, "suite-footer", footer=True, double=double))
        keys = [_of_column(name, size, double=double) for name in names]
    else:
        base = replace(base, footer_metadata=_KEYS_OF_COLUMNS if has_own else None)
        keys = [_of_column(name, size) for name in names]
    plans = [
        replace(_without_index_pages(plan), encryption=_of_file(draw, base, keys, has_own=has_own))
        for plan in sheet.plans
    ]
    return replace(sheet, plans=tuple(plans))


def _names(plan: FilePlan) -> list[str]:
    """Return for each leaf column the name of its key in the suite: columns of one path have one key."""
    paths = [leaf.path for leaf in build(list(plan.schema)).leaves()]
    numbers = {path: number % _OWN_KEYS for number, path in enumerate(dict.fromkeys(paths))}
    return [f"column {numbers[path]}" for path in paths]


def _of_column(name: str, size: int, *, double: bool | None = None) -> ColumnKey:
    """Return a key of the suite, with its name as metadata or, if `double` says how, as key material."""
    key = suite_key(name, size)
    if double is None:
        return ColumnKey(key, name.encode())
    return ColumnKey(key, key_material(key, "suite-column", footer=False, double=double))


def _without_index_pages(plan: FilePlan) -> FilePlan:
    """Return a plan without index pages, which Encryption.md names no module for."""
    columns = tuple(replace(column, index_page=None) for column in plan.columns)
    overrides = tuple(
        (group, leaf, replace(column, index_page=None)) for group, leaf, column in plan.overrides
    )
    return replace(plan, columns=columns, overrides=overrides)


def _of_file(draw: st.DrawFn, base: Encryption, keys: list[ColumnKey], *, has_own: bool) -> Encryption:
    """Return the encryption of a file: only with the footer key, or with a choice for each column."""
    columns = None
    if has_own and not one_in(draw, 4):  # its own key, the footer's, or not encrypted
        columns = tuple(choice(draw, (key, key, ColumnKey(), None)) for key in keys)
    return replace(
        base,
        columns=columns,
        ctr=one_in(draw, 3),
        plaintext_footer=one_in(draw, 3),
        ordinals=draw(st.booleans()),
        seed=draw(st.integers(0, 1 << 16)),
    )


def keys_of(plan: FilePlan) -> Keys | None:
    """Return the keys that open the files of a plan's sheet, None for a file that is not encrypted."""
    encryption = plan.encryption
    if encryption is None:
        return None
    prefix = None if encryption.store_aad_prefix else encryption.aad_prefix
    if encryption.footer_metadata is None:
        return Keys(footer=encryption.footer_key, aad_prefix=prefix)
    if encryption.footer_metadata != _KEYS_OF_COLUMNS:
        return Keys(master_keys=MASTER, aad_prefix=prefix)
    size = len(encryption.footer_key)
    names = _names(plan)
    paths = [".".join(leaf.path) for leaf in build(list(plan.schema)).leaves()]
    return Keys(
        footer=encryption.footer_key,
        columns={path: suite_key(name, size) for path, name in zip(paths, names, strict=True)},
        by_metadata={name.encode(): suite_key(name, size) for name in names},
        aad_prefix=prefix,
    )


def silence(plan: FilePlan) -> str:
    """Return why a reader may refuse an encrypted file that breaks no MUST; "" if it must not."""
    if plan.encryption is None:
        return ""
    if not plan.encryption.ordinals and not plan.row_group_details:
        return "row groups without ordinals, which Encryption.md, 5.2 says are set"
    layouts = (*plan.columns, *(column for *_, column in plan.overrides))
    if any(column.dictionary and not column.dictionary.offset for column in layouts):
        return "a dictionary without its offset: nothing names the first module (Encryption.md, 4.4.2)"
    return ""
