"""The checked-in corpus: what its scripts make, what the reference reads, all that there is to cover."""

from corpora.build import check
from harness.commands.corpus import _read, made


def test_the_corpus_is_sound():
    """Files, cases, probes and coverage are as they should be; nothing is left over, and it is small."""
    assert list(check.problems(made(), _read)) == []
