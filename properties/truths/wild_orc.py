"""ORC files as writers have made them: several broken rules at once, and what rules leave open."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from corpora.build.orc.schemas import INT, LONG, Types, leaf, list_of, struct_of
from corpora.build.orc.schemas import STRING as TEXT
from corpora.build.orc.schemas import plan as plan_of
from corpora.build.recipe import Recipe
from corpora.build.silences import NAMED_BY_JAVA
from properties.strategies.faults.edit import Change
from properties.strategies.faults.fault import at, fields
from properties.truths.wild import Wild
from reference_impl.orc.plan import FilePlan
from reference_impl.orc.schema import (
    CalendarKind,
    CompressionKind,
    PostScript,
    StripeFooter,
    TypeKind,
)
from reference_impl.orc.tamper import Tamper

_READ = "the broken rule does not prevent reading all rows"
_ZONES = ("America/Los_Angeles", "Asia/Shanghai", "Asia/Kolkata", "Europe/Amsterdam", "UTC")
_OF_JAVA = ("PST", "GMT+05:30")
_YEARS = {"1850": -3_786_825_600, "1900": -2_208_988_800, "1950": -631_152_000, "2020": 1_577_836_800}
_WRITERS = {"java-hybrid": (0, 6), "java-proleptic": (0, 9), "cpp": (1, 6), "presto": (2, 6), "trino": (4, 6)}


def files() -> Iterator[Wild]:
    """Yield the files."""
    return chain(_careless(), _calendars(), _zones())


class Careless(Tamper):
    """Changes the postscript and every stripe's footer of a file."""

    def __init__(self, *, postscript: Change | None = None, stripe_footer: Change | None = None) -> None:
        self._postscript, self._stripe_footer = postscript, stripe_footer

    def postscript(self, postscript: PostScript) -> PostScript:
        """Change the postscript."""
        changed: PostScript = self._postscript(postscript) if self._postscript else postscript
        return changed

    def stripe_footer(self, stripe: int, footer: StripeFooter) -> StripeFooter:  # noqa: ARG002 - as declared
        """Change the footer of a stripe."""
        changed: StripeFooter = self._stripe_footer(footer) if self._stripe_footer else footer
        return changed


def _root_encoding(kind: int) -> Change:
    return fields(columns=at(0, fields(kind=kind)))


# What writers were careless about, each by the rules that it breaks.
_CARELESS: dict[str, tuple[tuple[str, ...], Tamper]] = {
    "no-magic": (("ORC-FILE-003",), Careless(postscript=fields(magic=None))),
    "unknown-encoding": (("ORC-STRIPE-011",), Careless(stripe_footer=_root_encoding(9))),
    "negative-encoding": (("ORC-STRIPE-011",), Careless(stripe_footer=_root_encoding(-1))),
    "no-magic-and-encoding": (
        ("ORC-FILE-003", "ORC-STRIPE-011"),
        Careless(postscript=fields(magic=None), stripe_footer=_root_encoding(7)),
    ),
}


def _plans() -> dict[str, FilePlan]:
    codecs = {"plain": CompressionKind.NONE, "zlib": CompressionKind.ZLIB}
    rows = [(number, None if number % 3 else b"text", [number] * (number % 3)) for number in range(9)]
    types = struct_of(row=INT, text=TEXT, list=list_of(LONG))
    plans = {
        name: plan_of(types, rows, stripes=(4, 5), compression=codec, writer=1, writer_version=6)
        for name, codec in codecs.items()
    }
    return {**plans, "empty": plan_of(types, [])}


def _careless() -> Iterator[Wild]:
    """Yield files whose writer was careless everywhere."""
    for name, (rules, tamper) in _CARELESS.items():
        for shape, plan in _plans().items():
            if shape == "empty" and "encoding" in name:
                continue
            recipe = Recipe(
                f"wild/careless/{name}/{shape}",
                plan,
                "orc_proto.proto",
                refuse=rules[0],
                either=_READ,
                tamper=tamper,
                format="orc",
            )
            yield Wild(recipe, rules)


def _file(name: str, plan: FilePlan, clause: str, *, either: str = "") -> Wild:
    return Wild(Recipe(f"wild/{name}", plan, clause, format="orc", either=either))


def _two(kind: TypeKind) -> Types:
    return struct_of(row=INT, x=leaf(kind))


def _calendars() -> Iterator[Wild]:
    """Yield dates around the change of calendars, by each calendar that is named, or implied by a writer."""
    clause = "orc_proto.proto, Footer.calendar"
    days = [-141_438, -141_427, -719_162, -141_439, -135_140, 0]
    rows = list(enumerate([*days, None]))
    for kind in CalendarKind:
        yield _file(
            f"calendar/dates-{kind.name.lower()}", plan_of(_two(TypeKind.DATE), rows, calendar=kind), clause
        )
    for name, (writer, version) in _WRITERS.items():
        plan = plan_of(_two(TypeKind.DATE), rows, calendar=None, writer=writer, writer_version=version)
        yield _file(f"calendar/dates-of-{name}", plan, clause)


def _zones() -> Iterator[Wild]:
    """Yield wall clocks of each time, by the zone of the writer, local mean time among them."""
    for zone in _ZONES:
        for name, seconds in _YEARS.items():
            values = [(seconds, 0), (seconds + 1, 500_000_000), None]
            plan = plan_of(_two(TypeKind.TIMESTAMP), list(enumerate(values)), writer_timezone=zone)
            where = zone.rpartition("/")[2].lower().replace("_", "-")
            yield _file(f"zone/{where}-{name}", plan, "ORCv1.md, Timestamp Columns")
    for zone in _OF_JAVA:
        rows = list(enumerate([(_YEARS["2020"], 0), None]))
        plan = plan_of(_two(TypeKind.TIMESTAMP), rows, writer_timezone=zone)
        where = zone.lower().replace("+", "-plus-").replace(":", "")
        clause = "orc_proto.proto, StripeFooter.writerTimezone"
        yield _file(f"zone/of-java-{where}", plan, clause, either=NAMED_BY_JAVA)
