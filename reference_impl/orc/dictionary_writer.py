"""Dictionaries of text columns ("String, Char, and VarChar Columns")."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from reference_impl.orc.plan import Dictionary, DictionaryOrder


def dictionary_of(layout: Dictionary, values: Sequence[bytes]) -> tuple[list[bytes], list[int]]:
    """Return the entries of a dictionary, and the id of each value."""
    words = list(dict.fromkeys((*values, *layout.unused)))
    if layout.order is not DictionaryOrder.SEEN:
        words.sort(reverse=layout.order is DictionaryOrder.REVERSED)
    if not layout.duplicates:
        ids = {word: number for number, word in enumerate(words)}
        return words, [ids[value] for value in values]
    turns = {word: count() for word in words}
    firsts = {word: 2 * number for number, word in enumerate(words)}
    return [word for word in words for _ in range(2)], [
        firsts[value] + next(turns[value]) % 2 for value in values
    ]
