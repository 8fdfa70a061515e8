"""Generated encrypted files: legal, in every mode, and opened by the keys of their sheet."""

from __future__ import annotations

import pytest

from corpora import rules
from corpora.build.formats import PARQUET
from corpora.build.tagged_columns import tagged_table
from properties import generate
from properties.focus import focused
from properties.strategies.encryptions import FEATURES
from reference_impl.errors import ReferenceError_

SEED = focused(1, FEATURES[0])


@pytest.fixture(scope="module")
def sheets(fewer):
    """Return sheets with the focus."""
    return list(generate.generate(SEED, 0, fewer(40, 8)))


def test_every_mode_occurs(sheets):
    """Footers, algorithms, keys of columns and AAD prefixes of each kind are drawn."""
    found = {feature for sheet in sheets for file in sheet.files for feature in file.features}
    assert set(FEATURES) <= found


def test_the_keys_of_the_sheet_open_each_file(sheets):
    """All files of a sheet have the same keys, which may be written down, and hold what was drawn."""
    for sheet in sheets:
        (keys,) = {file.keys.to_json().__repr__(): file.keys for file in sheet.files}.values()
        assert keys.is_public()
        for file in sheet.files:
            assert tagged_table(PARQUET.file(file.data, keys).read()).to_json() == file.table.to_json()


def test_the_files_break_no_must(sheets):
    """The validator, which is given the keys, finds no broken MUST; nor can the file be read without keys."""
    known = rules.load()
    for sheet in sheets[:6]:
        file = sheet.files[0]
        broken = {one.rule for one in PARQUET.examine(file.data, file.keys).violations}
        assert not [rule for rule in broken if known[rule].level == "MUST"]
        if any(feature == "parquet/encryption/uniform" for feature in file.features) and len(
            file.table.columns
        ):
            with pytest.raises(ReferenceError_):
                PARQUET.file(file.data).read()


def test_other_sheets_are_as_they_were():
    """Without a focus, one Parquet sheet in ENCRYPTED is of encrypted files, and no sheet of ORC."""
    number = generate.FIRST_ENCRYPTED
    for format_, at, sealed in (
        ("parquet", number, True),
        ("orc", number, False),
        ("parquet", number + 1, False),
    ):
        (sheet,) = generate.generate(3, at, at + 1, format_)
        assert all((file.keys is not None) == sealed for file in sheet.files)


def test_a_run_of_both_formats_has_all_kinds_of_sheets():
    """Parquet has the even numbers of such a run and ORC the odd ones: each has its deep sheets."""
    assert not generate.FIRST_DEEP["parquet"] % 2
    assert generate.FIRST_DEEP["orc"] % 2
    assert not generate.FIRST_ENCRYPTED % 2
