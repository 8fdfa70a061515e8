"""The checked-in corpora: what their scripts make, what the reference reads, all that there is to cover."""

import pytest

from corpora.build import check
from corpora.build.formats import FORMATS
from harness.commands.corpus import _read, made


@pytest.mark.parametrize("name", FORMATS)
def test_the_corpus_is_sound(name):
    """Files, cases, probes and coverage are as they should be; nothing is left over, and it is small."""
    form = FORMATS[name]
    assert list(check.problems(made(name), _read, form, form.folder)) == []
