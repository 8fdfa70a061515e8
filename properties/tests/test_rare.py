"""Rare forms of columns are drawn, each in some of a hundred sheets, and their files are legal."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import strategies as st

from corpora import rules
from corpora.build.formats import FORMATS
from corpora.build.variants import elements
from properties import generate
from properties.strategies import kinds, layouts, schemas, sheets, variations
from properties.strategies.orc import sheets as orc_sheets
from properties.strategies.schemas import Elements
from reference_impl.orc.schema import TypeKind
from reference_impl.parquet.schema import Encoding, SchemaElement, Type
from reference_impl.parquet.tree import build
from reference_impl.variant.shredding import Level

_SHEETS = 400
_OBJECT = 2  # the basic type of a Variant's value


@pytest.fixture(scope="module")
def columns():
    """Return the rare columns of some sheets of Parquet, each with its first layout."""
    drawn = generate._drawn(3, range(_SHEETS), sheets._rare())
    return [(bundle, bundle.layouts[0]) for bundles in drawn for bundle in bundles]


@pytest.mark.heavy
def test_keys_of_many_types(columns) -> None:
    """Maps have keys of most physical types, which most of a thousand other maps have not."""
    keys: Counter[Type | None] = Counter()
    digits = [0]
    for bundle, _ in columns:
        elements = bundle.field
        if elements[0].logicalType is not None and elements[0].logicalType.MAP is not None:
            keys[elements[2].type] += 1
            digits.append(elements[2].precision or 0)
    assert len(keys) >= 8, keys
    assert max(digits) >= 38


@pytest.mark.heavy
def test_layouts_of_dictionaries_and_filters(columns) -> None:
    """Dictionaries that are given up and Bloom filters without statistics occur."""
    found: Counter[str] = Counter()
    for _, (layout, *_rest) in columns:
        encodings = [page.encoding for page in layout.pages]
        indexed = encodings.count(Encoding.RLE_DICTIONARY)
        found["given up"] += 1 < indexed < len(encodings)
        found["filter alone"] += layout.bloom is not None and layout.statistics is None
    assert min(found.values()) > 2, found


@pytest.mark.heavy
def test_values_at_the_ends_of_bounds(columns) -> None:
    """Columns of zeros alone, of one value, and of one value beside NaN occur."""
    found: Counter[str] = Counter()
    for bundle, _ in columns:
        node = build([SchemaElement(name="m", num_children=1), *bundle.field]).children[0]
        content = bundle.contents[0]
        if content.values is None or not layouts.is_float(node):
            continue
        values = {repr(value) for value, _ in getattr(content.values, "runs", ())}
        found["zeros"] += values <= {"0.0", "-0.0", repr(bytes(2)), repr(b"\x00\x80")}
        found["one"] += len(values) == 1
        found["two"] += len(values) == 2
    assert min(found[name] for name in ("zeros", "one", "two")) > 2, found


@pytest.mark.heavy
def test_variants_of_many_elements_and_far_moments(columns) -> None:
    """Variants whose count takes four bytes, and milliseconds beyond 64-bit microseconds, occur."""
    found: Counter[str] = Counter()
    for bundle, _ in columns:
        content = bundle.contents[0]
        if content.variants:
            value = content.variants[0]["value"]  # an object's and an array's header have is_large elsewhere
            found["many"] += bool(value[0] & (0x40 if value[0] & 3 == _OBJECT else 0x10))
            found["few"] += int.from_bytes(value[1:2], "little") == 255
        values = [value for value, _ in getattr(content.values, "runs", ())]
        if bundle.field[0].logicalType is not None and bundle.field[0].logicalType.TIMESTAMP is not None:
            found["far"] += any(abs(value) > (1 << 63) // 1000 for value in values)
    assert min(found[name] for name in ("many", "few", "far")) > 1, found


@st.composite
def _fields(draw: st.DrawFn) -> Elements:
    return variations.with_odd_field(draw, draw(schemas.fields()))


def test_odd_names_of_fields_of_structs() -> None:
    """Fields of structs have odd names; those of `tables` and the columns of Variants keep theirs."""
    odd = {name for family in schemas.ODD_NAMES for name in family} - {"list", "key", "A", ""}
    drawn = generate._drawn(3, range(2 * _SHEETS), _fields())
    assert len({element.name for field in drawn for element in field} & odd) > 3
    plain = generate._drawn(3, range(_SHEETS), schemas.fields())
    assert not {element.name for field in plain for element in field} & odd
    shredded = list(elements("a", schemas.OPTIONAL, Level(fields=(("b", Level()), ("A", Level())))))
    field = schemas._group(
        "c", schemas.REQUIRED, [shredded, schemas.leaf("d", schemas.REQUIRED, kinds.PLAIN[0])]
    )
    assert [field[at].name for at in variations._outside_variants(field)] == ["c", "a", "d"]


@pytest.mark.heavy
def test_orc_has_the_same_forms() -> None:
    """Keys of each kind, long texts and deep structs occur in ORC."""
    sheets_drawn = generate._drawn(3, range(_SHEETS), orc_sheets._rare())
    drawn = [bundle for bundles in sheets_drawn for bundle in bundles]
    keys = {bundle.field.children[0].kind for bundle in drawn if bundle.field.kind is TypeKind.MAP}
    assert len(keys) >= 12, keys
    assert {TypeKind.STRUCT, TypeKind.LIST, TypeKind.UNION} & keys, keys
    assert any(bundle.field.type.maximum_length == 65_535 for bundle in drawn)
    widths = {len(bundle.field.children) for bundle in drawn if bundle.field.kind is TypeKind.UNION}
    assert {17, 130, 256} <= widths, widths
    assert any(
        child.kind is TypeKind.STRUCT
        for bundle in drawn
        if bundle.field.kind is TypeKind.STRUCT
        for child in bundle.field.children
    )


@pytest.mark.heavy
@pytest.mark.parametrize("name", list(FORMATS))
def test_files_with_rare_columns_are_legal(name, fewer) -> None:
    """No file of some sheets breaks a MUST."""
    known, form = rules.load(), FORMATS[name]
    for sheet in generate.generate(9, 1, 1 + fewer(8, 8), name):
        for file in sheet.files[::4]:
            broken = {violation.rule for violation in form.examine(file.data).violations}
            assert not [rule for rule in broken if known[rule].level == "MUST"], (sheet.number, broken)
