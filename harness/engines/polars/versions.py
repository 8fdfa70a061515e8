"""What functions of this Polars take: options came with its versions."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any


def parameters(function: Callable[..., Any]) -> set[str]:
    """Return the names of a function's parameters."""
    return set(inspect.signature(function).parameters)


def taken(function: Callable[..., Any], **options: Any) -> dict[str, Any]:
    """Return the options that a function has."""
    known = parameters(function)
    return {name: value for name, value in options.items() if name in known}


def among(pl: Any, series: Any) -> Any:
    """Return values as `is_in` takes them: a list since 1.28, before a series, which is deprecated there.

    https://github.com/pola-rs/polars/issues/22149. `QueryOptFlags` is of 1.30.
    """
    return series.implode() if hasattr(pl, "QueryOptFlags") else series
