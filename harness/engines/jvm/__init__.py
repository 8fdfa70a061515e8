"""Shared parts of engines in Java: the program of the child, its compilation, the base of the adapters."""

from __future__ import annotations
