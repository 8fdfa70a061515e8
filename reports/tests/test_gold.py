"""Each format against a file that a person has looked at.

After a change that is meant: `COLCONF_UPDATE_GOLD=1 pytest reports/tests/test_gold.py`, then read the diff.
"""

import os
import re
from pathlib import Path

import pytest

from harness.judging.results import load
from reports.build import build
from reports.formats import FORMATS
from reports.tests import sample

GOLD = Path(__file__).with_name("gold")


def _comparable(name, content):
    """Return the page without our style and script, which have no gold but themselves."""
    if name != "html":
        return content
    without = re.sub(r"(?s)(<style>|<script>).*?(</style>|</script>)", r"\1\2", content)
    return re.sub(r"sha256-[\w+/=]{44}", "sha256-…", without)


@pytest.mark.parametrize("name", FORMATS)
def test_format(name, tmp_path):
    """The report of a run with every verdict is the gold file, to the byte."""
    form = FORMATS[name]
    out = sample.write(tmp_path, sample.every_verdict(), [sample.STALE])
    made = _comparable(name, form.render(build(load(out))))
    gold = GOLD / form.file
    if os.environ.get("COLCONF_UPDATE_GOLD"):
        gold.write_text(made, "utf-8")
    assert made == gold.read_text("utf-8")
