"""Encrypted columns of ORC: read with the keys as they are, without them masked; what is wrong is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference_impl.errors import Malformed, Unsupported, UsageError
from reference_impl.orc.encryption import ctr, local_key, stripe_ids, vector_of
from reference_impl.orc.encryption_plan import Mask, MasterKey, Restart, Variant
from reference_impl.orc.file import OrcFile
from reference_impl.orc.masks import masked
from reference_impl.orc.pushdown import Test, candidates
from reference_impl.orc.schema import (
    CompressionKind,
    EncryptionAlgorithm,
    KeyProviderKind,
    Stream,
    StreamKind,
    StripeInformation,
)
from reference_impl.orc.tamper import Tamper
from reference_impl.orc.types import build
from reference_impl.orc.validate import validate
from reference_impl.orc.writer import write
from reference_impl.tests.orc_encrypted import ROWS, TYPES, encryption, keys_of, local, plan, rows_of

KEYS = keys_of(encryption())
PLAIN = list(ROWS)
MASKED = masked(build(TYPES), ROWS, encryption())


def opened(data, keys=KEYS):
    """Open a file and read all of it, statistics and indexes too."""
    file = OrcFile(data, keys=keys)
    assert file.stripe_statistics
    for stripe in range(len(file.footer.stripes)):
        for column in range(file.root.max_id + 1):
            file.row_index(stripe, column)
            file.bloom_filters(stripe, column)
    return rows_of(file.read())


def refused(data, keys=KEYS):
    """The rule that a file breaks."""
    with pytest.raises(Malformed) as caught:
        opened(data, keys)
    return caught.value.rule


def broken(**hooks):
    """The file, changed by hooks of a tamper."""
    made = {name: _method(hook) for name, hook in hooks.items()}
    return write(plan(), type("Broken", (Tamper,), made)())


def _method(hook):
    return lambda _, *given_: hook(*given_)


def test_ctr():
    """AES/CTR is that of NIST SP 800-38A, F.5.1, for 128 and F.5.5 for 256 bits."""
    vector = bytes.fromhex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
    text = bytes.fromhex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51")
    short = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
    long = bytes.fromhex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
    assert (
        ctr(short, vector, text).hex() == "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"
    )
    assert ctr(long, vector, text).hex() == "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"


def test_vector():
    """A vector is column, kind of stream and stripe, in 3, 2 and 3 bytes, and a counter of 0."""
    assert vector_of(0x010203, StreamKind.FILE_STATISTICS, 0x040506).hex() == "0102030065040506" + "00" * 8
    for column, stripe in ((-1, 1), (1 << 24, 1), (0, 0), (0, 1 << 24)):
        with pytest.raises(UsageError):
            vector_of(column, StreamKind.DATA, stripe)


def test_local_key():
    """A local key is decrypted with its own first 16 bytes as the vector."""
    encrypted = local("x", 32)
    assert ctr(b"m" * 32, encrypted[:16], local_key(b"m" * 32, encrypted)) == encrypted


@pytest.mark.parametrize("size", [16, 32])
@pytest.mark.parametrize("compression", [CompressionKind.NONE, CompressionKind.ZLIB])
def test_there_and_back(size, compression):
    """With all keys the rows are as they were, with none as the masks made them."""
    hidden = encryption(size)
    data = write(plan(hidden, compression=compression))
    assert opened(data, keys_of(hidden)) == PLAIN
    assert opened(data, None) == opened(data, {}) == MASKED
    one = {"pii": {0: hidden.keys[0].key}}
    assert opened(data, one) == [(*row[:2], seen[2]) for row, seen in zip(PLAIN, MASKED, strict=True)]
    assert opened(data, {"pii": {1: hidden.keys[0].key}}) == MASKED  # another version is another key
    assert b"Name" not in data or compression is CompressionKind.NONE


def test_nothing_is_told():
    """Without compression, no value of an encrypted column stands in the file, not in statistics either."""
    data = write(plan(compression=CompressionKind.NONE))
    assert b"Name" not in data
    assert b"Name" in write(replace(plan(compression=CompressionKind.NONE), encryption=None))


@settings(max_examples=25, deadline=None)
@given(
    first=st.integers(1, (1 << 24) - 3),
    restart=st.booleans(),
    sizes=st.lists(st.integers(0, 20), min_size=1, max_size=3),
    statistics=st.booleans(),
    stride=st.sampled_from([0, 7]),
    cut=st.sampled_from([CompressionKind.NONE, CompressionKind.ZLIB, CompressionKind.ZSTD]),
)
def test_layouts(first, restart, sizes, statistics, stride, cut):  # noqa: PLR0917 - what is drawn
    """Ids of stripes, new keys in merged files, statistics or none: whatever is written is read."""
    restarts = (Restart(len(sizes) - 1, (local("d"), local("e")), 7),) if restart else ()
    hidden = encryption(first_id=first, restarts=restarts)
    rows = ROWS[: sum(sizes)] + ROWS[: max(0, sum(sizes) - len(ROWS))]
    made = plan(
        hidden,
        rows=rows,
        stripes=tuple(sizes),
        row_index_stride=stride,
        columns=(),
        compression=cut,
        file_statistics=statistics,
        stripe_statistics=statistics,
    )
    data = write(made)
    assert rows_of(OrcFile(data, keys=KEYS).read()) == list(rows)
    assert rows_of(OrcFile(data).read()) == masked(build(TYPES), rows, hidden)


def test_masked_rows_of_a_user():
    """What a user masked stands among the unencrypted columns as it is."""
    own = tuple((b"?", row[1], None) for row in ROWS)
    hidden = encryption(masked=own, masks=(Mask("mine", (1, 3), ("p",)),))
    data = write(plan(hidden))
    assert opened(data, None) == list(own)
    assert opened(data) == PLAIN
    with pytest.raises(UsageError):
        write(plan(encryption(masked=own[1:])))


def test_row_groups():
    """Positions lead into encrypted streams as into others."""
    file = OrcFile(write(plan()), keys=KEYS)
    assert rows_of(file.read_rows(None, 0, 13, 22)) == PLAIN[13:22]
    assert rows_of(file.read_rows(["c.y", "a"], 1, 11, 15)) == [
        (row[0], None if row[2] is None else row[2][1:]) for row in PLAIN[36:40]
    ]


def test_what_may_be_skipped():
    """Statistics and Bloom filters that are used are those of the variant that is read."""
    data = write(plan())
    for keys, found in ((KEYS, [(10, 20)]), (None, [])):
        file = OrcFile(data, keys=keys)
        name = Test(file.root.children[0], "=", [b"Name 17"], "total")
        assert candidates(file, 0, 1, name) == found
    file = OrcFile(data, keys=KEYS)
    assert file.statistics[4].int_statistics.minimum == -38
    assert file.stripe_statistics[0].col_stats[4].int_statistics.minimum == -23
    assert OrcFile(data).stripe_statistics[0].col_stats[4].int_statistics.minimum == -99


def test_another_service_of_keys():
    """A function may answer local keys of any provider; master keys help with Hadoop's only."""
    hidden = encryption(provider=KeyProviderKind.AWS)
    data = write(plan(hidden))

    def asked(key, encrypted):
        return local_key(b"p" * 16, encrypted) if key.key_name == "pii" else None

    assert opened(data, asked) == [(*row[:2], seen[2]) for row, seen in zip(PLAIN, MASKED, strict=True)]
    with pytest.raises(Unsupported):
        OrcFile(data, keys=KEYS)
    assert opened(data, {"cc": {1: b"f" * 16}}) == MASKED


def test_an_algorithm_of_the_future():
    """An algorithm that is not known is told to those who have the key, and hides the columns of others."""

    def later(footer):
        footer.encryption.key[0].algorithm = EncryptionAlgorithm.UNKNOWN_ENCRYPTION
        return footer

    data = broken(footer=later)
    assert opened(data, {"cc": KEYS["cc"]})[0][0] == MASKED[0][0]
    with pytest.raises(Unsupported):
        OrcFile(data, keys=KEYS)


def test_keys_of_another_length():
    """A key that is not of the algorithm's length is the caller's mistake."""
    with pytest.raises(UsageError):
        OrcFile(write(plan()), keys={"pii": {0: bytes(32)}})


def test_wrong_keys():
    """A wrong key is noticed where it makes nothing legal of the statistics of the file."""
    for name, version in (("pii", 0), ("cc", 2)):
        assert refused(write(plan()), {name: {version: b"w" * 16}}) == "ORC-CRYPT-006"


def test_wrong_local_key_of_a_stripe():
    """A wrong local key is noticed by the chunks of the streams that it is for."""

    def other(number, information):
        if number == 0:
            information.encrypted_local_keys = (local("other"), local("c"))
        return information

    assert refused(broken(stripe_information=other)).startswith(
        ("ORC-COMP", "ORC-PROTO", "ORC-STR", "ORC-INT")
    )


def test_flipped_bytes():
    """CTR hides no change: that of a chunk's head is noticed, that of a stored byte is not."""

    def flip(place, data):
        return (
            bytes([data[0] ^ 1, data[1], data[2] ^ 0x40, *data[3:]])
            if place.kind is StreamKind.DATA
            else data
        )

    assert refused(broken(sealed=flip)) == "ORC-COMP-002"

    def lower(_, place, data):
        here = place.kind is StreamKind.DATA and place.column == 1
        return bytes([data[0] ^ 0x20]) + data[1:] if here else data

    made = plan(compression=CompressionKind.NONE)
    data = write(made, type("Lower", (Tamper,), {"sealed": lower})())
    assert opened(data)[0][0] == b"name 0"


def _encryption(change):
    def footer(found):
        change(found.encryption)
        return found

    return {"footer": footer}


def _variant(number, **fields):
    def change(found):
        for name, value in fields.items():
            setattr(found.variants[number], name, value)

    return _encryption(change)


def _stripe(change):
    def footer(_, found):
        change(found)
        return found

    return {"stripe_footer": footer}


def _information(**fields):
    def change(number, found):
        for name, value in fields.items() if not number else ():
            setattr(found, name, value)
        return found

    return {"stripe_information": change}


def _longer(found):
    found.streams = tuple(
        replace(one, length=one.length + 1) if one.kind is StreamKind.ENCRYPTED_INDEX else one
        for one in found.streams
    )


def _moved(found):
    """Name a stream more than the room of a variant's streams has."""
    found.encryption[0].streams += (Stream(kind=StreamKind.DATA, column=1, length=1),)


def _of_stranger(found):
    found.encryption[0].streams[0].column = 2


def _less_encodings(found):
    found.encryption[1].encoding = found.encryption[1].encoding[:-1]


def _less_variants(found):
    found.encryption = found.encryption[:1]


def _statistics(**fields):
    def change(found):
        first = found.variants[0].stripe_statistics[0]
        found.variants[0].stripe_statistics = (replace(first, **fields),)

    return _encryption(change)


FAULTS = {
    "root": (_variant(0, root=9), "ORC-CRYPT-001"),
    "key": (_variant(0, key=2), "ORC-CRYPT-002"),
    "no id": (_information(encrypt_stripe_id=None), "ORC-CRYPT-003"),
    "no keys": (_information(encrypted_local_keys=()), "ORC-CRYPT-003"),
    "one key": (_information(encrypted_local_keys=(local("a"),)), "ORC-CRYPT-003"),
    "id of 0": (_information(encrypt_stripe_id=0), "ORC-CRYPT-004"),
    "id too large": (_information(encrypt_stripe_id=(1 << 24) - 1), "ORC-CRYPT-004"),
    "key of the tail cut": (_variant(0, encrypted_key=local("a")[:15]), "ORC-CRYPT-005"),
    "key of the tail absent": (_variant(0, encrypted_key=None), "ORC-CRYPT-005"),
    "key cut": (_information(encrypted_local_keys=(local("a"), local("c")[:8])), "ORC-CRYPT-005"),
    "file statistics of another": (_variant(0, file_statistics=b"123"), "ORC-CRYPT-006"),
    "file statistics of none": (_variant(0, file_statistics=b""), "ORC-CRYPT-006"),
    "statistics of another": (_statistics(column=2), "ORC-CRYPT-007"),
    "statistics of another kind": (_statistics(kind=StreamKind.DATA), "ORC-CRYPT-007"),
    "statistics too long": (_statistics(length=1000), "ORC-CRYPT-007"),
    "statistics too short": (_statistics(length=0), "ORC-CRYPT-007"),
    "variants of a stripe": (_stripe(_less_variants), "ORC-CRYPT-008"),
    "encodings of a variant": (_stripe(_less_encodings), "ORC-CRYPT-009"),
    "room too large": (_stripe(_longer), "ORC-STRIPE-010"),
    "streams too many": (_stripe(_moved), "ORC-CRYPT-010"),
    "streams of another": (_stripe(_of_stranger), "ORC-CRYPT-011"),
}


@pytest.mark.sweep(3)
@pytest.mark.parametrize("name", FAULTS)
def test_faults(name):
    """What the file says of its encryption is checked by those who have a key, and by validation."""
    hooks, rule = FAULTS[name]
    data = broken(**hooks)
    assert refused(data) == rule
    assert rule in {one.rule for one in validate(data, KEYS)}


@pytest.mark.parametrize(
    "wrong",
    [
        {"keys": (MasterKey("pii", bytes(24)),)},
        {"variants": (Variant(9, local("a")),)},
        {"variants": (Variant(1, local("a"), 2),)},
        {"variants": (Variant(1, local("a")[:8]),)},
        {"restarts": (Restart(1, (local("a"),)),)},
    ],
)
def test_plans_that_no_file_has(wrong):
    """Keys of another length, columns and keys that are not there, and keys that are missing are refused."""
    with pytest.raises(UsageError):
        write(plan(encryption(**wrong)))


def test_ids_of_stripes():
    """An id is that of the stripe before and one more, where it is not told."""
    told = tuple(StripeInformation(encrypt_stripe_id=number) for number in (3, None, 1, None))
    assert stripe_ids(told, 0) == (3, 4, 1, 2)
