"""Foreign readers: what their manifests say of how they are started, limited and heard.

Standard library only, Python 3.9.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from corpora.constants import ORDERS
from harness.children.protocol import OF_OUR_ENGINES, OPTIONAL_OPS
from harness.children.sanitizer import VARIABLES

# Once members of a description: a reader may still send them.
_IGNORED = frozenset({"formats", *OF_OUR_ENGINES})
_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+!_-]{0,63}")  # it also names folders


class Foreign(NamedTuple):
    """A reader of a manifest.

    `passed` are the names of the variables that it gets from our environment. `seconds` and `start_seconds`
    are its time limits, `memory_bytes` its limit of memory, None for those of the run. The others are what
    its description need not repeat; of `equivalences` it may name no further ones.
    """

    name: str
    formats: tuple[str, ...]
    passed: tuple[str, ...] = ()
    equivalences: tuple[str, ...] = ()
    float_order: str = "ieee"
    aggregate_order: str = "ieee"
    sort_order: str = ""
    file_order: bool = False
    row_order: bool = True
    start_seconds: float | None = None
    seconds: float | None = None
    memory_bytes: int | None = None

    def environment(self, ours: Mapping[str, str]) -> dict[str, str]:
        """Return the variables of ours that it asks for, and the options of sanitizers."""
        return {name: ours[name] for name in (*self.passed, *VARIABLES) if name in ours}

    def described(self, description: Mapping[str, Any]) -> dict[str, Any]:
        """Return a description with what may be left out."""
        defaults: dict[str, Any] = {
            "runtime": "",
            "equivalences": list(self.equivalences),
            "queries": [],
            "float_order": self.float_order,
            "aggregate_order": self.aggregate_order,
            "file_order": self.file_order,
            "row_order": self.row_order,
            "ops": [],
            "keys": False,
        }
        if self.sort_order:
            defaults["sort_order"] = self.sort_order
        sent = {name: value for name, value in description.items() if name not in _IGNORED}
        return {**defaults, **sent}

    def mistake(self, description: Mapping[str, Any]) -> str:
        """Return the error in a whole description, apart from its form; "" if there is none."""
        if description["name"] != self.name:
            return f"`name` is {description['name']!r:.60}, in the manifest {self.name!r}"
        if not _VERSION.fullmatch(description["version"]):
            return f"`version` is {description['version']!r:.60}; write one such as 1.0.3"
        for order, values in ORDERS.items():
            if order in description and description[order] not in values:
                return f"`{order}` is {description[order]!r:.40}, not one of {', '.join(values)}"
        known = {
            "equivalences": self.equivalences,
            "ops": OPTIONAL_OPS,
        }
        for member, values in known.items():
            more = [str(value) for value in description[member] if value not in values]
            if more:
                where = "this protocol" if member == "ops" else "the manifest"
                return f"`{member}` has {', '.join(more)[:100]}, which {where} does not have"
        return ""
