"""Mutation of Parquet files, and files from the future."""

from collections import Counter
from functools import cache
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from properties.generate import generate
from properties.strategies.mutations import fields, parquet, streams, thrift
from properties.strategies.mutations.futures import FUTURES
from properties.strategies.mutations.handling import Handling
from properties.strategies.mutations.parquet_parts import OPERATIONS
from reference_impl.columns import to_python
from reference_impl.errors import ReferenceError_
from reference_impl.limits import Limits
from reference_impl.parquet import anatomy
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.page_structs import PageHeader
from reference_impl.parquet.schema import FileMetaData
from reference_impl.tests.test_anatomy import RICH
from reference_impl.wire import thrift as wire
from reference_impl.wire import thrift_tree

MUTANTS = 600
LIMITS = Limits(values=1 << 18, page_bytes=1 << 22, footer_bytes=1 << 22)
HARSH = ("bytes", "fields of a broken footer")


@cache
def seeds():
    """Return files that are small enough to be mutated often."""
    found = [made.data for sheet in generate(21, 0, 4) for made in sheet.files]
    return [RICH, *(data for data in found if len(data) < 8000)]


@pytest.fixture(scope="module", autouse=True)
def _made():
    """Make the seeds before a test of Hypothesis would, inside of which nothing else may be drawn."""
    seeds()


@pytest.fixture(scope="module")
def mutants(some_of):
    """Return mutants of all seeds, or a share of them, by number: the seed of their `Random`."""
    numbers = some_of(((str(number), number) for number in range(MUTANTS)), 5)
    return {
        number: parquet.mutant(seeds()[number % len(seeds())], Random(number), seeds()) for number in numbers
    }


@pytest.mark.heavy
def test_deterministic(mutants):
    """The same bytes and the same seed give the same mutant."""
    for number, mutant in list(mutants.items())[:100]:
        again = parquet.mutant(seeds()[number % len(seeds())], Random(number), seeds())
        assert again.operations == mutant.operations
        assert bool(again.data == mutant.data)
        assert parquet.mutate(seeds()[number % len(seeds())], Random(number), seeds()) == mutant.data


@pytest.mark.heavy
def test_seeds_are_left_alone():
    """Mutation does not change the cached parts of a seed: they are assembled to the same file again."""
    before = parquet._parts(RICH)
    for number in range(50):
        parquet.mutant(seeds()[1], Random(number), [RICH])
    assert parquet._parts(RICH) is before
    assert bool(anatomy.assemble(before) == RICH)


@pytest.mark.heavy
def test_each_operation_happens(mutants):
    """Each operation occurs in some mutant, and most mutants differ from their seed."""
    done = Counter(name for mutant in mutants.values() for name in mutant.operations)
    of_many_names = {"index fields", "pages", "row groups", "columns", "seal", "codec"}
    assert set(OPERATIONS) - set(done) == of_many_names
    for stem in ("break ", " page", " row group", " chunk", " fields", "other codec"):
        assert any(stem in name for name in done)
    same = sum(mutant.data in seeds() for mutant in mutants.values())
    assert same < 0.1 * len(mutants)


@pytest.mark.heavy
def test_share_that_gets_past(mutants):
    """The reference reads the footer of most mutants, the page headers of many, and all of some."""
    stages = Counter()
    for mutant in mutants.values():
        try:
            file = ParquetFile(mutant.data, limits=LIMITS)
        except ReferenceError_:
            continue
        stages["footer"] += 1
        try:
            groups = range(len(file.metadata.row_groups))
            for group in groups:
                for leaf in file.leaves:
                    list(file.pages(group, leaf.index))
            stages["pages"] += 1
            file.read()
        except ReferenceError_:
            continue
        stages["decoded"] += 1
    assert stages["footer"] > 0.65 * len(mutants)
    assert stages["pages"] > 0.5 * len(mutants)
    assert 0.1 * len(mutants) < stages["decoded"] < 0.5 * len(mutants)


@pytest.mark.heavy
def test_each_field_operation_happens():
    """Each operation on fields occurs in some tree, and the changed tree can be written."""
    start = len(RICH) - 8 - int.from_bytes(RICH[-8:-4], "little")
    done = Counter()
    decoded = 0
    for number in range(400):
        group, _ = thrift_tree.parse(RICH[start:-8], FileMetaData)
        done.update(fields.mutate(group, thrift.THRIFT, Random(number)))
        try:
            wire.decode(FileMetaData, thrift_tree.build(group))
            decoded += 1
        except ReferenceError_:
            pass
    assert set(done) == set(fields.OPERATIONS)
    assert decoded > 0.6 * 400


@given(st.binary(max_size=200), st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_any_bytes(data, random):
    """Any bytes have a mutant."""
    for cls in (FileMetaData, PageHeader):
        assert isinstance(thrift.mutate(data, cls, random), bytes)
    for encoding in range(11):
        assert isinstance(streams.values(data, encoding, None, random), bytes)
    for prefixed in (True, False):
        assert isinstance(streams.levels(data, 3, random, prefixed=prefixed, encoding=3), bytes)
    assert isinstance(parquet.mutate(data, random, [data]), bytes)
    assert isinstance(parquet.mutate(b"PAR1" + data + b"PAR1", random), bytes)


@given(st.integers(0, len(RICH)), st.integers(1, 5), st.integers(0, 1 << 32))
@settings(max_examples=150, deadline=None)
def test_mutants_of_mutants(cut, times, seed):
    """Truncated files and mutants have mutants."""
    data, random = RICH if cut % 2 else RICH[:cut], Random(seed)
    for _ in range(times):
        data = parquet.mutate(data, random, seeds())
    assert isinstance(data, bytes)


@given(st.builds(parquet.mutate, st.just(RICH), st.randoms(use_true_random=False)))
@settings(max_examples=20, deadline=None)
def test_mutants_are_read(data):
    """The reference reads mutants, or refuses them as documented."""
    try:
        ParquetFile(data, limits=LIMITS).read()
    except ReferenceError_ as error:
        assert error.kind in {"malformed", "unsupported", "limit"}  # noqa: PT017 - any of three classes


def columns(data, names):
    """Return the values of each column as text, None for a column that is refused."""
    file = ParquetFile(data)
    out = {}
    for name in names:
        try:
            out[name] = repr([to_python(column) for column in file.read([name]).columns])
        except ReferenceError_:
            out[name] = None
    return out


@pytest.mark.sweep(15)
@pytest.mark.parametrize("future", FUTURES.values(), ids=list(FUTURES))
def test_futures(future):
    """The reference handles a file of the future as its `handling` says."""
    tried = 0
    for number, seed in enumerate(seeds()[:30]):
        data = future.make(seed, Random(number))
        if data is None:
            continue
        tried += 1
        assert data != seed
        names = [node.name for node in ParquetFile(seed).root.children]
        if future.handling is Handling.REFUSES:
            with pytest.raises(ReferenceError_):
                ParquetFile(data)
            continue
        old, new = columns(seed, names), columns(data, names)
        others = {name for name in names if old[name] != new[name]}
        if future.handling is Handling.READS:
            assert not others
        else:
            assert len(others) == 1
            assert new[others.pop()] is None
    assert tried
    assert future.make(b"no file at all", Random(0)) is None
