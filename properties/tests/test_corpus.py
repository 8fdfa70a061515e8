"""The checked-in corpora: the output of their recipes, readable by the reference, with complete coverage.

`make test` builds and reads a sample of the cases; `--whole` and `colconf corpus lint` build and read all.
"""

from functools import cache
from pathlib import Path

import pytest

from corpora.build import make, reading, store
from corpora.build.formats import FORMATS
from corpora.cases import load
from properties import corpus

PAGE = Path(__file__).parents[2] / "FORMAT_COVERAGE.md"
SHARE = 80
UPDATE = "colconf corpus fields --write FORMAT_COVERAGE.md"
contents = cache(corpus.contents)


@pytest.fixture(params=FORMATS)
def form(request):
    """Return each format in turn."""
    return FORMATS[request.param]


def test_the_files_are_what_the_recipes_build(form, some_of):
    """The checked-in files and cases are those that the recipes build, and no file is left over."""
    recipes = corpus.recipes(form.name)
    assert list(store.left_over(map(make.path_of, recipes), form.folder)) == []
    sample = make.all_of(some_of(((recipe.id, recipe) for recipe in recipes), SHARE))
    assert [line for case in sample for line in store.difference(case, form.folder)] == []


def test_the_reference_reads_what_the_cases_expect(form, some_of):
    """The reference reads or refuses a file as its case expects, and probes have the rows of its table."""
    paths = form.folder.rglob("*.json")
    descriptions = some_of(((path.relative_to(form.folder).as_posix(), path) for path in paths), SHARE)
    assert len(descriptions) > 10
    lines = [line for path in descriptions for line in store.misread(load(path), reading.read, form.folder)]
    assert lines == []


@pytest.mark.heavy
def test_coverage_is_complete(form):
    """The cases together reach every item that is not waived."""
    assert list(store.uncovered(contents(form), form)) == []


def test_the_cases_are_many_and_small(form):
    """A corpus has as many cases, and as few bytes, as its format's limits say."""
    assert list(store.misshapen(form, form.folder)) == []


def test_the_page_is_of_these_files():
    """The FORMAT_COVERAGE.md that is checked in was made from the files of the corpora as they are."""
    assert f"`corpora/orc`, {corpus.of_files()};" in PAGE.read_text("utf-8"), UPDATE


def test_another_file_makes_another_digest(tmp_path):
    """The digest of a corpus differs where a case is added or a file is another one, not where notes are."""
    one, two = tmp_path / "a.json", tmp_path / "b.json"
    one.write_text(f'{{"sha256": "{"0" * 64}", "notes": ""}}')
    first = store.digest(tmp_path)
    one.write_text(f'{{"sha256": "{"0" * 64}", "notes": "x"}}')
    assert store.digest(tmp_path) == first
    two.write_text(f'{{"sha256": "{"0" * 64}"}}')
    second = store.digest(tmp_path)
    two.write_text(f'{{"sha256": "{"1" * 64}"}}')
    assert len({first, second, store.digest(tmp_path)}) == 3


@pytest.mark.heavy
def test_the_page_is_up_to_date():
    """The FORMAT_COVERAGE.md that is checked in follows from code and corpora."""
    page = corpus.coverage_page(contents)
    assert page == PAGE.read_text("utf-8"), UPDATE
