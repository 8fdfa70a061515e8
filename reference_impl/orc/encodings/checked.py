"""What both versions of the integer encoding leave to be checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_impl.errors import Malformed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BEYOND = "ORC-INT-002"


def unsigned(values: NDArray[np.int64], offset: int) -> NDArray[np.int64]:
    """Answer values of an unsigned stream, whose runs begin at `offset`; raises Malformed for one ≥ 2**63."""
    if len(values) and int(values.min()) < 0:
        number = int(values.min()) % (1 << 64)
        raise Malformed(f"the value {number} of an unsigned stream", offset=offset, rule=BEYOND)
    return values
