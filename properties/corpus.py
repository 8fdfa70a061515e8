"""The checked-in cases of broken rules: for each fault its file, and the legal one that comes close."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from corpora import rules
from corpora.build.recipe import Recipe
from properties.strategies.faults import FAULTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from properties.strategies.faults import Fault
    from reference_impl.parquet.plan import Row

# What stands beside the data: whoever reads all of a file need not look at it.
_BESIDE = {
    "PQ-INDEX-": "page indexes are for those who skip pages; a reader of all rows need not look at them",
    "PQ-BLOOM-": "Bloom filters are for those who skip chunks; a reader of all rows need not look at them",
    "PQ-STATS-": "statistics are for those who skip rows; a reader of all rows need not look at them",
    "PQ-SIZE-": "size statistics are hints; a reader need not look at them",
    "PQ-THRIFT-003": "lists of booleans are in column indexes; a reader of all rows need not look at them",
    "PQ-GEO-": "geospatial statistics are for those who skip; a reader of all rows need not look at them",
}
# Values of `x` in files that come close, where what comes close is what is stored.
_NEAR: dict[str, tuple[Any, ...]] = {
    "PQ-CHUNK-009": ([1, 2], [3]),
    "PQ-DBP-005": (2**31 - 1, -(2**31), 1 - 2**31),
    "PQ-DICT-003": (1, 2, 2),
}


def recipes() -> Iterator[Recipe]:
    """Yield two recipes for each rule that has a fault."""
    known = rules.load()
    for fault in FAULTS.values():
        rule = known[fault.rule]
        folder = f"fault/{fault.rule.lower()}"
        yield Recipe(
            f"{folder}/{fault.name}",
            fault.broken.plan,
            rule.clause,
            notes=fault.what,
            level=rule.level,
            tamper=fault.broken.tamper,
            refuse=fault.rule,
            either=_either(fault, rule),
        )
        yield Recipe(
            f"{folder}/near-{fault.name}",
            fault.near.plan,
            rule.clause,
            notes=fault.why,
            level=rule.level,
            tamper=fault.near.tamper,
            rows=_near_rows(fault),
        )


def _near_rows(fault: Fault) -> tuple[Row, ...] | None:
    values = _NEAR.get(fault.rule)
    return values and tuple({"row": number, "x": value} for number, value in enumerate(values))


def _either(fault: Fault, rule: rules.Rule) -> str:
    """Answer why a reader may accept the file all the same, "" if it must not."""
    for family, reason in _BESIDE.items():
        if fault.rule.startswith(family):
            return reason
    return "" if rule.level == "MUST" else f"the rule is a {rule.level}"
