"""Descriptions of files with encrypted columns: with keys as they are, without as they are masked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reference_impl.orc.inspect import Selection, inspect
from reference_impl.orc.tamper import Tamper
from reference_impl.orc.validate import examine
from reference_impl.orc.writer import write
from reference_impl.tests.orc_encrypted import encryption, keys_of, local, plan

KEYS = keys_of(encryption())
DATA = write(plan())


def column(told, number):
    """A column of the second stripe."""
    return told["stripes"][1]["columns"][number]


def test_variants_are_described():
    """Variants are told with column, key and algorithm, and whether they were opened."""
    for keys, opened in ((KEYS, [True, True]), (None, [False, False]), ({"pii": KEYS["pii"]}, [True, False])):
        told = inspect(DATA, keys=keys)["encryption"]
        assert [one["opened"] for one in told] == opened
        assert [(one["key"], one["version"], one["path"]) for one in told] == [
            ("pii", 0, ["a"]),
            ("cc", 2, ["c"]),
        ]
        assert {one["algorithm"] for one in told} == {"AES_CTR_128"}


def test_columns_are_described_as_they_are():
    """Statistics, streams, row index and Bloom filters are those of what the keys open."""
    told, masked = inspect(DATA, keys=KEYS), inspect(DATA)
    assert told["errors"] == masked["errors"] == []
    for one, low in ((told, "Name 25"), (masked, None)):
        found = column(one, 1)
        text = found["statistics"]["string_statistics"]["minimum"]
        first = found["row_index"][0]["statistics"]["string_statistics"]["minimum"]
        assert (text == low) == (first == low) == (low is not None)
        assert found["bloom_filter_utf8"]
    assert {one.get("variant") for one in column(told, 1)["streams"]} == {0}
    assert {one.get("variant") for one in column(masked, 1)["streams"]} == {None}
    assert column(told, 2) == column(masked, 2)
    assert column(inspect(DATA, Selection(column="c.y"), KEYS), 0)["statistics"]["number_of_values"] == 12


def test_what_cannot_be_opened_is_told():
    """A wrong key is an error of the description, and of validation; what is masked is described."""
    wrong = {"pii": {0: b"w" * 16}}
    told = inspect(DATA, keys=wrong)
    assert [one["rule"] for one in told["errors"]] == ["ORC-CRYPT-006"]
    assert told["stripes"] == inspect(DATA)["stripes"]
    assert [one.rule for one in examine(DATA, wrong).violations] == ["ORC-CRYPT-006"]
    assert examine(DATA, {"pii": {0: bytes(32)}}).violations == []
    assert len(examine(DATA, {"pii": {0: bytes(32)}}).unchecked) == 2


def test_validation_looks_at_both():
    """With the keys nothing is left unchecked; without, the names of the keys are told."""
    assert examine(DATA, KEYS).unchecked == []
    (told,) = examine(DATA).unchecked
    assert "cc@2, pii@0" in told


@pytest.mark.parametrize("keys", [None, KEYS])
def test_a_lie_in_hidden_statistics_is_found(keys):
    """Statistics that are wrong under encryption are wrong for those who can see them."""

    class Lie(Tamper):
        def statistics(self, place, group, found):
            if place.variant == 0 and place.stripe == 0 and group is None:
                found.string_statistics.minimum = "Z"
            return found

    found = {one.rule for one in examine(write(plan(), Lie()), keys).violations}
    assert found == (set() if keys is None else {"ORC-STATS-019"})


def test_a_key_that_is_cut_in_the_tail():
    """A local key of the tail of another length is told without any key."""

    class Cut(Tamper):
        def footer(self, footer):
            said = footer.encryption
            first = replace(said.variants[0], encrypted_key=local("a")[:8])
            return replace(footer, encryption=replace(said, variants=(first, *said.variants[1:])))

    assert [one.rule for one in examine(write(plan(), Cut())).violations] == ["ORC-CRYPT-005"]
