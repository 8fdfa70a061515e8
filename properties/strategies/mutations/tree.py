"""A tree of fields that is mutated, of any wire format."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from reference_impl.wire.table import Wire
from reference_impl.wire.trees import Field, Group, Item, groups

_MOST_GROUPS = 20_000  # of a tree that is mutated


def _unchanged(_code: int, _wire: Wire | None, number: int) -> int:
    return number


@dataclass(frozen=True)
class Dialect:
    """The specifics of a wire format.

    `codes`: wire type codes, some of which do not exist. `known`: returns a value of a declared type;
    `foreign`: a value of any type; `nested`: a value of some depth. `ids`: the largest id of a field. `fit`:
    returns a number cut to the bits of a wire type code, and of the declared type if there is one.
    """

    build: Callable[[Group], bytes]
    codes: tuple[int, ...]
    known: Callable[[Wire, Random], Item]
    foreign: Callable[[Random], Item]
    nested: Callable[[int], Item]
    ids: int
    fit: Callable[[int, Wire | None, int], int] = _unchanged


class Tree:
    """A tree that is mutated; a group is chosen by struct first, so that long lists do not dominate."""

    def __init__(self, root: Group, dialect: Dialect, others: tuple[Group, ...] = ()) -> None:
        self.root = root
        self.dialect = dialect
        self.others = others

    def kinds(self, *, of: tuple[Group, ...] | None = None) -> dict[str, list[Group]]:
        """Return the groups of the tree (or of `of`) by the name of their struct."""
        by_name: dict[str, list[Group]] = {}
        for root in of or (self.root,):
            for number, group in enumerate(groups(root)):
                if number >= _MOST_GROUPS:
                    break
                by_name.setdefault(group.cls.__name__ if group.cls else "", []).append(group)
        return by_name

    def group(self, random: Random, wanted: Callable[[Group], bool] = bool) -> Group | None:
        """Choose a group that is wanted: first its struct, then the group."""
        kinds = list(self.kinds().values())
        random.shuffle(kinds)
        for kind in kinds:
            group = random.choice(kind)
            if wanted(group):
                return group
            if candidates := [candidate for candidate in kind if wanted(candidate)]:
                return random.choice(candidates)
        return None

    def field(self, random: Random, wanted: Callable[[Field], bool]) -> Field | None:
        """Choose a field that is wanted."""
        group = self.group(random, lambda candidate: any(map(wanted, candidate.fields)))
        return None if group is None else random.choice([each for each in group.fields if wanted(each)])
