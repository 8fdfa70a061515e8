"""Generated encrypted files: legal, in every mode, and opened by the keys of their sheet."""

from __future__ import annotations

import pytest

from corpora import rules
from corpora.build.formats import ORC, PARQUET
from corpora.build.tagged_columns import tagged_table
from properties import generate
from properties.focus import focused
from properties.strategies.encryptions import FEATURES
from properties.strategies.orc import encryptions as orc_encryptions
from reference_impl.errors import ReferenceError_

SEED = focused(3, FEATURES[0])


@pytest.fixture(scope="module")
def sheets(fewer):
    """Return sheets with the focus."""
    return list(generate.generate(SEED, 0, fewer(40, 8)))


def test_every_mode_occurs(sheets):
    """Footers, algorithms, keys of columns and AAD prefixes of each kind are drawn."""
    drawn = {feature for sheet in sheets for file in sheet.files for feature in file.features}
    assert set(FEATURES) <= drawn


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


def test_a_reader_may_refuse_what_it_cannot_identify(sheets):
    """Without ordinals of row groups, or the offset of a dictionary, a refusal is allowed; else it is not."""
    files = [file for sheet in sheets for file in sheet.files]
    for file in files:
        plan = file.plan
        numbered = plan.encryption.ordinals or plan.row_group_details
        hidden = "parquet/page/dictionary-without-offset" in file.features
        assert bool(not numbered or hidden) <= bool(file.silence)
    assert {bool(file.silence) for file in files} == {False, True}


def test_columns_of_orc_are_encrypted():
    """The keys of a sheet of ORC open its files; without them a reader returns masked values."""
    masked = []
    for sheet in generate.generate(focused(5, orc_encryptions.FEATURE), 0, 1, "orc"):
        for file in sheet.files[1::2]:
            assert file.keys is None or file.keys.is_public()
            assert tagged_table(ORC.file(file.data, file.keys).read()).to_json() == file.table.to_json()
            masked.append(tagged_table(ORC.file(file.data).read()).to_json() != file.table.to_json())
    assert True in masked


def test_few_sheets_are_encrypted():
    """Without a focus, one sheet in ENCRYPTED is of encrypted files."""
    for format_, first in generate.FIRST_ENCRYPTED.items():
        sealed, plain = generate.generate(6, first, first + 2, format_)
        assert any(file.keys is not None for file in sealed.files)
        assert all(file.keys is None for file in plain.files)


def test_a_run_of_both_formats_has_all_kinds_of_sheets():
    """Parquet has the even numbers of such a run and ORC the odd ones: each has deep and encrypted sheets."""
    for kinds in (generate.FIRST_DEEP, generate.FIRST_ENCRYPTED):
        assert (kinds["parquet"] % 2, kinds["orc"] % 2) == (0, 1)
