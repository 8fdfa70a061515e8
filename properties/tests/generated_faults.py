"""Generated faults: a legal plan from `sheets`, and one fault put into its file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from properties.strategies import faults as parquet
from properties.strategies.chances import choice
from properties.strategies.faults import edits, orc
from properties.strategies.faults.fault import Fault, File
from properties.strategies.faults.orc import edits as orc_edits
from properties.strategies.orc.sheets import sheets as orc_sheets
from properties.strategies.sheets import sheets as parquet_sheets

PARQUET = tuple(fault for fault in parquet.FAULTS.values() if fault.places)
ORC = tuple(fault for fault in orc.FAULTS.values() if fault.places)


def faults(options: Sequence[Fault] = PARQUET) -> st.SearchStrategy[Fault]:
    """Return one of these faults, put into any Parquet file; the near file is the file without the fault."""
    return _put_into(parquet_sheets(min_files=1, max_files=1), edits, options)


def orc_faults(options: Sequence[Fault] = ORC) -> st.SearchStrategy[Fault]:
    """Return one of these faults, put into any ORC file; the near file is the file without the fault."""
    return _put_into(orc_sheets(min_files=1, max_files=1), orc_edits, options)


@st.composite
def _put_into(draw: st.DrawFn, sheets: Any, edits: Any, options: Sequence[Fault]) -> Fault:
    plan = draw(sheets).plans[0]
    scene = edits.watch(plan)
    possible = ((fault, fault.places.of(scene)) for fault in options if fault.places)
    fault, places = choice(draw, [(fault, places) for fault, places in possible if places])
    assert fault.places is not None
    place = choice(draw, places)
    what = f"{fault.places.what or fault.what}, at {place}"
    broken = File(plan, edits.edit(place, **fault.changes(scene, place)))
    return Fault(f"{fault.rule}/generated", what, broken, "nothing is wrong with it", File(plan))
