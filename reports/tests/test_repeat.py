"""The commands that reports show are about the case, by an id that lasts where there is one."""

import json
import re

import pytest

from harness.judging.results import load
from reports import html, repeat
from reports.build import build
from reports.tests import sample

OWN = "parquet/findings/bit-packed-levels"


@pytest.mark.parametrize(
    ("case", "file", "format_", "command"),
    [
        (OWN, f"/elsewhere/{OWN}.parquet", "parquet", f"colconf replay {OWN}"),
        ("generated/7/12/3", "/tmp/x", "parquet", "colconf replay generated/7/12/3"),
        ("generated/7/12/3", "/tmp/x", "orc", "colconf replay generated/7/12/3 --format orc"),
        ("files/a b", "/mine/a b.parquet", "parquet", "colconf run --files '/mine/a b.parquet'"),
        ("files/x", "-x.parquet", "parquet", "colconf run --files ./-x.parquet"),
        ("files/../parquet/findings/bit-packed-levels", "", "parquet", ""),
    ],
)
def test_command(case, file, format_, command):
    """A case of the corpora and a generated one are named by their id, a file of others by its path."""
    assert repeat.command(case, file, format_) == command


def _data(rows, tmp_path):
    page = html.render(build(load(sample.write(tmp_path, rows))))
    return page, json.loads(
        re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1]
    )


def test_the_page_has_the_commands_of_each_case(tmp_path):
    """A written file that breaks a rule is validated: to read it shows nothing."""
    _, data = _data([sample.row("w", sample.PYARROW, "wrote_invalid")], tmp_path)
    (case,) = data["cases"]
    assert [data["strings"][place] for place in case[5:]] == [
        "colconf run --files corpus/w.parquet",
        "colconf validate corpus/w.parquet",
    ]


def test_known_failures_stand_by_finding_and_writers_beside_readers(tmp_path):
    """Known failures of one reason are one line with their number; who reads what whom wrote has a table."""
    known = {"reason": "bytes <i>swap</i>", "url": "javascript:alert(1)"}
    rows = [
        sample.row(f"w{place}", sample.SPARK_ON, "different", known=known, expectation=sample.BY_WRITER)
        for place in range(3)
    ]
    page, _ = _data(rows, tmp_path)
    section = page.partition('id="known"')[2].partition("</section>")[0]
    assert section.count("bytes &lt;i&gt;swap") == 1
    assert "<td>3</td>" in section
    assert "href" not in section
    written = page.partition('id="writers"')[2].partition("</section>")[0]
    assert '<th scope="row">pyarrow@26.0.1</th>' in written
    assert "0/3" in written
