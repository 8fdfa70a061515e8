"""The checked-in corpora: all recipes, among them a broken file and a legal twin for each fault."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache

from corpora import rules
from corpora.build import areas, fields, make, store
from corpora.build.formats import FORMATS, ORC, PARQUET, Format
from corpora.build.make import BuiltCase
from corpora.build.orc import areas as orc_areas
from corpora.build.recipe import Recipe
from corpora.build.store import Stored
from properties.strategies.faults import FAULTS, Fault
from properties.strategies.faults.orc import FAULTS as ORC_FAULTS
from reference_impl.errors import Malformed, ReferenceError_

# Faults of these rules also change the values that are read from the file.
_CHANGED = (
    *("PQ-INDEX-021", "PQ-INDEX-031", "ORC-NEST-002", "ORC-STRIPE-014", "ORC-TYPE-005"),
    *("PQ-VARIANT-008", "PQ-VARIANT-009", "PQ-VARIANT-010", "PQ-VARIANT-011", "PQ-VARIANT-017"),
)
AS_TWIN = ("PQ-PAGE-010",)  # faults whose file has the rows of the near file
_READABLE = "the broken rule does not prevent reading all rows"
_OPTIONAL = {
    "PQ-INDEX-": "page indexes serve to skip pages; a reader of all rows need not read them",
    "PQ-BLOOM-": "Bloom filters serve to skip chunks; a reader of all rows need not read them",
    "PQ-STATS-": "statistics serve to skip rows; a reader of all rows need not read them",
    "PQ-SIZE-": "size statistics are hints; a reader need not read them",
    "PQ-THRIFT-003": "only column indexes have lists of booleans; a reader of all rows need not read them",
    "PQ-GEO-": "geospatial statistics serve to skip rows; a reader of all rows need not read them",
    "ORC-INDEX-": "row indexes serve to skip row groups; a reader of all rows need not read them",
    "ORC-BLOOM-": "Bloom filters serve to skip rows; a reader of all rows need not read them",
    "ORC-STATS-": "statistics serve to skip rows; a reader of all rows need not read them",
    # Here the specification requires less than the reference.
    "ORC-COMP-006": "ORCv1.md does not say that a chunk ends where the stream of its codec ends",
    "ORC-FILE-007": "ORCv1.md limits the stored size of a chunk by its header, not the decompressed size",
    "ORC-FILE-014": "statistics serve to skip rows; a reader of all rows need not read them",
    "ORC-FILE-016": "no column has dates; and a proto2 parser drops enum numbers that have no name",
    "ORC-TYPE-005": "kind of Type is required in ORCv1.md, optional with default BOOLEAN in orc_proto",
    "ORC-TYPE-006": "ORCv1.md does not say that maximumLength must be set",
    "ORC-STRIPE-014": "a reader may use its own time zone, or one that the caller gives",
}


def built(form: str) -> Iterator[BuiltCase]:
    """Yield the files and cases of the corpus of a format."""
    return make.all_of(recipes(form))


@cache
def recipes(form: str) -> tuple[Recipe, ...]:
    """Return all recipes of the corpus of a format; those of faults are built and read to know their case."""
    return (*_AREAS[form](), *fault_recipes(form))


def contents(form: Format) -> tuple[Stored, ...]:
    """Return the checked-in cases of a format, with the items that they reach."""
    return tuple(store.stored(form, form.folder))


def coverage_page(corpus: Callable[[Format], Iterable[Stored]] = contents) -> str:
    """Return the content of FORMAT_COVERAGE.md; raises CaseError. `corpus` returns the cases of a format."""
    pages = []
    for form in FORMATS.values():
        tampered = {f"{form.name}/{recipe.id}" for recipe in recipes(form.name) if recipe.tamper is not None}
        interface = fields.interface(form.name)
        pages.append((interface, fields.lines(interface, fields.held(corpus(form), tampered))))
    return fields.render(pages, of_files())


def of_files() -> str:
    """Return which checked-in files FORMAT_COVERAGE.md is made from: it is made again where this differs."""
    return " and ".join(f"{store.digest(form.folder)} ({form.name})" for form in FORMATS.values())


def fault_recipes(form: str) -> Iterator[Recipe]:
    """Yield two recipes for each rule of a format that has a fault."""
    known = rules.load()
    for fault in _FAULTS[form].values():
        rule = known[fault.rule]
        near = Recipe(
            f"fault/{fault.rule.lower()}/near-{fault.name}",
            fault.near.plan,
            rule.clause,
            notes=fault.why,
            level=rule.level,
            tamper=fault.near.tamper,
            format=form,
            keys=fault.keys,
        )
        yield replace(
            near,
            id=f"fault/{fault.rule.lower()}/{fault.name}",
            plan=fault.broken.plan,
            notes=fault.what,
            tamper=fault.broken.tamper,
            refuse=fault.rule,
            either=_either(fault, rule, form),
            meant=fault.rule not in _CHANGED,
            rows=fault.near.plan.rows if fault.rule in AS_TWIN else None,
        )
        yield near


def _either(fault: Fault, rule: rules.Rule, form: str) -> str:
    """Return why a reader may accept the file, "" if it must not."""
    for family, reason in _OPTIONAL.items():
        if fault.rule.startswith(family):
            return reason
    if rule.level != "MUST":
        return f"the rule is a {rule.level}"
    return _READABLE if _is_read(fault, form) else ""


def _is_read(fault: Fault, form: str) -> bool:
    """Return whether the reference reads the file, so that only `validate` checks the rule."""
    data = fault.build()
    try:
        FORMATS[form].file(data, fault.keys).read()
    except Malformed:
        return False
    except ReferenceError_:
        return True  # a file that is not supported need not be malformed
    return True


_AREAS = {PARQUET.name: areas.recipes, ORC.name: orc_areas.recipes}
_FAULTS: dict[str, dict[str, Fault]] = {PARQUET.name: FAULTS, ORC.name: ORC_FAULTS}
