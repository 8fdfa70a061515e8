"""The partition values in the names of a table's folders."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import date, timedelta
from random import Random
from urllib.parse import quote, unquote

from corpora.build.evolution.own import is_integer
from corpora.conversions import NULL_PARTITION
from harness.investigate.anonymize import columns, maps
from harness.investigate.anonymize.drafts import Column
from reference_impl.errors import Unsupported

_CUTS = [sign * (1 << bits) + more for bits in (7, 15, 31) for sign in (1, -1) for more in (0, 1)]


def split(folder: str) -> tuple[str, str] | None:
    """Return key and text of a folder called `key=value`, both as they are written; None for another."""
    key, equals, text = folder.partition("=")
    return (key, text) if equals else None


class Partitions:
    """The texts of partition columns, and what they become."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.texts: dict[str, set[str]] = defaultdict(set)
        self.new: dict[str, dict[str, str]] = {}
        self.compared: dict[str, set[str]] = defaultdict(set)  # by key, the kinds of the constants of queries
        for path in paths:
            for folder in path.split("/")[:-1]:
                if (parts := split(folder)) and parts[1] != NULL_PARTITION:
                    self.texts[unquote(parts[0])].add(unquote(parts[1]))

    def note(self, key: str, column: Column) -> None:
        """Add the texts of a partition to a column of the same name; raises Unsupported."""
        for text in self.texts.get(key, ()):
            try:
                column.note(column.of_folder(text))
            except (ValueError, OverflowError):
                raise Unsupported(
                    f"the partition {key}={text!a:.60} is no value of the column of that name"
                ) from None

    def taken(self, key: str, column: Column) -> None:
        """Take what the texts of a partition become from the column of the same name."""
        self.new[key] = {
            text: column.to_folder(column.other(column.of_folder(text))) for text in self.texts.get(key, ())
        }

    def close(self, random: Random) -> None:
        """Map the texts of partitions that no file has a column of: as integers, dates or text."""
        for key, texts in self.texts.items():
            if key not in self.new:
                self.new[key] = _texts(texts, random, self.compared[key])

    def other(self, key: str, text: str) -> str:
        """Return what a text becomes in the name of a folder, escaped as the old text was."""
        raw, old = text, unquote(text)
        if raw == NULL_PARTITION:
            return raw
        escapes_all = raw.isascii()
        escaped = {letter for letter in old if letter.isascii() and quote(letter, safe="") in raw}
        return "".join(
            quote(letter, safe="")
            if (letter in escaped and not letter.isalnum()) or (escapes_all and not letter.isascii())
            else letter
            for letter in self.new[key][old]
        )


def _texts(texts: Iterable[str], random: Random, kinds: Collection[str]) -> dict[str, str]:
    """Return other texts: integers or dates, if all are and no query compares them as text.

    Else letters and digits change.
    """
    given = set(texts)
    if "string" in kinds:
        return _letters(given, random)
    if "int" in kinds or all(map(is_integer, given)):
        placed = maps.integers(map(int, given), 64, random, _CUTS)
        return {text: str(placed[int(text)]) for text in given}
    try:
        days = {text: (date.fromisoformat(text) - columns.EPOCH).days for text in given}
    except ValueError:
        return _letters(given, random)
    cuts = [seconds // columns.DAY for seconds in columns.TIMES]
    placed = maps.integers(days.values(), 32, random, cuts)
    return {text: (columns.EPOCH + timedelta(placed[day])).isoformat() for text, day in days.items()}


def _letters(texts: Collection[str], random: Random) -> dict[str, str]:
    raws = maps.texts((text.encode("utf-8", "surrogateescape") for text in texts), random)
    return {
        text: raws[text.encode("utf-8", "surrogateescape")].decode("utf-8", "surrogateescape")
        for text in texts
    }
