"""Faults of ORC: for each rule a small file that breaks only this rule, and a near file."""

from __future__ import annotations

from properties.strategies.faults.fault import Fault, File
from properties.strategies.faults.orc import (
    encryption,
    indexes,
    runs,
    statistics,
    stripes,
    tails,
    types,
    values,
)

__all__ = ["FAULTS", "WAIVED", "Fault", "File"]

_AREAS = (tails, types, stripes, runs, values, indexes, statistics, encryption)
FAULTS: dict[str, Fault] = {fault.rule: fault for area in _AREAS for fault in area.FAULTS}
WAIVED: dict[str, str] = {
    "ORC-TIME-003": "a writer must not store such a moment: what it would store is another one, and legal"
}
