"""Faults of both formats, and the changes that they are written with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from corpora.build.formats import ORC, PARQUET
from corpora.keys import Keys
from properties.strategies.faults.edit import Change, Changes
from reference_impl.orc.plan import FilePlan as OrcPlan
from reference_impl.orc.tamper import Tamper as OrcTamper
from reference_impl.parquet.plan import FilePlan
from reference_impl.parquet.tamper import Tamper


@dataclass(frozen=True)
class File:
    """A plan, and the tamper that changes the file while the plan is written."""

    plan: FilePlan | OrcPlan
    tamper: Tamper | OrcTamper | None = None

    def build(self) -> bytes:
        """Return the bytes, the same each time."""
        return (ORC if isinstance(self.plan, OrcPlan) else PARQUET).write(self.plan, self.tamper)


@dataclass(frozen=True)
class Places:
    """Where a fault can be put into any file: footer, row group, page, index, stripe, stream.

    `of` lists the places of a scene that fit. `changes` and `what` stand here only if they differ from those
    of the fault's own small file.
    """

    of: Callable[[Any], list[Any]]
    what: str = ""
    changes: Callable[[Any, Any], Changes] | None = None


def places(of: Callable[[Any], list[Any]], what: str = "", **changes: Change) -> Places:
    """Return places, with the changes there if they are not those of the fault's own file."""
    return Places(of, what, (lambda _, __: changes) if changes else None)


@dataclass(frozen=True)
class Fault:
    """A file that breaks one rule and no other, and `near`, a similar file that is legal.

    `id` is RULE/NAME, as in the ids of its cases; `what` describes the fault, `why` says why the near file is
    legal, one line each. `twin` is the near file, unless that is the plan of the broken file without its
    tamper. `also_breaks`: rules of level SHOULD that both files break too, because no file can break `rule`
    without. `keys` open both files, which are encrypted. `places`: where the fault can be put into a
    generated file; without it, the fault needs its own small file.
    """

    id: str
    what: str
    broken: File
    why: str
    twin: File | None = None
    also_breaks: tuple[str, ...] = ()
    keys: Keys | None = None
    places: Places | None = None

    @property
    def rule(self) -> str:
        """Return the id of the rule that the file breaks."""
        return self.id.partition("/")[0]

    @property
    def name(self) -> str:
        """Return the name of the fault, a slug."""
        return self.id.partition("/")[2]

    @property
    def near(self) -> File:
        """Return the similar file that is legal."""
        return self.twin or File(self.broken.plan)

    def build(self) -> bytes:
        """Return the bytes of the file that breaks the rule, the same each time."""
        return self.broken.build()

    def changes(self, scene: Any, place: Any) -> Changes:
        """Return the changes that break the rule at a place of a scene."""
        if self.places is not None and self.places.changes is not None:
            return self.places.changes(scene, place)
        edit: Any = self.broken.tamper
        changes: Changes = edit.changes
        return changes


def put(item: Any) -> Change:
    """Return the change that replaces an item."""
    return lambda _: item


def fields(**changes: Any) -> Change:
    """Return the change of fields of a struct; a function is called with the old value of its field."""

    def change(struct: Any) -> Any:
        return replace(struct, **_changed(struct, changes))

    return change


def _changed(struct: Any, changes: dict[str, Any]) -> dict[str, Any]:
    return {name: new(getattr(struct, name)) if callable(new) else new for name, new in changes.items()}


def at(number: int, change: Change) -> Change:
    """Return the change of one element of a list or tuple; -1 is the last."""

    def changed(items: Any) -> Any:
        index = number if number >= 0 else len(items) + number
        return type(items)((*items[:index], change(items[index]), *items[index + 1 :]))

    return changed


def one_more(number: int) -> int:
    """Change a count that must not be greater."""
    return number + 1


def one_less(number: int) -> int:
    """Change a count that must not be less."""
    return number - 1


def miscounted(number: int) -> int:
    """Change a count that must not be negative: 0 becomes 1, others become one less."""
    return number - 1 if number else 1


def patch(old: str, new: str) -> Change:
    """Return the change that replaces bytes, given in hexadecimal, that occur exactly once."""

    def change(data: bytes) -> bytes:
        count = data.count(bytes.fromhex(old))
        if count != 1:
            raise ValueError(f"{old} occurs {count} times in {data.hex(' ')}")
        return data.replace(bytes.fromhex(old), bytes.fromhex(new))

    return change
