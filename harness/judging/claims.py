"""Which equivalences hold: of those that an engine claims, for a format, a configuration, and a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from harness.judging.equivalences import EQUIVALENCES

# Equivalences that hold for every engine in a file with all these features, as the specification is silent.
SILENT: tuple[tuple[frozenset[str], tuple[str, ...]], ...] = (
    (frozenset({"orc/file/no-calendar"}), ("orc-calendar-unnamed", "orc-calendar-of-instants")),
    (frozenset({"parquet/logical/future"}), ("future-as-null",)),
    (frozenset({"parquet/logical/interval", "parquet/logical/unknown"}), ("interval-as-unknown",)),
    (frozenset({"orc/file/julian"}), ("orc-calendar-of-instants",)),
    (frozenset({"orc/file/zone"}), ("orc-local-mean-time",)),
    (frozenset({"orc/file/zone-changed"}), ("orc-zone-of-another-database",)),
    (frozenset({"orc/file/zone", "orc/file/no-calendar"}), ("orc-local-mean-time-calendar-unnamed",)),
)

# What an equivalence that an engine claims says of types that the features of a file tell apart.
IMPLIED = {
    "arrow-schema-restored": tuple(f"arrow-duration-{unit}-restored" for unit in ("ns", "us", "ms", "s"))
}


def silent(features: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the equivalences that hold for every engine in a file with these features."""
    there = frozenset(features)
    return tuple(dict.fromkeys(name for needed, names in SILENT if needed <= there for name in names))


def about(names: Iterable[str], features: Iterable[str]) -> tuple[str, ...]:
    """Return the names of equivalences that hold in a file with these features, and all unknown names."""
    there = frozenset(("", *features))
    every = [implied for name in names for implied in (name, *IMPLIED.get(name, ()))]
    fit = (name for name in every if name not in EQUIVALENCES or EQUIVALENCES[name].feature in there)
    return (*fit, *silent(there))


def under(names: Iterable[str], switches: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of equivalences that hold under a configuration, and all unknown names."""
    on = {f"{switch}={value}" for switch, value in switches.items()}
    return tuple(name for name in names if name not in EQUIVALENCES or EQUIVALENCES[name].holds(on))


def of_values(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of equivalences that keep types and bring values into a common form."""
    return tuple(name for name in names if name in EQUIVALENCES and EQUIVALENCES[name].both)


def of_format(names: Iterable[str], format: str) -> tuple[str, ...]:  # noqa: A002 - the protocol's word
    """Return the names of equivalences that apply to a format, and all unknown names."""
    return tuple(name for name in names if name not in EQUIVALENCES or format in EQUIVALENCES[name].formats)
