"""The errors of adapters. Standard library only, Python 3.9."""

from __future__ import annotations

import os


def text_without(error: BaseException, file: str) -> str:
    """Return the text of an exception without the name of the file, whose words say nothing of the error."""
    return str(error).replace(file, "").replace(os.path.basename(file), "") if file else str(error)


class Unsupported(Exception):  # noqa: N818 - the protocol's word for this outcome
    """The engine lacks the requested feature."""

    # Results and signatures hold an exception's class by its full name: this is where the class was first.
    __module__ = "harness.engines.base"
