"""Parquet files that are encrypted: the published ones, module by module."""

import os
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from corpora.keys import PARQUET_TESTING, PARQUET_TESTING_256, PARQUET_TESTING_MASTER, Keys
from reference_impl.columns import to_python
from reference_impl.errors import Malformed, ReferenceError_, Unsupported, UsageError
from reference_impl.parquet import index
from reference_impl.parquet.encryption import material, modules
from reference_impl.parquet.encryption.keys import Finder
from reference_impl.parquet.encryption.modules import ModuleKind, Place
from reference_impl.parquet.file import ParquetFile

DATA = os.environ.get("PARQUET_TEST_DATA")
needs_data = pytest.mark.skipif(DATA is None, reason="PARQUET_TEST_DATA is not set")
EXTERNAL = "external_key_material_java.parquet.encrypted"
PLAIN_FOOTER = "data/encrypt_columns_plaintext_footer.parquet.encrypted"
WRONG = b"sixteen wrong ..."[:16]


def read(name):
    """Return the bytes of a published file."""
    return (Path(DATA) / name).read_bytes()


def keys_of(path):
    """Return the documented keys of a published file."""
    if path.name == EXTERNAL:
        text = path.with_name(f"_KEY_MATERIAL_FOR_{path.name}.json").read_text()
        return PARQUET_TESTING_MASTER.with_material(text)
    keys = PARQUET_TESTING_256 if path.parent.name == "aes256" else PARQUET_TESTING
    return replace(keys, aad_prefix=b"tester") if "disable_aad" in path.name else keys


@cache
def values(path):
    """Return the values of a published file by column, and how many indexes and filters it has."""
    file = ParquetFile(path.read_bytes(), keys_of(path))
    beside = [0, 0]
    for group, _ in enumerate(file.metadata.row_groups):
        for column, _ in enumerate(file.leaves):
            beside[0] += index.offset_index(file, group, column) is not None
            assert (
                index.column_index(file, group, column) is not None or file.leaves[column].physical.type == 3
            )
            found = index.bloom_filter(file, group, column)
            if found is not None:
                assert len(index.bloom_bitset(file, group, column, found)) == found.header.numBytes
                beside[1] += 1
    table = file.read()
    return {column.name: to_python(column) for column in table.columns}, beside


@needs_data
@pytest.mark.corpus
def test_published_files():
    """Each published file opens with its keys; those of one content hold the same values."""
    files = sorted(Path(DATA).rglob("*.encrypted"))
    assert len(files) == 13
    found = {path: values(path) for path in files}
    for folder, count in (("data", 6), ("aes256", 5)):
        same = [held for path, (held, _) in found.items() if path.parent.name == folder and len(held) == 8]
        assert len(same) == count
        assert all(one == same[0] for one in same)
        assert same[0]["boolean_field"] == [number % 2 == 0 for number in range(50)]
        assert same[0]["int32_field"] == list(range(50))
    blooms = [beside[1] for path, (_, beside) in found.items() if "bloom" in path.name]
    assert blooms == [2]
    held, _ = values(Path(DATA) / "data" / EXTERNAL)
    assert held["integers"] == list(range(100))


@needs_data
@pytest.mark.parametrize("name", ["data/uniform_encryption.parquet.encrypted", PLAIN_FOOTER])
def test_no_keys(name):
    """Without keys, what is encrypted is Unsupported, and what is not can be read."""
    data = read(name)
    with pytest.raises(Unsupported) as caught:
        ParquetFile(data).read()
    assert caught.value.rule == "PQ-CRYPT-000"
    if name == PLAIN_FOOTER:
        assert ParquetFile(data).read(["int32_field"]).columns[0].length == 50


@needs_data
def test_a_key_too_few():
    """A column whose key is not there is Unsupported by rule; the others are read, the footer is verified."""
    for name in (PLAIN_FOOTER, "data/encrypt_columns_and_footer.parquet.encrypted"):
        keys = Keys(
            footer=PARQUET_TESTING.footer, columns={"double_field": PARQUET_TESTING.by_metadata[b"kc1"]}
        )
        file = ParquetFile(read(name), keys)
        assert file.read(["double_field", "int32_field"]).columns[1].length == 50
        with pytest.raises(Unsupported) as caught:
            file.read(["float_field"])
        assert caught.value.rule == "PQ-CRYPT-001"
        with pytest.raises(Unsupported):
            index.column_index(file, 0, 4)


@needs_data
@pytest.mark.parametrize(
    ("name", "keys", "rule"),
    [
        ("uniform_encryption", {"footer": WRONG}, "PQ-CRYPT-020"),
        ("uniform_encryption", {"footer": None, "by_metadata": {}}, "PQ-CRYPT-001"),
        ("uniform_encryption", {"aad_prefix": b"tester"}, "PQ-CRYPT-003"),
        ("encrypt_columns_and_footer_aad", {"aad_prefix": b"tester"}, None),
        ("encrypt_columns_and_footer_aad", {"aad_prefix": b"Tester"}, "PQ-CRYPT-003"),
        ("encrypt_columns_and_footer_disable_aad_storage", {}, "PQ-CRYPT-002"),
        ("encrypt_columns_and_footer_disable_aad_storage", {"aad_prefix": b"x"}, "PQ-CRYPT-020"),
        ("encrypt_columns_and_footer", {"columns": {"float_field": WRONG}}, "PQ-CRYPT-021"),
        ("encrypt_columns_plaintext_footer", {"footer": WRONG}, "PQ-CRYPT-031"),
        ("encrypt_columns_plaintext_footer", {"columns": {"float_field": WRONG}}, "PQ-CRYPT-021"),
        ("encrypt_columns_and_footer_ctr", {"columns": {"float_field": WRONG}}, "PQ-CRYPT-021"),
    ],
)
def test_wrong_keys(name, keys, rule):
    """A wrong key and a wrong, missing or needless AAD prefix are refused, each by its rule."""
    data = read(f"data/{name}.parquet.encrypted")
    told = None
    try:
        ParquetFile(data, replace(PARQUET_TESTING, **keys)).read()
    except ReferenceError_ as error:
        told = error.rule
    assert told == rule


@needs_data
@pytest.mark.parametrize("ctr", [False, True])
def test_any_byte_of_a_module(ctr):
    """A byte changed in any GCM module is refused; in a page of AES_GCM_CTR_V1 it changes values at most."""
    name = "encrypt_columns_and_footer_ctr" if ctr else "encrypt_columns_and_footer"
    path = Path(DATA) / "data" / f"{name}.parquet.encrypted"
    data = path.read_bytes()
    plain = ParquetFile(data, keys_of(path))
    page = next(plain.pages(0, 4))
    pages = range(page.body_offset + 16, page.body_offset + len(page.stored))
    spared = 0
    for at in (*range(page.offset, page.body_offset + 40, 3), *range(len(data) - 60, len(data))):
        broken = bytearray(data)
        broken[at] ^= 1
        try:
            ParquetFile(bytes(broken), keys_of(path)).read(["float_field"])
        except ReferenceError_:
            continue
        assert ctr
        assert at in pages or at in range(page.body_offset + 4, page.body_offset + 16)
        spared += 1
    assert bool(spared) == ctr


def test_aad():
    """The AAD of each module type has the parts of the table of 4.4.2, little-endian."""
    place = Place(1, 2, 0x0304)
    assert modules.aad(b"pu", ModuleKind.FOOTER, place) == b"pu\0"
    assert (
        modules.aad(b"pu", ModuleKind.DATA_PAGE, place).hex() == b"pu".hex() + "02" + "0100" + "0200" + "0403"
    )
    assert (
        modules.aad(b"pu", ModuleKind.DATA_PAGE_HEADER, place).hex()
        == b"pu".hex() + "04" + "0100" + "0200" + "0403"
    )
    for kind in (1, 3, 5, 6, 7, 8, 9):
        assert modules.aad(b"", ModuleKind(kind), place) == bytes([kind, 1, 0, 2, 0])
    with pytest.raises(Malformed) as caught:
        modules.aad(b"", ModuleKind.DATA_PAGE, Place(0, 0, 1 << 15))
    assert caught.value.rule == "PQ-CRYPT-014"


def test_frames():
    """A module's length is checked against what is there, and against nonce and tag."""
    whole = (28).to_bytes(4, "little") + bytes(28)
    assert modules.frame(whole, 0, 0, ModuleKind.DATA_PAGE).end == 32
    short = (12).to_bytes(4, "little") + bytes(12)
    assert modules.frame(short, 0, 0, ModuleKind.DATA_PAGE, ctr=True).sealed == b""
    for bad in (whole[:-1], short, b"\xff\xff\xff\xff" + whole[4:], b"", b"\1\0\0"):
        with pytest.raises(Malformed) as caught:
            modules.frame(bad, 0, 0, ModuleKind.DATA_PAGE)
        assert caught.value.rule == "PQ-CRYPT-010"


def test_test_vectors():
    """AES GCM as in NIST's example (McGrew and Viega, test case 4), and CTR from counter 1 on."""
    key, nonce = bytes.fromhex("feffe9928665731c6d6a8f9467308308"), bytes.fromhex("cafebabefacedbaddecaf888")
    plain = bytes.fromhex(
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525"
        "b16aedf5aa0de657ba637b39"
    )
    authentic = bytes.fromhex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
    sealed = modules.gcm_seal(key, nonce, plain, authentic)
    assert sealed[-16:].hex() == "5bc94fbc3221a5db94fae95ae7121a47"
    assert modules.gcm_open(key, nonce, sealed, authentic) == plain
    # GCM's own counter begins with 2 behind the block that makes the tag: CTR is one block earlier.
    assert modules.ctr(key, nonce, bytes(16) + plain)[16:] == sealed[:-16]


def test_key_material():
    """A wrapped key comes back, alone and double; another master key, id or text is refused, or no key."""
    key, kek, master, nonce = b"k" * 24, b"e" * 16, b"m" * 16, b"n" * 12
    single = {
        "keyMaterialType": "PKMT1",
        "internalStorage": True,
        "masterKeyID": "mk",
        "doubleWrapping": False,
    }
    single["wrappedDEK"] = material.wrap(key, master, b"mk", nonce)
    double = {**single, "doubleWrapping": True, "keyEncryptionKeyID": "a2Vr"}
    double["wrappedDEK"] = material.wrap(key, kek, b"kek", nonce)
    double["wrappedKEK"] = material.wrap(kek, master, b"mk", nonce)
    local = {**single, "wrappedDEK": material.dumps({"encryptedKey": single["wrappedDEK"]})}
    for one in (single, double, local):
        raw = material.dumps(one).encode()
        assert material.resolve(raw, {}, {"mk": master}, None) == key
        assert material.resolve(raw, {}, {"other": master}, None) is None
        with pytest.raises(Malformed) as caught:
            material.resolve(raw, {}, {"mk": bytes(16)}, None)
        assert caught.value.rule == "PQ-CRYPT-005"
    outside = material.dumps(
        {"keyMaterialType": "PKMT1", "internalStorage": False, "keyReference": "c0"}
    ).encode()
    assert material.resolve(outside, {"c0": material.dumps(double)}, {"mk": master}, None) == key
    assert material.resolve(outside, {}, {"mk": master}, None) is None
    for text in (b"kf", b"[1]", b"\xff", b"{}"):
        assert material.resolve(text, {}, {"mk": master}, None) is None


def test_key_size():
    """A key that AES does not take is the caller's mistake; `corpora.keys` refuses it earlier."""

    class Short:
        footer, columns, by_metadata = b"short", {}, {}
        aad_prefix, master_keys, key_material = None, {}, {}

    with pytest.raises(UsageError):
        Finder(Short(), None).footer()
