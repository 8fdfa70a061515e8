"""Sheets of files of more than 65,536 rows, whose layouts need that size."""

from __future__ import annotations

from itertools import groupby

import pytest

from corpora.build.reading import read
from corpora.build.value_features import features_of_values
from corpora.features import many_rows, registry
from corpora.tagged import Table, integer
from properties import generate
from properties.focus import focused
from reference_impl.parquet.schema import Encoding

FORMATS = ("parquet", "orc")


@pytest.mark.parametrize("format_", FORMATS)
def test_a_file_reads_as_its_table(format_, tmp_path):
    """A seed with the focus has files of more than 65,536 rows, and the reference reads what was written."""
    (sheet,) = generate.generate(focused(3, many_rows(format_)), 0, 1, format_)
    (file,) = sheet.files
    path = tmp_path / f"file.{format_}"
    path.write_bytes(file.data)
    assert read(str(path), format_) == file.table
    assert file.table.num_rows > 65_536
    assert many_rows(format_) in file.features
    assert many_rows(format_) in registry()
    assert sheet.queries


def test_the_feature_is_of_more_rows_than_16_bits_count():
    """65,536 rows do not show it, 65,537 do."""
    for rows, shown in ((65_536, False), (65_537, True)):
        table = Table.of([("x", integer(32))], [["1"] * rows])
        assert (many_rows("orc") in features_of_values(table, "orc")) is shown


@pytest.mark.heavy
def test_layouts_that_need_the_size(fewer):
    """Late nulls, long runs, dictionaries that are given up, and more than 65,536 pages are drawn."""
    sheets = generate.drawn(focused(5, many_rows("parquet")), range(fewer(40, 12)))
    shown = set()
    for sheet in sheets:
        (plan,) = sheet.plans
        for number, name in enumerate(plan.rows[0]):
            held = [row[name] for row in plan.rows]
            first = next((at for at, value in enumerate(held) if value is None), None)
            shown |= {"late null"} if first is not None and first >= 65_535 else set()
            if not isinstance(held[0], dict):
                longest = max(sum(1 for _ in run) for _, run in groupby(held))
                shown |= {"long run"} if longest >= 8_191 else set()
            if number and len(plan.columns) == len(plan.rows[0]):
                column = plan.columns[number]
                coded = [page.encoding == Encoding.RLE_DICTIONARY for page in column.pages]
                shown |= {"given up"} if coded[0] and not coded[-1] else set()
                shown |= {"many pages"} if column.pages[-1].entries == 1 else set()
    assert {"late null", "long run", "given up", "many pages"} <= shown
