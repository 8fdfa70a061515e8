from dataclasses import replace

import pytest

from corpora.build.areas import encryption
from corpora.build.recipe import OPTIONAL, group, leaf, schema
from corpora.cases import CaseError
from corpora.features import REGISTRY, features_of, is_known, registry
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.plan import FilePlan
from reference_impl.parquet.schema import Type
from reference_impl.parquet.summary import summarize
from reference_impl.parquet.writer import write

ENTRY = '[[feature]]\nid = "parquet/page/v1"\ntext = "pages"\nclause = "parquet.thrift"\n'


def test_features_of_a_footer():
    """Names of parquet.thrift become ids, synonyms one id, and the answer is sorted without duplicates."""
    summary = {
        "encodings": ["PLAIN", "RLE_DICTIONARY"],
        "codecs": ["LZ4_RAW"],
        "page_types": ["DATA_PAGE_V2", "DICTIONARY_PAGE"],
        "physical_types": ["FIXED_LEN_BYTE_ARRAY"],
        "logical_types": ["UTF8", "STRING", "TIMESTAMP_MICROS", "INT_8", "LIST"],
        "nesting": ["list-2-level", "map_key_value"],
        "flags": ["crc", "column_index", "size_statistics", "column_orders", "bloom_filter"],
        "encryption": ["encrypted"],
    }
    assert features_of(summary) == (
        "parquet/codec/lz4-raw",
        "parquet/encoding/plain",
        "parquet/encoding/rle-dictionary",
        "parquet/encryption/encrypted",
        "parquet/logical/int-8",
        "parquet/logical/string",
        "parquet/logical/timestamp",
        "parquet/nesting/list",
        "parquet/nesting/list-2-level",
        "parquet/nesting/map-key-value",
        "parquet/page/crc",
        "parquet/page/dictionary",
        "parquet/page/v2",
        "parquet/statistics/bloom-filter",
        "parquet/statistics/column-index",
        "parquet/statistics/column-orders",
        "parquet/statistics/size-statistics",
        "parquet/type/fixed-len-byte-array",
    )


@pytest.mark.parametrize(
    ("name", "feature"), [("ENCODING 99!", "encoding-99"), ("ZPAQ", "zpaq"), ("¿", "unnamed")]
)
def test_unknown_names(name, feature):
    """A name that the registry does not know is kept below parquet/other, where every id is known."""
    assert features_of({"codecs": [name]}) == (f"parquet/other/{feature}",)
    assert is_known(f"parquet/other/{feature}")


@pytest.mark.parametrize(
    ("case", "feature"),
    [
        ("findings/sorted-row-groups", "parquet/file/sorting-columns"),
        ("schema/name/differs-in-case", "parquet/file/names-differ-in-case"),
        ("file/key-value/arrow-schema", "parquet/file/arrow-schema"),
    ],
)
def test_features_that_a_file_shows(case, feature):
    """What the footer alone has is seen in a file, and not in one without it."""
    for name, there in ((case, True), ("findings/nan-left-out", False)):
        file = ParquetFile((REGISTRY.parent / "parquet" / f"{name}.parquet").read_bytes())
        assert (feature in features_of(summarize(file))) is there


def test_unknown_keys():
    """A misspelt key of the summary is an error, not a feature that is silently lost."""
    with pytest.raises(KeyError):
        features_of({"encoding": ["PLAIN"]})


def test_every_enum_of_the_format_is_registered():
    """No encoding, codec, page type or physical type of parquet.thrift is unknown."""
    schema = pytest.importorskip("reference_impl.parquet.schema")
    enums = {
        "encodings": schema.Encoding,
        "codecs": schema.CompressionCodec,
        "page_types": schema.PageType,
        "physical_types": schema.Type,
        "logical_types": schema.ConvertedType,
    }
    for key, enum in enums.items():
        features = features_of({key: [member.name for member in enum]})
        assert not [feature for feature in features if feature.startswith("parquet/other/")]


@pytest.mark.parametrize(
    "text",
    [
        "feature = 3\n[other]",
        ENTRY + ENTRY,
        ENTRY.replace("parquet/page/v1", "v1"),
        ENTRY.replace('"pages"', '""'),
        ENTRY + "extra = 1",
        "[",
    ],
)
def test_wrong_registry(tmp_path, text):
    """A registry with doubles, unknown fields, empty texts or wrong ids is a CaseError."""
    path = tmp_path / "features.toml"
    path.write_text(text)
    with pytest.raises(CaseError):
        registry(path)


@pytest.mark.parametrize(
    ("sealed", "names"),
    [
        (encryption.uniform(), ["encrypted", "footer", "gcm", "uniform"]),
        (
            encryption.explicit(ctr=True, plaintext_footer=True),
            ["column-keys", "encrypted", "gcm-ctr", "plaintext-footer"],
        ),
        (encryption.uniform(aad_prefix=b"x"), ["aad-prefix", "encrypted", "footer", "gcm", "uniform"]),
    ],
)
def test_features_of_an_encrypted_file(sealed, names):
    """A file that is opened with its keys names its footer, algorithm, keys and AAD prefix."""
    plan, keys = encryption.plan(sealed[0]), sealed[1]
    features = features_of(summarize(ParquetFile(write(plan), keys)))
    assert [name for name in features if "/encryption/" in name] == [
        f"parquet/encryption/{name}" for name in names
    ]


@pytest.mark.parametrize("known", [True, False])
def test_features_of_columns_with_keys_of_their_own(known):
    """What a column has is seen by those who have its key, and not without it."""
    sealed, keys = encryption.explicit()
    assert sealed.columns is not None
    plan = encryption.plan(replace(sealed, columns=(sealed.columns[0],) * 3))
    own = dict.fromkeys("abc", encryption.OWN[0]) if known else {}
    features = features_of(summarize(ParquetFile(write(plan), replace(keys, columns=own))))
    of_columns = {"parquet/encoding/rle-dictionary", "parquet/page/dictionary", "parquet/statistics/chunk"}
    assert of_columns & set(features) == (of_columns if known else set())


@pytest.mark.parametrize(
    ("name", "fields", "metadata"),
    [
        ("names-twice", (leaf("a", Type.INT32), leaf("a", Type.INT32)), ()),
        ("empty-name", (group("s", OPTIONAL, leaf("", Type.INT32)),), ()),
        ("spark-schema", (leaf("a", Type.INT32),), (("org.apache.spark.sql.parquet.row.metadata", "{}"),)),
        ("arrow-schema", (leaf("a", Type.INT32),), (("ARROW:schema", ""),)),
    ],
)
def test_features_of_names_and_of_kept_schemas(name, fields, metadata):
    """Names that are empty or there twice, and schemas that a writer kept, are features of a file."""
    plan = FilePlan(schema(*fields), (), key_value_metadata=metadata)
    special = {"names-twice", "empty-name", "spark-schema", "arrow-schema"}
    features = features_of(summarize(ParquetFile(write(plan))))
    assert {feature.rpartition("/")[2] for feature in features} & special == {name}
