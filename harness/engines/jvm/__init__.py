"""What engines in Java share: the program of the child, its compilation, the base of the adapters."""

from __future__ import annotations
