"""What a fault is, whatever its format, and the changes that faults of all formats are written with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from corpora.build.formats import FORMATS
from reference_impl.orc.plan import FilePlan as OrcPlan

if TYPE_CHECKING:
    from collections.abc import Callable

    from corpora.keys import Keys
    from reference_impl.orc.tamper import Tamper as OrcTamper
    from reference_impl.parquet.plan import FilePlan
    from reference_impl.parquet.tamper import Tamper

    Change = Callable[[Any], Any]


@dataclass(frozen=True)
class Made:
    """A file: a plan, and what is changed while it is written."""

    plan: FilePlan | OrcPlan
    tamper: Tamper | OrcTamper | None = None

    def build(self) -> bytes:
        """Return the bytes, the same each time."""
        form = "orc" if isinstance(self.plan, OrcPlan) else "parquet"
        return FORMATS[form].write(self.plan, self.tamper)


@dataclass(frozen=True)
class Fault:
    """A file that breaks one rule and no other, and `near`, one that comes close and is legal.

    `name` is a slug; `what` is what is wrong, `why` what saves the near file, one line each. `beside`:
    rules of level SHOULD that the two files break as well, where the fault cannot be had without. `keys` open
    both files, which are encrypted.
    """

    rule: str
    name: str
    what: str
    broken: Made
    why: str
    near: Made
    beside: tuple[str, ...] = ()
    keys: Keys | None = None

    def build(self) -> bytes:
        """Return the bytes of the file that breaks the rule, the same each time."""
        return self.broken.build()


def put(item: Any) -> Change:
    """Put something in place of what is there."""
    return lambda _: item


def fields(**changes: Any) -> Change:
    """Change fields of a struct; a function is given what the field has."""

    def change(struct: Any) -> Any:
        return replace(struct, **_given(struct, changes))

    return change


def _given(struct: Any, changes: dict[str, Any]) -> dict[str, Any]:
    return {name: new(getattr(struct, name)) if callable(new) else new for name, new in changes.items()}


def at(number: int, change: Change) -> Change:
    """Change one element of a list or tuple."""
    return lambda found: type(found)((*found[:number], change(found[number]), *found[number + 1 :]))


def patch(old: str, new: str) -> Change:
    """Put bytes in place of others, both in hexadecimal, which stand exactly once."""

    def change(data: bytes) -> bytes:
        if data.count(bytes.fromhex(old)) != 1:
            raise ValueError(f"{old} stands {data.count(bytes.fromhex(old))} times in {data.hex(' ')}")
        return data.replace(bytes.fromhex(old), bytes.fromhex(new))

    return change
