from corpora.build.areas import variants
from reference_impl.parquet.schema import Type
from reference_impl.parquet.tree import build
from reference_impl.variant.schema import leaf_of
from reference_impl.variant.values import BY_KIND


def typed(node):
    """Yield the leaves that are called typed_value."""
    if node.physical is None:
        for child in node.children:
            yield from typed(child)
    elif node.name == "typed_value":
        yield node


def test_every_type_of_the_table_has_cases():
    """Each Variant type but null is shredded in a column, in a field and in an array."""
    found = {}
    for recipe in variants.recipes():
        _, place, _ = recipe.id.split("/")
        kinds = {(leaf_of(node).kind, node.physical.type) for node in typed(build(list(recipe.plan.schema)))}
        found.setdefault(place, set()).update(kinds)
    for place in ("column", "field", "element"):
        assert {kind for kind, _ in found[place]} == set(BY_KIND) - {"null"}
    binaries = {type_ for kind, type_ in found["column"] if kind == "decimal16"}
    assert binaries == {Type.BYTE_ARRAY, Type.FIXED_LEN_BYTE_ARRAY}


def test_values_of_other_types_are_not_in_the_column():
    """Each case also has a value that the typed column cannot hold, and a null."""
    for recipe in variants.recipes():
        _, place, _ = recipe.id.split("/")
        if place == "column" and "decimal16-" not in recipe.id:
            rows = [row["v"] for row in recipe.plan.rows]
            assert rows[0] is None
            assert {row["value"] is None for row in rows[1:]} == {True, False}
            assert all((row["value"] is None) != (row["typed_value"] is None) for row in rows[1:])
