# Any lengths and bytes are strings or a documented error: direct, as a dictionary, and looked up in it.
# Strings cut one after the other are the bytes; a lookup gives what each id names, within the limit of
# bytes.
"""Strings, direct or of a dictionary (ORCv1.md, "String, Char, and VarChar Columns")."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from properties.fuzz import cut_orc, inputs
from properties.fuzz.bounds import limits
from properties.fuzz.claims import attempt, same
from properties.strategies.mutations.orc import runs
from reference_impl.cursor import Cursor
from reference_impl.orc.encodings import rle_v2, scan, string

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

NAME = "orc_string"


def seeds() -> Iterable[bytes]:
    """Return streams of integers, with bytes behind them."""
    return [seed + bytes(range(64)) for seed in cut_orc.integers(rle_v2)]


def mutate(data: bytes, random: Random) -> bytes:
    """Change runs and what they hold."""
    return inputs.mutated(data, random, lambda body: runs.mutate(body, scan.Encoding.RLE_V2, random)[0])


def check(data: bytes) -> None:
    """Read the bytes as lengths and, behind them, text; then as ids too, `choice` times."""
    _, count, choice, body = inputs.given(data)
    cursor = Cursor(body)
    lengths = attempt(rle_v2.decode, cursor, count, signed=False)
    if lengths is None:
        return
    text = bytes(cursor.data[cursor.pos :])
    words = attempt(string.cut, lengths, cursor)
    if words is None:
        return
    same(b"".join(words), text[: int(lengths.sum())], "the strings together")
    same([len(word) for word in words], lengths.tolist(), "their lengths")
    left = cursor.remaining
    whole = attempt(string.dictionary, lengths, Cursor(text))
    same(whole, None if left else words, "a dictionary has no bytes left over")
    ids = np.tile(lengths, choice % 8)
    found = attempt(string.look_up, words, ids, limits(data).page_bytes)
    if found is not None:
        same(list(found), [words[at] for at in ids.tolist()], "what ids name")
