"""The checked-in corpora: the output of their recipes, readable by the reference, with complete coverage."""

from pathlib import Path

import pytest

from corpora.build import reading, store
from corpora.build.formats import FORMATS
from properties.corpus import built, coverage_page

PAGE = Path(__file__).parents[2] / "FORMAT_COVERAGE.md"


@pytest.mark.parametrize("name", FORMATS)
def test_the_corpus_is_sound(name):
    """Files, cases, probes and coverage are right, no file is left over, and the corpus is small."""
    form = FORMATS[name]
    assert list(store.problems(built(name), reading.read, form, form.folder)) == []


def test_the_page_is_up_to_date():
    """The FORMAT_COVERAGE.md that is checked in follows from code and corpora."""
    assert PAGE.read_text("utf-8") == coverage_page(), "colconf corpus fields --write FORMAT_COVERAGE.md"
