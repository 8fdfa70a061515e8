"""Encrypted files that are written: generated plans come back, and break no rule; each module is its own."""

from dataclasses import replace
from functools import cache, partial
from random import Random

import pytest

from corpora.keys import Keys, suite_key
from properties.generate import generate
from reference_impl.columns import to_python
from reference_impl.errors import UsageError
from reference_impl.parquet import index
from reference_impl.parquet.encryption.modules import ModuleKind
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.plan import (
    Bloom,
    Column,
    ColumnKey,
    Dictionary,
    Encryption,
    FilePlan,
    Index,
    Page,
    Statistics,
)
from reference_impl.parquet.schema import Encoding, FieldRepetitionType, SchemaElement, Type
from reference_impl.parquet.tamper import Tamper
from reference_impl.parquet.validate import examine
from reference_impl.parquet.writer import write

SIZES = (16, 24, 32)
ALL = Statistics()


def rich_plan():
    """Two columns with all that can stand beside them, two row groups of two pages each."""
    fields = [
        SchemaElement(type=Type.INT32, repetition_type=FieldRepetitionType.REQUIRED, name=name)
        for name in "ab"
    ]
    page = Page(entries=4, encoding=Encoding.RLE_DICTIONARY)
    layout = Column(pages=(page,), dictionary=Dictionary(), statistics=ALL, index=Index(), bloom=Bloom())
    rows = tuple({"a": number, "b": -number} for number in range(16))
    schema = (SchemaElement(name="schema", num_children=2), *fields)
    return FilePlan(schema, rows, (layout, layout), row_groups=(8, 8), row_group_details=True)


@cache
def files():
    """Generated files that break no rule without encryption, and have no index page: no module is for one."""
    made = [file for sheet in generate(4, 0, 3) for file in sheet.files]
    return [file for file in made if not any(layout.index_page for layout in layouts_of(file.plan))]


def layouts_of(plan):
    """Return the layouts of all chunks of a plan."""
    return [*plan.columns, *(layout for _, _, layout in plan.overrides)]


def encryption_of(random, leaves):
    """Any mode: footer, algorithm, sizes of keys, AAD prefix, and which columns with which key."""
    columns = None
    if random.random() < 0.7:
        kinds = [random.choice(("plain", "footer", "own")) for _ in range(leaves)]
        columns = tuple(column(kind, number, random.choice(SIZES)) for number, kind in enumerate(kinds))
    return Encryption(
        suite_key("footer", random.choice(SIZES)),
        footer_metadata=random.choice((None, b"kf")),
        columns=columns,
        ctr=random.random() < 0.5,
        plaintext_footer=random.random() < 0.5,
        aad_prefix=random.choice((None, b"", b"table/part")),
        store_aad_prefix=random.random() < 0.5,
        file_unique=random.randbytes(random.randint(1, 9)),
        seed=random.randint(0, 99),
        padding=random.choice((0, 7)),
    )


def column(kind, number, size):
    """Return how a column is encrypted."""
    if kind == "own":
        return ColumnKey(suite_key(f"column {number % 16}", size), b"k%d" % number)
    return ColumnKey() if kind == "footer" else None


def keys_of(encryption):
    """Return the keys that open a file."""
    own = [one for one in encryption.columns or () if one is not None and one.key is not None]
    given_prefix = encryption.aad_prefix if not encryption.store_aad_prefix else None
    return Keys(
        footer=encryption.footer_key,
        by_metadata={one.metadata: one.key for one in own},
        aad_prefix=given_prefix,
    )


def values(file):
    """Return all values, by column."""
    return [to_python(one) for one in file.read().columns]


@pytest.mark.sweep(20)
@pytest.mark.unmeasured
@pytest.mark.parametrize("seed", range(40))
def test_round_trip(seed):
    """A plan that is encrypted holds what it holds without; validation finds nothing new but padding."""
    random = Random(seed)
    made = random.choice(files())
    plain = ParquetFile(made.data)
    encryption = encryption_of(random, len(plain.leaves))
    raw = write(replace(made.plan, encryption=encryption))
    keys = keys_of(encryption)
    file = ParquetFile(raw, keys)
    assert repr(values(file)) == repr(values(plain))  # NaN is not equal to itself
    for group, _ in enumerate(file.metadata.row_groups):
        for leaf, _ in enumerate(file.leaves):
            one, other = (index.column_index(each, group, leaf) for each in (file, plain))
            assert one == other
            found, same = (index.bloom_filter(each, group, leaf) for each in (file, plain))
            assert (found is None) == (same is None)
            if found is not None:
                assert index.bloom_bitset(file, group, leaf, found) == index.bloom_bitset(
                    plain, group, leaf, same
                )
    report = examine(raw, keys=keys)
    told = {one.rule for one in report.violations} - {one.rule for one in examine(made.data).violations}
    assert told <= {"PQ-CRYPT-011"} if encryption.padding else not told, report.violations
    assert not report.unchecked


def test_nothing_shows():
    """Of an encrypted column, no value, name of a key or statistic stands in the file in the plain."""
    made = next(one for one in files() if b"colconf version" in one.data)
    raw = write(replace(made.plan, encryption=Encryption(suite_key("footer"))))
    assert raw[:4] == raw[-4:] == b"PARE"
    assert b"colconf version" not in raw


def test_keys_are_checked():
    """A key of another size is refused, and so is a row group that no AAD can name."""
    made = files()[0]
    with pytest.raises(UsageError):
        write(replace(made.plan, encryption=Encryption(b"short")))
    with pytest.raises(UsageError):
        write(replace(made.plan, encryption=Encryption(suite_key("footer"), columns=(ColumnKey(b"short"),))))


def _watch(seen, _kind, _place, data):
    seen.append(data[4:16])
    return data


def test_nonces_differ():
    """No two modules of a file have the same nonce, in either algorithm."""
    made = max(files(), key=lambda one: len(one.data) if len(one.data) < 100_000 else 0)
    for ctr in (False, True):
        encryption = Encryption(suite_key("footer"), ctr=ctr)
        seen = []

        watch = Tamper()
        watch.module = partial(_watch, seen)
        write(replace(made.plan, encryption=encryption), watch)
        assert len(seen) == len(set(seen)) > 3


@pytest.mark.parametrize("kind", list(ModuleKind))
def test_aad_of_the_writer(kind):
    """A module whose AAD is another one is refused, by the rule of its kind; a page in CTR has none."""
    key = suite_key("column 0")
    plan = rich_plan()
    encryption = Encryption(suite_key("footer"), columns=(ColumnKey(key), ColumnKey(key)))

    class Other(Tamper):
        def aad(self, module, place, aad):
            del place
            return aad + b"!" if module is kind else aad

    names = (element.name for element in plan.schema[1:])
    keys = Keys(footer=encryption.footer_key, columns=dict.fromkeys(names, key))
    assert not examine(write(replace(plan, encryption=encryption)), keys=keys).violations
    report = examine(write(replace(plan, encryption=encryption), Other()), keys=keys)
    assert {one.rule for one in report.violations} == {kind.rule}
