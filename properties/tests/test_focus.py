"""Seeds with a focus: their numbers, and the sheets that they generate."""

from __future__ import annotations

import random
from types import SimpleNamespace

import pytest

import properties.generate
from corpora.features import registry
from properties.focus import SEEDS, code, focus_of, focused
from properties.generate import generate
from properties.strategies.schemas import OF_FEATURES

RARE = "parquet/encoding/delta-byte-array"


def test_a_seed_says_its_focus():
    """Every feature of the registry has a unique number; a seed without such a number has no focus."""
    features = list(registry())
    assert len({code(one) for one in features}) == len(features)
    for feature in features:
        assert focus_of(focused(7, feature)) == feature
        assert focused(7, feature) % SEEDS == 7
    assert (focus_of(7), focus_of(SEEDS - 1), focused(7, "")) == ("", "", 7)
    for seed in (-1, SEEDS):
        with pytest.raises(ValueError, match="from 0 to"):
            focused(seed, RARE)


def test_a_focus_gives_more_of_a_feature(monkeypatch):
    """A feature of one sheet in five is in more than half of the sheets that have their focus on it."""

    def made(seed, numbers, format_, turn=0):  # noqa: ARG001 - as it is called
        for number in numbers:
            has = random.Random(f"{seed}/{number}/{turn}").random() < 0.2
            file = SimpleNamespace(features=(RARE,) if has else ())
            yield SimpleNamespace(number=number, files=(file,), turn=turn)

    def share(seed):
        return sum(RARE in sheet.files[0].features for sheet in properties.generate.generate(seed, 0, 500))

    monkeypatch.setattr(properties.generate, "_sheets", made)
    assert 50 < share(5) < 150
    assert 250 < share(focused(5, RARE)) < 350
    (first,) = {sheet.turn for sheet in properties.generate.generate(5, 0, 500)}
    assert first == 0


@pytest.mark.heavy
def test_a_sheet_does_not_depend_on_its_block():
    """A sheet is the same alone and among others, for seeds with a focus and without."""
    seed = focused(5, RARE)
    among = list(generate(seed, 0, 2))
    for number, sheet in enumerate(among):
        (alone,) = generate(seed, number, number + 1)
        assert [one.data for one in alone.files] == [one.data for one in sheet.files]
        assert (alone.queries, alone.number, alone.seed) == (sheet.queries, number, seed)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("feature", list(OF_FEATURES))
def test_a_focus_on_a_field_is_in_every_file(feature, fewer):
    """A feature of OF_FEATURES is in all files of all sheets with a focus on it."""
    sheets = list(generate(focused(5, feature), 0, fewer(3, 3)))
    assert all(feature in file.features for sheet in sheets for file in sheet.files)
    assert any(file.data != sheets[0].files[0].data for sheet in sheets for file in sheet.files)
