"""Generated faults of ORC: a legal plan from `sheets`, and one thing changed that breaks one rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from properties.strategies.chances import choice
from properties.strategies.faults.common import Fault, Made
from properties.strategies.faults.orc.anywhere import KINDS
from properties.strategies.faults.orc.scene import watch
from properties.strategies.orc.sheets import sheets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properties.strategies.faults.orc.scene import Kind


@st.composite
def faults(draw: st.DrawFn, kinds: Sequence[Kind] = KINDS) -> Fault:
    """Return a fault in any file; what comes close is the file without it."""
    plan = draw(sheets(min_files=1, max_files=1)).plans[0]
    scene = watch(plan)
    kind, places = choice(draw, [(kind, found) for kind in kinds if (found := kind.places(scene))])
    place = choice(draw, places)
    what = f"{kind.what}, at {place}"
    broken = Made(plan, kind.tamper(scene, place))
    return Fault(kind.rule, "generated", what, broken, "nothing is wrong with it", Made(plan))
