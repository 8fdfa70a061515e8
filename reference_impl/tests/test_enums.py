"""Numbers of enumerations are shown by their names."""

from __future__ import annotations

import pytest

from reference_impl.parquet.schema import Encoding, FieldRepetitionType
from reference_impl.wire.enums import name_of


@pytest.mark.parametrize(
    ("number", "name"), [(Encoding.PLAIN, "PLAIN"), (FieldRepetitionType.REQUIRED, "REQUIRED"), (99, "99")]
)
def test_a_number_has_the_name_of_its_member(number, name):
    """A member has its name; a number that names none is shown as it is."""
    assert name_of(number) == name
