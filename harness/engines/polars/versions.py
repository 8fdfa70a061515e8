"""The options that functions of this version of Polars take."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from harness.engines.errors import Unsupported

_INTEGERS = tuple(f"{sign}Int{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64, 128))
_FLOATS = ("Float16", "Float32", "Float64")


def parameters(function: Callable[..., Any]) -> set[str]:
    """Return the names of a function's parameters."""
    return set(inspect.signature(function).parameters)


def raises_between_batches(pl: Any) -> bool:
    """Return whether an error ends `collect_batches` with an exception, not as if all rows were there.

    1.40.1 does, 1.35.2 does not.
    """
    major, minor, *_ = pl.__version__.split(".")
    return (int(major), int(minor)) >= (1, 40)


def taken(function: Callable[..., Any], **options: Any) -> dict[str, Any]:
    """Return the options that a function has."""
    known = parameters(function)
    return {name: value for name, value in options.items() if name in known}


@contextmanager
def known_values(options: Mapping[str, Any]) -> Iterator[None]:
    """Raise Unsupported for an option, or a value of it, that this Polars does not know."""
    try:
        yield
    except (ValueError, TypeError) as error:
        text = str(error).replace("`", "")
        for name in options:
            if re.search(rf"^{name} must be one of|^Invalid {name} argument|argument '{name}'(?:$|: )", text):
                raise Unsupported(f"this Polars does not know the option {name} so: {error}") from error
        raise


@contextmanager
def one_string_cache(pl: Any) -> Iterator[None]:
    """Raise Unsupported where frames that are joined have categories of their own.

    https://docs.pola.rs/api/python/version/0.20/reference/api/polars.StringCache.html: they need it.
    """
    try:
        yield
    except getattr(pl.exceptions, "StringCacheMismatchError", ()) as error:
        raise Unsupported(f"this Polars joins no categories of two reads: {error}") from error


def among(pl: Any, series: Any) -> Any:
    """Return values as `is_in` takes them: a list since 1.28, before a series, which is deprecated there.

    https://github.com/pola-rs/polars/issues/22149. `QueryOptFlags` is of 1.30.
    """
    return series.implode() if hasattr(pl, "QueryOptFlags") else series


def text_type(pl: Any) -> Any:
    """Return the type of text, which was Utf8 before 0.20."""
    return pl.String if hasattr(pl, "String") else pl.Utf8


def length(pl: Any) -> Any:
    """Return the expression of the number of rows: `count` without a column before 0.20.7."""
    return pl.len() if hasattr(pl, "len") else pl.count()


def is_extension(dtype: Any) -> bool:
    """Return whether a type is one of extensions, such as `arrow.json`, which Polars has since 1.36."""
    return hasattr(dtype, "ext_storage")


def storage_of(dtype: Any) -> Any:
    """Return the type that an extension's values are stored in, or the type itself."""
    return dtype.ext_storage() if is_extension(dtype) else dtype


def is_integer(pl: Any, dtype: Any) -> bool:
    """Return whether a type is one of integers."""
    return any(dtype == getattr(pl, name, None) for name in _INTEGERS)


def is_float(pl: Any, dtype: Any) -> bool:
    """Return whether a type is one of floats."""
    return any(dtype == getattr(pl, name, None) for name in _FLOATS)


def unit(dtype: Any) -> str:
    """Return the unit of a type of time, which was `tu` before 0.17; that of a time of day is "ns"."""
    return str(getattr(dtype, "time_unit", None) or getattr(dtype, "tu", None) or "ns")


def moment(pl: Any, nanos: int, dtype: Any) -> Any:
    """Return a count of time as a literal of a column's type."""
    return pl.lit(nanos // {"ns": 1, "us": 1_000, "ms": 1_000_000}[unit(dtype)], dtype=pl.Int64).cast(dtype)


def without_types(version: str) -> tuple[str, ...]:
    """Return the equivalences of a version that lacks types: columns of FLOAT16 are bytes before 2.1.

    A reader that does not know a logical type reads the physical one: apache/parquet-format#606.
    """
    return () if tuple(map(int, version.split(".")[:2])) >= (2, 1) else ("float16-as-bytes",)
