"""Breaches are noted once for each rule and place, in the order of discovery, and bounded; strict raises."""

from __future__ import annotations

import pytest

from reference_impl.errors import Malformed
from reference_impl.notes import MOST, STRICT, Notes


def wrong(rule="PQ-PAGE-013", offset=4):
    """Return the error of a broken rule."""
    return Malformed("it is wrong", offset=offset, rule=rule)


def test_a_breach_is_noted_once_for_each_rule_and_place():
    """The same rule at the same place is one note; another place or another rule is a further note."""
    notes = Notes()
    for error in (wrong(), wrong(), wrong(offset=5), wrong("PQ-CHUNK-007")):
        notes.breach(error)
    assert [(note.rule, note.offset) for note in notes.breaches] == [
        ("PQ-PAGE-013", 4),
        ("PQ-PAGE-013", 5),
        ("PQ-CHUNK-007", 4),
    ]


def test_a_note_says_where():
    """A note has the path of the blocks around it, and no path of a block that has ended."""
    notes = Notes()
    with notes.located("row_groups[0]"):
        with notes.located("column x", "page[1]"):
            notes.breach(wrong())
        notes.breach_all([wrong(offset=9)])
    notes.breach(wrong(offset=10))
    assert [note.path for note in notes.breaches] == [
        ("row_groups[0]", "column x", "page[1]"),
        ("row_groups[0]",),
        (),
    ]


def test_notes_are_bounded():
    """However many breaches there are, `MOST` are noted."""
    notes = Notes()
    notes.breach_all(wrong(offset=offset) for offset in range(MOST + 5))
    assert [note.offset for note in notes.breaches] == list(range(MOST))


@pytest.mark.parametrize("notes", [STRICT, Notes(strict=True)])
def test_a_strict_reader_raises(notes):
    """A strict reader raises the first breach, with the path that a raised error has."""
    with pytest.raises(Malformed) as caught, notes.located("footer"):
        notes.breach_all([wrong(), wrong(offset=5)])
    assert (caught.value.offset, caught.value.path, notes.breaches) == (4, ("footer",), [])
    with pytest.raises(Malformed) as caught:
        notes.breach(wrong())
    assert caught.value.path == ()
