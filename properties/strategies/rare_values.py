"""Values of columns of which few sheets would have any by chance: constants, zeros, NaN, texts that are cut.

Each function draws the pattern of a leaf from its domain.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from properties.strategies.chances import choice
from properties.strategies.domains import Domain, Floats
from properties.strategies.patterns import LENGTHS, Ordered, Pattern, Runs

_NEVER = 100_000  # values of a sequence in front of its repetition, more than a file has
_FEW = (1, 1, 2, 3, 8, 33, 100)
# Bytes in front of the character that a bound cuts: limits are 1 to 64, and of ORC 1,024, bytes.
_BEFORE = (0, 1, 2, 3, 4, 13, 14, 15, 16, 60, 61, 62, 63, 64, 1021, 1022, 1023)
# The last and the first characters of each number of bytes, around the surrogates, and noncharacters.
_CHARACTERS = "\x7f\x80\u07ff\u0800\ud7ff\ue000\ufffd\ufffe\uffff\U00010000\U0001ffff\U0010ffff"
_BYTES = (b"\xff", b"\x7f", b"\x80", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xff\xff")
_MOST_MILLIS = ((1 << 63) - 1) // 1000
_BEHIND = ("", "a", "\uffff", "\U0010ffff" * 3, "\U0010ffff" * 16, "z" * 70)


def constant(draw: st.DrawFn, domain: Domain) -> Pattern:
    """Return one value for all rows."""
    return Runs(((draw(domain.edge), 1),))


def zeros(draw: st.DrawFn, domain: Domain) -> Pattern:
    """Return zeros of one sign or both, without or with few other values, so that bounds are zeros."""
    assert isinstance(domain, Floats)
    some = choice(draw, [domain.zeros[:1], domain.zeros[1:], domain.zeros])
    others = choice(draw, [(), (), domain.nans[:2], domain.edges[1:5:2]])
    return _runs(draw, [*some, *some, *others])


def beside_nan(draw: st.DrawFn, domain: Domain) -> Pattern:
    """Return one value with NaN in front of it or behind, so that both bounds are that value."""
    assert isinstance(domain, Floats)
    value, nan = draw(domain.edge), choice(draw, domain.nans)
    runs = ((value, choice(draw, LENGTHS)), (nan, choice(draw, LENGTHS)))
    return Runs(runs if draw(st.booleans()) else runs[::-1])


def only_nan(draw: st.DrawFn, domain: Domain) -> Pattern:
    """Return only NaN, which leaves a column without bounds."""
    assert isinstance(domain, Floats)
    return _runs(draw, domain.nans)


def ordered(draw: st.DrawFn, domain: Domain) -> Pattern:
    """Return values that ascend or descend, which a file may state as its sorting column."""
    step, each = choice(draw, (1, -1)) * choice(draw, (1, 2, 7)), choice(draw, (1, 1, 2, 8, 33))
    return Ordered(domain, choice(draw, domain.bases), step, each, wrap=_NEVER, scatter=1)


def far_moments(draw: st.DrawFn, domain: Domain) -> Pattern:
    """Return milliseconds that overflow 64-bit microseconds, without or with others (LogicalTypes.md)."""
    far = [edge for edge in domain.edges if abs(edge) > _MOST_MILLIS]
    return _runs(draw, [*far, *choice(draw, [(), domain.edges[:4]])])


def cut_text(draw: st.DrawFn, _domain: Domain) -> Pattern:
    """Return texts that bounds cut in front of, within or behind characters of each length.

    They begin alike, so that the order of the characters is that of the texts.
    """
    start = choice(draw, "ak~") * choice(draw, _BEFORE)
    texts = []
    for _ in range(choice(draw, (1, 2, 3, 4))):
        characters = [choice(draw, _CHARACTERS) for _ in range(choice(draw, (1, 2, 3)))]
        texts.append(start + "".join(characters) * choice(draw, (1, 1, 2, 33)) + choice(draw, _BEHIND))
    return _runs(draw, [text.encode() for text in texts])


def cut_bytes(draw: st.DrawFn, _domain: Domain) -> Pattern:
    """Return bytes, most of which are no UTF-8, that bounds cut."""
    before = choice(draw, _BEFORE[:-3])
    values = [
        choice(draw, (b"a", b"\xff")) * before + choice(draw, _BYTES) + choice(draw, _BYTES) * before
        for _ in range(choice(draw, (1, 2, 3)))
    ]
    return _runs(draw, values)


def _runs(draw: st.DrawFn, values: Sequence[Any]) -> Runs:
    count = choice(draw, (1, 2, 2, 3, 5))
    return Runs(tuple((choice(draw, values), choice(draw, _FEW)) for _ in range(count)))
