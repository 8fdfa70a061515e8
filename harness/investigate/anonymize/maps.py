"""Maps of values that keep their order: numbers within classes of magnitude, text along its prefixes.

A map covers all values of a column, with those of statistics and queries, so that equality, order and
prefixes stay. Properties that readers treat specially stay too:

* integers: 0, 1, -1, the least and the greatest of the width; the sign and the number of bits of others, and
  their side of given cuts (such as the last year of a type);
* floats: zeros, infinities, NaN (without its payload); the sign and the exponent of others;
* text: its length in bytes, punctuation, and each character's number of bytes and side of the surrogates;
* bytes: 0x00 and 0xFF, and the first bit of each byte.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from random import Random

_ALNUM = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_DENSE = 2  # a class must have room for this many times its values, or they stay
_PLANES = ((0x80, 0x800), (0x800, 0xD800), (0xE000, 0x10000), (0x10000, 0x110000))
_MANTISSA = {16: 10, 32: 23, 64: 52}


def integers(values: Iterable[int], bits: int, random: Random, cuts: Iterable[int] = ()) -> dict[int, int]:
    """Return other integers in the same order; numbers of a class without enough room stay."""
    special = (0, 1, -1, -(1 << bits - 1), (1 << bits - 1) - 1, (1 << bits) - 1)
    starts = {number + more for number in special for more in (0, 1)} | set(cuts)
    starts |= {sign * (1 << bit) + (sign < 0) for bit in range(bits + 1) for sign in (1, -1)}
    return _placed(sorted(set(values)), sorted(starts), random)


def limits(bits: int) -> list[int]:
    """Return the cuts that keep the least and greatest integers of a width what they are."""
    ends = (-(1 << bits - 1), (1 << bits - 1) - 1, (1 << bits) - 1)
    return [number + more for number in ends for more in (0, 1)]


def _placed(values: Sequence[int], starts: Sequence[int], random: Random) -> dict[int, int]:
    """Return other numbers in the same order, each in the same range between `starts`."""
    classes: dict[int, list[int]] = {}
    for value in values:
        classes.setdefault(bisect_right(starts, value), []).append(value)
    placed: dict[int, int] = {}
    for number, some in classes.items():
        if not 0 < number < len(starts):
            placed.update(zip(some, some, strict=True))
            continue
        others = _drawn(starts[number - 1], starts[number], some, random)
        placed.update(zip(some, others, strict=True))
    return placed


def _drawn(low: int, high: int, some: list[int], random: Random) -> list[int]:
    """Return as many other numbers of `low:high`, ascending; the same numbers if there is no room."""
    if high - low < (1 + _DENSE) * len(some):
        return some
    old, new = set(some), set[int]()
    while len(new) < len(some):
        candidate = random.randrange(low, high)
        if candidate not in old:
            new.add(candidate)
    return sorted(new)


def floats(values: Iterable[int], bits: int, random: Random) -> dict[int, int]:
    """Return other floats in the same order, as IEEE bits; x and -x stay opposites."""
    mantissa, sign = _MANTISSA[bits], 1 << bits - 1
    infinite = ((1 << bits - 1 - mantissa) - 1) << mantissa
    given = set(values)
    sizes = {value & ~sign for value in given}
    starts = [0, 1, *(number << mantissa for number in range(1, (infinite >> mantissa) + 1)), infinite + 1]
    placed = _placed(sorted(number for number in sizes if number <= infinite), starts, random)
    quiet = infinite | 1 << mantissa - 1
    return {value: placed.get(value & ~sign, quiet) | value & sign for value in given}


def texts(values: Iterable[bytes], random: Random) -> dict[bytes, bytes]:
    """Return other texts in the same byte order; if any is not UTF-8, bytes from 0x80 on stay."""
    given = sorted(set(values))
    try:
        units = [[ord(character) for character in value.decode("utf-8")] for value in given]
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
    joined: Callable[[list[int]], bytes],
    random: Random,
    class_of: Callable[[int, Collection[int]], Sequence[int]],
) -> dict[bytes, bytes]:
    """Return a map of unit sequences that keeps common prefixes and the order of units after each."""
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
    return {value: joined(units_of_value) for value, units_of_value in zip(given, new, strict=True)}


def _units(
    used: Collection[int], random: Random, class_of: Callable[[int, Collection[int]], Sequence[int]]
) -> dict[int, int]:
    """Return other units in the same order, each of the same class."""
    classes: dict[tuple[int, int], list[int]] = {}
    pools: dict[tuple[int, int], Sequence[int]] = {}
    for unit in sorted(used):
        pool = class_of(unit, used)
        key = (pool[0], len(pool))
        classes.setdefault(key, []).append(unit)
        pools[key] = pool
    mapped: dict[int, int] = {}
    for key, some in classes.items():
        pool = pools[key]
        fresh: Sequence[int] = pool
        if len(pool) <= len(_ALNUM):
            rest = [unit for unit in pool if unit not in some]
            fresh = rest if len(rest) >= len(some) else pool
        mapped.update(zip(some, sorted(random.sample(fresh, len(some))), strict=True))
    return mapped


_LETTERS = [ord(letter) for letter in _ALNUM]
_KINDS = (_LETTERS[:10], _LETTERS[10:36], _LETTERS[36:])  # digits, capitals, small letters


def _text_class(unit: int, beside: Collection[int]) -> Sequence[int]:
    """Return the candidates for a character: ASCII letters and digits, or characters of as many bytes.

    If punctuation `beside` it sorts between letters, a letter stays on its side of the punctuation.
    """
    if unit < _PLANES[0][0]:
        return _ascii_class(unit, beside)
    low, high = next(plane for plane in _PLANES if unit < plane[1])
    return range(low, high)


def _ascii_class(unit: int, beside: Collection[int]) -> Sequence[int]:
    if unit not in _LETTERS:
        return [unit]
    if any(_LETTERS[0] < other < _LETTERS[-1] and other not in _LETTERS for other in beside):
        return next(kind for kind in _KINDS if unit in kind)
    return _LETTERS


def _byte_class(unit: int, _: Collection[int]) -> Sequence[int]:
    if unit in (0x00, 0xFF):
        return [unit]
    return range(0x01, 0x80) if unit < 0x80 else range(0x80, 0xFF)


def names(values: Iterable[str], reserved: Iterable[str], random: Random) -> dict[str, str]:
    """Return other names of the same length, with letter case and digits in the same places.

    Names that differ only in case still do. No name becomes an old one or a reserved one, which stay.
    """
    whole = set(reserved)
    given = sorted(set(values))
    taken = {name.lower() for name in (*given, *whole)}
    folded: dict[str, str] = {}
    for name in given:
        low = name.lower()
        if low not in folded:
            folded[low] = _renamed(low, taken, random)
            taken.add(folded[low])
    return {name: name if name in whole else _cased(name, folded[name.lower()]) for name in given}


def _renamed(name: str, taken: set[str], random: Random) -> str:
    """Return another name, or the same name if no other of this length was found."""
    for _ in range(64):
        candidate = "".join(_letter(character, random) for character in name)
        if candidate not in taken:
            return candidate
    return name


def _letter(character: str, random: Random) -> str:
    if "a" <= character <= "z":
        return chr(random.randrange(ord("a"), ord("z") + 1))
    if "0" <= character <= "9":
        return chr(random.randrange(ord("0"), ord("9") + 1))
    if ord(character) < _PLANES[0][0] or 0xD800 <= ord(character) < 0xE000:
        return character
    low, high = next(
        plane
        for plane in ((0x3B1, 0x3C2), (0x4E00, 0x9FA6), (0xAC00, 0xD7A4), (0x1F300, 0x1F5FF))
        if len(chr(plane[0]).encode()) == len(character.encode())
    )
    return chr(random.randrange(low, high))


def _cased(old: str, new: str) -> str:
    if len(old) != len(new):
        return new
    return "".join(
        b.upper() if a.isupper() and len(b.upper()) == 1 else b for a, b in zip(old, new, strict=True)
    )
