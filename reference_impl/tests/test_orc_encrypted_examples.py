"""Apache ORC's encrypted examples: with the key of their keystore as written, without it as masked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from corpora.keys import ORC_EXAMPLES
from reference_impl.errors import Malformed, UsageError
from reference_impl.orc.file import OrcFile
from reference_impl.tests import keystore

DATA = os.environ.get("ORC_TEST_DATA")
pytestmark = [pytest.mark.corpus, pytest.mark.skipif(not DATA, reason="ORC_TEST_DATA is not set")]
ROOT = Path(DATA or ".") / "encrypted"

# (with the key, without), as the pull request that added them shows (apache/orc#833)
ROWS = {
    "sample1.orc": (
        [b"123456789", b"dongjoon@apache.org", b"Dongjoon Hyun"],
        [None, b"841626795E7D351555B835A002E3BF10669DE9B81C95A3D59E10865AC37EA7C3", b"Dongjoon Hyun"],
    ),
    "sample2.orc": (
        [b"987654321", b"william@apache.org", b"William Hyun"],
        [None, b"B948E77D79105EAA53E54502CB39DA20C6A86263FA301D5B7EDBACC66D15B642", b"William Hyun"],
    ),
}


def row(file):
    """The one row of a file of strings."""
    table = file.read()
    return [
        None if column.valid is not None and not column.valid[0] else bytes(column.values.data)
        for column in table.columns
    ]


@pytest.fixture(scope="module")
def pii():
    """The key of the keystore, whose password apache/orc#833 tells."""
    return keystore.keys(ROOT / "kms.keystore", "ORC_KEY")


def test_the_keystore_holds_the_key_that_cases_use(pii):
    """The keystore has one key of 256 bits, and it is the suite's own note of it."""
    assert pii == {"pii@0": ORC_EXAMPLES.orc["pii"][0]}


@pytest.mark.parametrize("name", ROWS)
def test_with_the_key(name, pii):
    """What was written is read, and what statistics say is of it."""
    file = OrcFile.open(ROOT / name, keys={"pii": {0: pii["pii@0"]}})
    plain = ROWS[name][0]
    assert row(file) == plain
    for told in (file.statistics, file.stripe_statistics[0].col_stats):
        assert [one.string_statistics.minimum.encode() for one in told[1:]] == plain


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("keys", [None, {}, {"pii": {1: bytes(32)}}, {"other": {0: bytes(32)}}])
def test_without_the_key(name, keys):
    """Without the key, with another version or name of it, the masked values are read."""
    file = OrcFile.open(ROOT / name, keys=keys)
    assert row(file) == ROWS[name][1]
    assert file.statistics[1].string_statistics.minimum is None


@pytest.mark.parametrize("name", ROWS)
def test_with_a_wrong_key(name):
    """A wrong key is noticed when the file is opened; one of another length is the caller's mistake."""
    with pytest.raises(Malformed) as caught:
        OrcFile.open(ROOT / name, keys={"pii": {0: bytes(32)}})
    assert caught.value.rule == "ORC-CRYPT-006"
    with pytest.raises(UsageError):
        OrcFile.open(ROOT / name, keys={"pii": {0: bytes(16)}})


@pytest.mark.parametrize("name", ROWS)
def test_their_row_index_tells_what_is_hidden(name):
    """The examples have the row index of an encrypted column in the open, two entries for a row (ORC-991)."""
    file = OrcFile.open(ROOT / name, strict=True)
    with pytest.raises(Malformed) as caught:
        file.row_index(0, 1)
    assert caught.value.rule == "ORC-INDEX-001"
    assert ROWS[name][0][0] in (ROOT / name).read_bytes()
