"""The errors of adapters. Standard library only, Python 3.9."""

from __future__ import annotations


class Unsupported(Exception):  # noqa: N818 - the protocol's word for this outcome
    """The engine lacks the requested feature."""

    # Results and signatures hold an exception's class by its full name: this is where the class was first.
    __module__ = "harness.engines.base"
