from __future__ import annotations

import pytest

from corpora import rules
from properties import expected
from properties.strategies.faults import FAULTS, WAIVED
from properties.test_roundtrip import read as tagged
from reference_impl.errors import Malformed
from reference_impl.parquet import index
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.ranges import read_ranges

EACH = pytest.mark.parametrize("fault", FAULTS.values(), ids=lambda fault: fault.rule)
MOST_BYTES = 2048


def read(data):
    """Read everything of a file: its rows, and what stands beside them."""
    file = ParquetFile(data)
    file.read()
    for group in range(len(file.metadata.row_groups)):
        for column in range(len(file.leaves)):
            index.column_index(file, group, column)
            index.offset_index(file, group, column)
            index.bloom_filter_header(file, group, column)
        read_ranges(file, group, [(0, file.metadata.row_groups[group].num_rows)])


@EACH
def test_the_reader_refuses_it_by_its_rule(fault):
    """A fault is refused, and for the rule that it breaks."""
    with pytest.raises(Malformed) as caught:
        read(fault.build())
    assert caught.value.rule == fault.rule, caught.value


@EACH
def test_what_comes_close_is_read(fault):
    """The file that comes close is read, and as what its plan says."""
    data = fault.near.build()
    read(data)
    assert tagged(data).to_json() == expected.table(fault.near.plan).to_json()


@EACH
def test_files_are_small_and_the_same_each_time(fault):
    """Files have at most 2 KB, differ, and building is deterministic."""
    broken, near = fault.build(), fault.near.build()
    assert broken == fault.build()
    assert near == fault.near.build()
    assert broken != near
    assert max(len(broken), len(near)) <= MOST_BYTES


def test_every_rule_has_a_fault_or_a_reason():
    """Faults and waivers are of rules that exist, and no rule is without."""
    assert not FAULTS.keys() & WAIVED.keys()
    assert FAULTS.keys() | WAIVED.keys() == rules.load().keys()
