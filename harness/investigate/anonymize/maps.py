"""Maps of values that keep their order: numbers within classes of magnitude, text along its prefixes.

A map is made for all values of a column at once, those of statistics and queries included, so that what was
equal, less, greater, or a prefix of something stays so. What a reader treats as special stays what it is:

* integers: 0, 1, -1, the least and the greatest of the width; sign and number of bits stay, and on which side
  of given cuts (years that a type ends in) a number is;
* floats: zeros, infinities, NaN (its payload goes); sign and exponent stay;
* text: its length in bytes, punctuation, how many bytes each character has, which side of the surrogates;
* bytes: 0x00 and 0xFF, and the first bit of each.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from random import Random

_ALNUM = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_DENSE = 2  # as many numbers as this times those to be placed must be there, or they stay
_PLANES = ((0x80, 0x800), (0x800, 0xD800), (0xE000, 0x10000), (0x10000, 0x110000))
_MANTISSA = {16: 10, 32: 23, 64: 52}


def integers(values: Iterable[int], bits: int, random: Random, cuts: Iterable[int] = ()) -> dict[int, int]:
    """Return other integers in the same order; numbers of a class that is (nearly) full stay."""
    special = (0, 1, -1, -(1 << bits - 1), (1 << bits - 1) - 1, (1 << bits) - 1)
    starts = {one + more for one in special for more in (0, 1)} | set(cuts)
    starts |= {sign * (1 << bit) + (sign < 0) for bit in range(bits + 1) for sign in (1, -1)}
    return _placed(sorted(set(values)), sorted(starts), random)


def _placed(values: Sequence[int], starts: Sequence[int], random: Random) -> dict[int, int]:
    """Return other numbers of the same stretch between `starts`, in the same order."""
    classes: dict[int, list[int]] = {}
    for value in values:
        classes.setdefault(bisect_right(starts, value), []).append(value)
    found: dict[int, int] = {}
    for number, some in classes.items():
        if not 0 < number < len(starts):
            found.update(zip(some, some, strict=True))
            continue
        others = _drawn(starts[number - 1], starts[number], some, random)
        found.update(zip(some, others, strict=True))
    return found


def _drawn(low: int, high: int, some: list[int], random: Random) -> list[int]:
    """Return as many other numbers of `low:high`, rising; the same ones where there is no room."""
    if high - low < (1 + _DENSE) * len(some):
        return some
    old, new = set(some), set[int]()
    while len(new) < len(some):
        one = random.randrange(low, high)
        if one not in old:
            new.add(one)
    return sorted(new)


def floats(values: Iterable[int], bits: int, random: Random) -> dict[int, int]:
    """Return other floats in the same order, as IEEE bits; -x becomes the opposite of what x does."""
    mantissa, sign = _MANTISSA[bits], 1 << bits - 1
    infinite = ((1 << bits - 1 - mantissa) - 1) << mantissa
    given = set(values)
    sizes = {value & ~sign for value in given}
    starts = [0, 1, *(one << mantissa for one in range(1, (infinite >> mantissa) + 1)), infinite + 1]
    placed = _placed(sorted(one for one in sizes if one <= infinite), starts, random)
    quiet = infinite | 1 << mantissa - 1
    return {value: placed.get(value & ~sign, quiet) | value & sign for value in given}


def texts(values: Iterable[bytes], random: Random) -> dict[bytes, bytes]:
    """Return other texts in the same order of bytes; if one is not UTF-8, no byte from 0x80 on is changed."""
    given = sorted(set(values))
    try:
        units = [[ord(one) for one in value.decode("utf-8")] for value in given]
    except UnicodeDecodeError:
        return _walked(given, [list(value) for value in given], bytes, random, _ascii_class)
    return _walked(given, units, lambda some: "".join(map(chr, some)).encode(), random, _text_class)


def binaries(values: Iterable[bytes], random: Random) -> dict[bytes, bytes]:
    """Return other byte strings in the same order."""
    given = sorted(set(values))
    return _walked(given, [list(value) for value in given], bytes, random, _byte_class)


def _walked(
    given: Sequence[bytes],
    units: Sequence[Sequence[int]],
    made: Callable[[list[int]], bytes],
    random: Random,
    class_of: Callable[[int, Collection[int]], Sequence[int]],
) -> dict[bytes, bytes]:
    """Map sequences of units along the tree of their prefixes, each node with units of its own."""
    new: list[list[int]] = [[] for _ in given]
    todo = [(list(range(len(given))), 0)]
    while todo:
        some, depth = todo.pop()
        below: dict[int, list[int]] = {}
        for at in some:
            if depth < len(units[at]):
                below.setdefault(units[at][depth], []).append(at)
        for old, unit in _units(below.keys(), random, class_of).items():
            for at in below[old]:
                new[at].append(unit)
            todo.append((below[old], depth + 1))
    return {value: made(one) for value, one in zip(given, new, strict=True)}


def _units(
    used: Collection[int], random: Random, class_of: Callable[[int, Collection[int]], Sequence[int]]
) -> dict[int, int]:
    """Return other units for those of a node, in order, each of its own class."""
    classes: dict[tuple[int, int], list[int]] = {}
    pools: dict[tuple[int, int], Sequence[int]] = {}
    for unit in sorted(used):
        pool = class_of(unit, used)
        key = (pool[0], len(pool))
        classes.setdefault(key, []).append(unit)
        pools[key] = pool
    found: dict[int, int] = {}
    for key, some in classes.items():
        pool = pools[key]
        fresh: Sequence[int] = pool
        if len(pool) <= len(_ALNUM):
            rest = [one for one in pool if one not in some]
            fresh = rest if len(rest) >= len(some) else pool
        found.update(zip(some, sorted(random.sample(fresh, len(some))), strict=True))
    return found


_LETTERS = [ord(one) for one in _ALNUM]
_KINDS = (_LETTERS[:10], _LETTERS[10:36], _LETTERS[36:])  # digits, capitals, small letters


def _text_class(unit: int, beside: Collection[int]) -> Sequence[int]:
    """Return the characters that one may become: an ASCII letter or digit, or what has as many bytes.

    A letter stays on its side of the punctuation that stands between, if some of that is `beside` it.
    """
    if unit < _PLANES[0][0]:
        return _ascii_class(unit, beside)
    low, high = next(plane for plane in _PLANES if unit < plane[1])
    return range(low, high)


def _ascii_class(unit: int, beside: Collection[int]) -> Sequence[int]:
    if unit not in _LETTERS:
        return [unit]
    if any(_LETTERS[0] < one < _LETTERS[-1] and one not in _LETTERS for one in beside):
        return next(kind for kind in _KINDS if unit in kind)
    return _LETTERS


def _byte_class(unit: int, _: Collection[int]) -> Sequence[int]:
    if unit in (0x00, 0xFF):
        return [unit]
    return range(0x01, 0x80) if unit < 0x80 else range(0x80, 0xFF)


def names(values: Iterable[str], kept: Iterable[str], random: Random) -> dict[str, str]:
    """Return other names: of one length, upper and lower case and digits where they were.

    Two that differ in case alone still do, and none becomes one that was there, nor one that is kept.
    """
    whole = set(kept)
    given = sorted(set(values))
    taken = {one.lower() for one in (*given, *whole)}
    folded: dict[str, str] = {}
    for name in given:
        low = name.lower()
        if low not in folded:
            folded[low] = _renamed(low, taken, random)
            taken.add(folded[low])
    return {name: name if name in whole else _cased(name, folded[name.lower()]) for name in given}


def _renamed(name: str, taken: set[str], random: Random) -> str:
    """Return another name; one that is too short to have another one left grows no longer, but repeats."""
    for _ in range(64):
        made = "".join(_letter(one, random) for one in name)
        if made not in taken:
            return made
    return name


def _letter(one: str, random: Random) -> str:
    if "a" <= one <= "z":
        return chr(random.randrange(ord("a"), ord("z") + 1))
    if "0" <= one <= "9":
        return chr(random.randrange(ord("0"), ord("9") + 1))
    if ord(one) < _PLANES[0][0] or 0xD800 <= ord(one) < 0xE000:
        return one
    low, high = next(
        plane
        for plane in ((0x3B1, 0x3C2), (0x4E00, 0x9FA6), (0xAC00, 0xD7A4), (0x1F300, 0x1F5FF))
        if len(chr(plane[0]).encode()) == len(one.encode())
    )
    return chr(random.randrange(low, high))


def _cased(old: str, new: str) -> str:
    if len(old) != len(new):
        return new
    return "".join(
        b.upper() if a.isupper() and len(b.upper()) == 1 else b for a, b in zip(old, new, strict=True)
    )
