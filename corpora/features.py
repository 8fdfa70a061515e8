"""The registry of features, and the features of a file from its footer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from corpora.case_fields import rows_of
from corpora.cases import FORMATS, CaseError, is_feature_id

REGISTRY = Path(__file__).with_name("features.toml")

# By format, for each key of a file's summary the folder of the registry that its names belong to.
_FOLDERS = {
    "parquet": {
        "encodings": "parquet/encoding/",
        "codecs": "parquet/codec/",
        "page_types": "parquet/page/",
        "physical_types": "parquet/type/",
        "logical_types": "parquet/logical/",
        "nesting": "parquet/nesting/",
        "variants": "parquet/variant/",
        "flags": "parquet/statistics/",
        "encryption": "parquet/encryption/",
    },
    "orc": {
        "types": "orc/type/",
        "encodings": "orc/encoding/",
        "codecs": "orc/codec/",
        "streams": "orc/stream/",
        "flags": "orc/file/",
        "runs": "orc/run/",
    },
}
# Of folders that are read as tables, by format: a feature of cases, not of files, and so not in the registry.
TABLES = {format_: f"{format_}/other/table" for format_ in FORMATS}
# Names of the interface descriptions that differ from the feature's name.
_ALIASES = {
    "parquet/page/data-page": "parquet/page/v1",
    "parquet/page/data-page-v2": "parquet/page/v2",
    "parquet/page/dictionary-page": "parquet/page/dictionary",
    "parquet/page/index-page": "parquet/page/index",
    "parquet/logical/utf8": "parquet/logical/string",
    "parquet/logical/map": "parquet/nesting/map",
    "parquet/logical/map-key-value": "parquet/nesting/map-key-value",
    "parquet/logical/list": "parquet/nesting/list",
    "parquet/logical/time-millis": "parquet/logical/time",
    "parquet/logical/time-micros": "parquet/logical/time",
    "parquet/logical/timestamp-millis": "parquet/logical/timestamp",
    "parquet/logical/timestamp-micros": "parquet/logical/timestamp",
    "parquet/logical/int96": "parquet/type/int96",
    "parquet/logical/new": "parquet/logical/future",
    "parquet/nesting/new": "parquet/logical/future",
    "parquet/nesting/optional": "parquet/levels/optional",
    "parquet/nesting/variant": "parquet/logical/variant",
    "parquet/nesting/file": "parquet/logical/file",
    "parquet/statistics/statistics": "parquet/statistics/chunk",
    "parquet/statistics/deprecated-statistics": "parquet/statistics/deprecated",
    "parquet/statistics/geospatial-statistics": "parquet/statistics/geospatial",
    "parquet/statistics/unreadable-pages": "parquet/file/invalid",
    "parquet/statistics/crc": "parquet/page/crc",
    "parquet/statistics/empty-page": "parquet/page/empty",
    "parquet/statistics/empty-pages-in-succession": "parquet/page/empty-in-succession",
    "parquet/statistics/dictionary-behind-plain": "parquet/page/dictionary-behind-plain",
    "parquet/statistics/dictionary-without-offset": "parquet/page/dictionary-without-offset",
    "parquet/statistics/gzip-members": "parquet/codec/gzip-members",
    "parquet/statistics/several-pages": "parquet/page/several",
    "parquet/statistics/zero-rows": "parquet/file/zero-rows",
    "parquet/statistics/zero-row-groups": "parquet/file/zero-row-groups",
    "parquet/statistics/row-groups": "parquet/file/row-groups",
    "parquet/statistics/first-column-later": "parquet/file/first-column-later",
    "parquet/statistics/zero-columns": "parquet/file/zero-columns",
    "parquet/statistics/sorting-columns": "parquet/file/sorting-columns",
    "parquet/statistics/names-differ-in-case": "parquet/file/names-differ-in-case",
    "parquet/statistics/names-twice": "parquet/file/names-twice",
    "parquet/statistics/empty-name": "parquet/file/empty-name",
    "parquet/statistics/unknown-fields": "parquet/file/unknown-fields",
    "parquet/statistics/arrow-schema": "parquet/file/arrow-schema",
    **{
        f"parquet/statistics/arrow-duration-{unit}": f"parquet/file/arrow-duration-{unit}"
        for unit in ("s", "ms", "us", "ns")
    },
    "parquet/statistics/geoparquet": "parquet/file/geoparquet",
    "parquet/statistics/spark-schema": "parquet/file/spark-schema",
    "parquet/statistics/spark-hybrid-calendar": "parquet/file/spark-hybrid-calendar",
}


class Feature(NamedTuple):
    """An entry of the registry: its id, its meaning in one line, and the clause that defines it."""

    id: str
    text: str
    clause: str


@cache
def registry(path: Path = REGISTRY) -> Mapping[str, Feature]:
    """Return the registry by id; raises CaseError if the file does not have the documented form."""
    features: dict[str, Feature] = {}
    for raw in rows_of(path, "feature"):
        texts = all(isinstance(text, str) and text for text in raw.values())
        if set(raw) != set(Feature._fields) or not texts:
            raise CaseError(f"{path.name}: {raw!r:.80} is not id, text and clause")
        feature = Feature(**raw)
        if not is_feature_id(feature.id) or feature.id in features:
            raise CaseError(f"{path.name}: {feature.id!r:.80} is not a feature id, or appears twice")
        features[feature.id] = feature
    return features


def is_known(feature: str) -> bool:
    """Return whether a case may name the feature."""
    prefixes = tuple(f"{form}/other/" for form in _FOLDERS)
    return feature in registry() or (feature.startswith(prefixes) and is_feature_id(feature))


def many_rows(form: str) -> str:
    """Return the feature of files of more rows than numbers of 16 bits count."""
    return f"{form}/value/many-rows"


def features_of(summary: Mapping[str, Iterable[str]], form: str = "parquet") -> tuple[str, ...]:
    """Return the sorted feature ids of the summary of a file of a format.

    The keys are those of `_FOLDERS`, each with names of the interface description (`DELTA_BYTE_ARRAY`,
    `DATA_PAGE_V2`, `UTF8`); `nesting` and `flags` have the last segment of the id, with `-` or `_`. A name
    that the registry does not contain, such as a newer codec, becomes `parquet/other/<name>`; an unknown key
    is a mistake of the caller and raises KeyError.
    """
    folders = {_FOLDERS[form][key]: names for key, names in summary.items()}
    return tuple(
        sorted({_feature(form, folder, name) for folder, names in folders.items() for name in names})
    )


def _feature(form: str, folder: str, name: str) -> str:
    slug = re.sub("[^a-z0-9]+", "-", name.lower()).strip("-") or "unnamed"
    feature = _ALIASES.get(folder + slug, folder + slug)
    return feature if feature in registry() else f"{form}/other/{slug}"
