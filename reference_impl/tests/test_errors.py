"""The text of an error, which is all that leaves an engine's process."""

import pytest

from reference_impl.errors import Malformed, rule_of


@pytest.mark.parametrize("rule", ["PQ-PAGE-003", "ORC-COMP-005", "PQ-INT96-001"])
def test_the_rule_is_read_from_the_text(rule):
    """The rule is that of the error, wherever in the file it was noticed."""
    assert rule_of(str(Malformed("too short", offset=4, rule=rule))) == rule


@pytest.mark.parametrize("text", ["", "too short", "see [PQ-PAGE-003]", "[0] too short", "[CANNOT_READ.X] y"])
def test_a_text_without_a_rule(text):
    """Only the beginning counts, and only what has the form of a rule's id."""
    assert rule_of(text) is None
