"""The plan of most findings' files: a column `row`, and a column `x` that shows the finding."""

from __future__ import annotations

from typing import Any

from corpora.build.recipe import OPTIONAL, Recipe, leaf, schema
from reference_impl.parquet.plan import Column, FilePlan, Page
from reference_impl.parquet.schema import FieldRepetitionType, Type

ROW = leaf("row", Type.INT32)


def row_and_x(
    kind: Type,
    *values: Any,
    repetition: FieldRepetitionType = OPTIONAL,
    page: Page | None = None,
    element: dict[str, Any] | None = None,
    **layout: Any,
) -> FilePlan:
    """Return a plan of `row` and of a column `x` of these values."""
    fields = schema(ROW, leaf("x", kind, repetition, **(element or {})))
    rows = tuple({"row": row, "x": value} for row, value in enumerate(values))
    return FilePlan(fields, rows, (Column(), Column((page or Page(),), **layout)))


def finding(name: str, plan: FilePlan, spec: str, **more: Any) -> Recipe:
    """Return the case of a finding."""
    return Recipe(f"findings/{name}", plan, spec, **more)
