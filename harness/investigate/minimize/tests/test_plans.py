"""Reductions of a generated file's plan: each result is a legal, smaller plan."""

import random
from dataclasses import replace
from functools import cache

import pytest

from corpora.build.formats import FORMATS
from corpora.cases import Case, Expectation
from harness.investigate.minimize import plans
from harness.investigate.minimize.minimizer import minimize
from harness.investigate.minimize.tests.files import rules
from harness.investigate.minimize.tests.test_minimize import asked, quiet
from properties.generate import generate

SEED = 7


@cache
def sheet(form, number=0):
    """Return a generated sheet, which is generated once."""
    (found,) = generate(SEED, number, number + 1, form)
    return found


@pytest.mark.heavy
@pytest.mark.parametrize("form", ["parquet", "orc"])
def test_steps_are_legal_and_end(form, fewer):
    """Random reductions of a plan end; each one makes a legal file, or raises ValueError."""
    dice = random.Random(form)
    for made in sheet(form, 1).files[: fewer(4, 2)]:
        known = plans.Plans(form, [(made.data, made.plan)])
        data, steps = made.data, 0
        for reduction in known.reductions() * 3:
            while (sites := reduction.sites(data)).count and steps < 60:
                start = dice.randrange(sites.count)
                try:
                    smaller = sites.reduced(start, dice.randrange(start, sites.count) + 1)
                except ValueError:  # a plan that is none
                    break
                assert not rules(smaller), reduction.name
                assert reduction.sites(smaller).count < sites.count
                data, steps = smaller, steps + 1
        assert steps > 4
        assert len(data) < len(made.data)


@pytest.mark.heavy
@pytest.mark.parametrize("form", ["parquet", "orc"])
def test_what_is_left_is_what_it_was(form):
    """Only the chosen rows are removed; the other rows keep their values, also in joined row groups."""
    files = (one for number in range(8) for one in sheet(form, number).files)
    made = next(one for one in files if len(one.plan.rows) > 8 and len(plans._sizes(one.plan) or ()) > 1)
    known = plans.Plans(form, [(made.data, made.plan)])
    table = FORMATS[form].table
    rows, _, groups, _ = known.reductions()
    fewer = rows.sites(made.data).reduced(2, 5)
    plan = known._known[plans.hashlib.sha256(fewer).digest()]
    before = [made.table.column(at) for at in range(len(made.table.columns))]
    after = [table(plan).column(at) for at in range(len(before))]
    assert after == [[*values[:2], *values[5:]] for values in before]
    sites = groups.sites(made.data)
    if sites.count:
        joined = known._known[plans.hashlib.sha256(sites.reduced(0, sites.count)).digest()]
        assert table(joined).num_rows == made.table.num_rows
        assert len(plans._sizes(joined)) == 1


def test_columns_go_with_what_is_said_of_them():
    """If columns are removed, the remaining columns keep their layouts."""
    files = (one for number in range(8) for one in sheet("parquet", number).files)
    made = next(one for one in files if one.plan.rows and one.plan.schema[0].num_children > 1)
    count, smaller = plans._columns(made.plan)
    plan = smaller(0, 1)
    gone = made.plan.schema[1].name
    assert count == made.plan.schema[0].num_children
    assert all(gone not in row for row in plan.rows)
    assert len(plan.schema) < len(made.plan.schema)
    leaves = sum(one.type is not None for one in made.plan.schema) - sum(
        one.type is not None for one in plan.schema
    )
    assert plan.columns == made.plan.columns[leaves:]
    assert plan.schema[0].num_children == count - 1


def test_only_files_of_a_plan(tmp_path):
    """A file that was not generated, or was changed since, has no plan."""
    made = sheet("parquet").files[0]
    file = tmp_path / "x.parquet"
    case = Case("files/x", "parquet", file, "0" * 64, Expectation.by_vote())
    assert not plans.of_case(case, made.data).reductions()
    generated = replace(case, id=f"generated/{SEED}/0/0")
    assert plans.of_case(generated, made.data).reductions()
    assert not plans.of_case(generated, made.data + b"x").reductions()


@pytest.mark.heavy
def test_a_finding_of_a_generated_file(tmp_path):
    """The file of a generated case is reduced by its plan first, then by its format."""
    made = min(
        (one for one in sheet("parquet", 1).files if len(one.plan.rows) > 20), key=lambda one: len(one.data)
    )
    number = sheet("parquet", 1).files.index(made)
    given = asked(tmp_path, made.data, "Refuses", seconds=40.0)
    given = replace(given, case=replace(given.case, id=f"generated/{SEED}/1/{number}"))
    found = minimize(given, quiet)
    names = list(found.progress.by)
    assert names[0].endswith("of the plan")
    assert found.progress.size < 400
