"""Paths into Variants: what they lead to is what the reference reads there."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.variant_paths import follow, inner
from properties.strategies.variants import physical_forms, variants
from reference_impl.variant.encoding import read
from reference_impl.variant.forms import SMALLEST, encode, metadata_of, names_of
from reference_impl.variant.values import Array, Object, Primitive, object_of

LATE = object_of([("\ufffd", Primitive("int8", 1)), ("\U00010000", Array((Primitive("string", "é"),)))])


def written(value, form=SMALLEST):
    """Return the bytes of a Variant."""
    metadata = metadata_of(names_of(value), form.names)
    return metadata.raw, encode(value, metadata, form.nodes)


def below(value):
    """Return what a value holds, by the step to it."""
    if isinstance(value, Object):
        return dict(value.fields)
    return dict(enumerate(value.items)) if isinstance(value, Array) else {}


@settings(max_examples=60, deadline=None)
@given(variants(), physical_forms())
def test_every_path_leads_to_what_is_there(value, form):
    """In any physical form, steps are those that the value has, and each leads to what it holds there."""
    metadata, raw = written(value, form)
    pending = [((), value)]
    while pending:
        steps, held = pending.pop()
        found = follow(metadata, raw, steps)
        assert read(metadata, found) == held
        assert inner(metadata, found) == list(below(held))
        pending += [((*steps, step), one) for step, one in below(held).items()]


@pytest.mark.parametrize("steps", [("a",), (0,), ("\ufffd", 0), ("\U00010000", 1), ("\U00010000", "é")])
def test_what_is_not_there_is_none(steps):
    """A name that no field has, a number beyond the last, and a step into something else lead nowhere."""
    assert follow(*written(LATE), steps) is None


def test_fields_out_of_order_are_found():
    """A reader that orders names otherwise has all its fields."""
    metadata, raw = written(LATE)
    size, ids, offsets = raw[1], raw[2:4], raw[4:7]
    turned = raw[:2] + ids[::-1] + bytes([offsets[1], offsets[0], offsets[2]]) + raw[7:]
    assert size == 2
    for name, one in LATE.fields:
        assert read(metadata, follow(metadata, turned, (name,))) == one


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=24), st.binary(max_size=24), st.sampled_from(["", "a", 0, 3]))
def test_any_bytes(metadata, raw, step):
    """Bytes that are no Variant are a ValueError at most."""
    try:
        follow(metadata, raw, (step, step))
        inner(metadata, raw)
    except ValueError:
        pass
