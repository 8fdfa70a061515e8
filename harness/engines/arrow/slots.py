"""Slots of an array of Arrow, of which values are read."""

from __future__ import annotations

from typing import NamedTuple

from corpora.tagged import Value
from harness.engines.arrow.buffers import CArray, numbers, view
from harness.engines.arrow.types import Node


class Slots(NamedTuple):
    """A range of slots: `size` slots of an array from `first`, its offset included; None: all valid."""

    node: Node
    source: CArray
    first: int
    size: int
    valid: list[bool] | None
    dictionaries: dict[int, list[Value]]

    def numbers(self, code: str = "", buffer: int = 1) -> list[int]:
        """Return the integers of a buffer."""
        return numbers(self.source.buffers[buffer], code or self.node.code, self.first, self.size)

    def bytes(self, width: int) -> memoryview:
        """View values of `width` bytes."""
        return view(self.source.buffers[1], self.first * width, self.size * width)
